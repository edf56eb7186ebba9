#include "pchronicle/model/openai/output_selection.h"

#include "pchronicle/model/openai/content_value.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::openai {
namespace {

Status ReadOutput(const MessageShape& shape, ValueSource& values, Arena& arena, Output* output) {
  output->shape = &shape;
  output->values = &values;
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw content, values.Capture(shape.content, arena));
  output->content = DecodeContent(content, arena);
  PCHRONICLE_ASSIGN_OR_RETURN(output->refusal, values.Capture(shape.refusal, arena));
  output->tool_calls = {};
  if (shape.tool_calls.kind == json::Kind::kArray) {
    PCHRONICLE_ASSIGN_OR_RETURN(output->tool_calls, values.Capture(shape.tool_calls, arena));
  }
  output->has_output = RawElements(output->tool_calls).Next() || HasValue(output->refusal) ||
                       HasValue(output->content);
  return Status::Ok();
}

}  // namespace

bool Output::uses_refusal() const { return !HasValue(content) && HasValue(refusal); }

Status SelectOutput(LoadedRow& row, Output* output) {
  *output = {};
  Output best;
  if (const MessageShape* response = row.response()) {
    PCHRONICLE_RETURN_IF_ERROR(ReadOutput(*response, *row.response_values, row.arena, &best));
    if (best.has_output) {
      *output = best;
      return Status::Ok();
    }
  }
  const auto& messages = row.shape.messages.messages;
  for (size_t i = messages.size(); i-- > 0;) {
    if (messages[i].role != Role::kAssistant) {
      continue;
    }
    Output candidate;
    PCHRONICLE_RETURN_IF_ERROR(ReadOutput(messages[i], *row.message_values, row.arena, &candidate));
    if (candidate.has_output) {
      candidate.message = i;
      *output = candidate;
      return Status::Ok();
    }
  }
  *output = best;
  return Status::Ok();
}

std::optional<size_t> LastUserMessage(const MessageList& list) {
  for (size_t i = list.messages.size(); i-- > 0;) {
    if (list.messages[i].role == Role::kUser) {
      return list.messages[i].content.present() ? std::optional<size_t>(i) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace pchronicle::model::openai
