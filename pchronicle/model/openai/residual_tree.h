#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/openai/json_node.h"

namespace pchronicle::model::openai {

/// The residuals below one object, by pointer token.
struct ResidualNode {
  std::map<std::string, ResidualNode, std::less<>> children;
  std::optional<std::string_view> value;  // minified JSON

  bool has(std::string_view key) const { return children.find(key) != children.end(); }
  const ResidualNode* Find(std::string_view key) const;
};

/// One row of a Storyline in its corpus.
struct PlacedRow {
  int64_t step_id = 0;
  std::optional<size_t> interaction;  // none: a row that made no turn, all of it is in `residuals`
  ResidualNode residuals;
};

/// Residuals of one Storyline as they go back into a corpus (formats.md 4.9, item 7).
struct StorylineResiduals {
  ResidualNode root;            // members beside session_steps
  std::vector<PlacedRow> rows;  // in output order
  uint64_t misplaced = 0;       // fields whose row does not exist
  std::string first_misplaced;
};

/// Splits a Storyline's residuals over its rows. `steps` are the step ids of its interactions,
/// `first_row` is the place of its first row in the output. A row is found by the residual
/// `step_id` that the reader leaves where a session's rows do not follow each other; else by the
/// place of the session in its file, as far as the pointers tell it.
Result<StorylineResiduals> SplitResiduals(std::span<const UnknownField> fields,
                                          std::span<const int64_t> steps, uint64_t first_row);

/// The whole of something, as far as it was recorded.
JsonNode WholeOf(const ResidualNode& node);

/// Puts the residuals of one row back. A message or call that the hub could not hold at all is
/// inserted at its index; everything else is added to its object, or takes the place of what we
/// wrote there. Identity and rows (session_id, step_id, messages, response) are never replaced, nor
/// is anything in a message, which may be another one than the pointer meant. Missing objects are
/// made, missing array slots are not: such fields are appended to `dangling`. `answer_speaks`: the
/// row's own response says something; otherwise nothing is put into its messages that a reader
/// could take for the answer.
void InsertResiduals(const ResidualNode& residuals, bool answer_speaks, JsonNode* row,
                     std::vector<std::string>* dangling);

/// Root members: added, never replaced.
void InsertRootResiduals(const ResidualNode& residuals, JsonNode* root);

}  // namespace pchronicle::model::openai
