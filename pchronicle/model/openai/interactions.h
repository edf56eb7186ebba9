#pragma once

#include <cstdint>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model::openai {

/// The turns that one row of a corpus is made of. Not owned.
struct Interaction {
  const Turn* user = nullptr;
  const Turn* agent =
      nullptr;  // null: a row without response, only for Storylines that came from a corpus
  int64_t step_id = 0;

  /// The turn that says when, and in what environment.
  const Turn& last() const { return agent != nullptr ? *agent : *user; }
};

struct Interactions {
  size_t context = 0;  // leading copied turns
  std::vector<Interaction> rows;
};

/// Splits a Storyline into context and interactions (formats.md 4.9, items 1, 2 and 4).
/// `from_corpus`: turn ids encode the step ids. Errors (kInvalidArgument): `OpenAI context cannot
/// represent Storyline turn N source 'x'`, `OpenAI synthesis requires an agent response after user
/// turn N`, `OpenAI synthesis cannot represent Storyline turn N source 'x'`, `OpenAI agent turn N
/// does not encode a source step_id`.
Result<Interactions> SplitInteractions(const Storyline& storyline, bool from_corpus);

/// The Storyline was read from an OpenAI corpus: it has residuals of one, or says so.
bool IsFromCorpus(const Document& document);

/// Residuals of this format, null when there are none.
const UnknownSource* OwnResiduals(const Document& document);

}  // namespace pchronicle::model::openai
