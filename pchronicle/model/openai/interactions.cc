#include "pchronicle/model/openai/interactions.h"

#include "pchronicle/model/openai/corpus_keys.h"

namespace pchronicle::model::openai {
namespace {

constexpr std::string_view kUser = "user";
constexpr std::string_view kAgent = "agent";

/// The step id that the turn ids of a corpus encode.
Result<int64_t> StepOf(const Interaction& row, size_t context) {
  const int64_t offset = static_cast<int64_t>(context);
  // A lone request has the id before its response's.
  const int64_t id = row.agent != nullptr ? row.agent->id : row.user->id;
  int64_t twice = 0;
  const bool fits = !__builtin_sub_overflow(id, offset - (row.agent != nullptr ? 0 : 1), &twice);
  const bool pairs = row.agent == nullptr || row.user == nullptr ||
                     (row.agent->id != INT64_MIN && row.user->id == row.agent->id - 1);
  if (!fits || twice <= 0 || twice % 2 != 0 || !pairs) {
    return Status::InvalidArgument("OpenAI agent turn {} does not encode a source step_id",
                                   row.last().id);
  }
  return twice / 2;
}

}  // namespace

const UnknownSource* OwnResiduals(const Document& document) {
  for (const UnknownSource& source : document.unknown) {
    if (source.format == kHubName && !source.fields.empty()) {
      return &source;
    }
  }
  return nullptr;
}

bool IsFromCorpus(const Document& document) {
  return document.origin_format == kHubName || OwnResiduals(document) != nullptr;
}

Result<Interactions> SplitInteractions(const Storyline& storyline, bool from_corpus) {
  Interactions out;
  const std::vector<Turn>& turns = storyline.turns;
  while (out.context < turns.size() && turns[out.context].copied.value_or(false)) {
    const Turn& turn = turns[out.context];
    if (turn.source != "system" && turn.source != kUser && turn.source != kAgent) {
      return Status::InvalidArgument(
          "OpenAI context cannot represent Storyline turn {} source '{}'", turn.id, turn.source);
    }
    ++out.context;
  }
  for (size_t i = out.context; i < turns.size(); ++i) {
    Interaction row;
    if (turns[i].source == kUser) {
      row.user = &turns[i];
      const bool answered = i + 1 < turns.size() && turns[i + 1].source == kAgent &&
                            (!from_corpus || turns[i + 1].id == turns[i].id + 1);
      if (answered) {
        row.agent = &turns[++i];
      } else if (!from_corpus) {
        return Status::InvalidArgument(
            "OpenAI synthesis requires an agent response after user turn {}", turns[i].id);
      }
    } else if (turns[i].source == kAgent) {
      row.agent = &turns[i];
    } else {
      return Status::InvalidArgument(
          "OpenAI synthesis cannot represent Storyline turn {} source '{}'", turns[i].id,
          turns[i].source);
    }
    row.step_id = static_cast<int64_t>(out.rows.size()) + 1;
    if (from_corpus) {
      PCHRONICLE_ASSIGN_OR_RETURN(row.step_id, StepOf(row, out.context));
    }
    out.rows.push_back(row);
  }
  return out;
}

}  // namespace pchronicle::model::openai
