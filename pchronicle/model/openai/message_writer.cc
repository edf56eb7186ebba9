#include "pchronicle/model/openai/message_writer.h"

#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::openai {
namespace {

JsonNode CallOf(const ToolCall& call) {
  JsonNode function;
  function.Add("name", JsonNode::String(call.function));
  function.Add("arguments", JsonNode::String(CellOrNull(call.arguments)));
  JsonNode node;
  node.Add("id", JsonNode::String(call.id));
  node.Add("type", JsonNode(R"("function")"));
  node.Add("function", std::move(function));
  return node;
}

bool IsNonEmptyString(const json::Raw& raw) { return raw.is_string() && raw.text.size() > 2; }

}  // namespace

std::string CellOrNull(const json::Raw& raw) {
  if (!raw.present()) {
    return "null";
  }
  Arena scratch(1024);
  return std::string(json::CellText(raw, json::Surrogates::kKeep, scratch));
}

JsonNode MessageOf(const Turn& turn, std::string_view role) {
  JsonNode message;
  message.Add("role", JsonNode::String(role));
  message.Add("content", JsonNode(CellOrNull(turn.message)));
  if (role != "assistant") {
    return message;
  }
  if (turn.reasoning) {
    message.Add("reasoning_content", JsonNode::String(*turn.reasoning));
  }
  if (!turn.calls.empty()) {
    JsonNode& calls = message.Add("tool_calls", JsonNode::Array());
    for (const ToolCall& call : turn.calls) {
      calls.elements().push_back(CallOf(call));
    }
  }
  return message;
}

std::vector<JsonNode> ToolMessagesOf(const Turn& turn, uint64_t* unlinked) {
  std::vector<JsonNode> messages;
  const json::Raw results = FindMember(turn.observation, "results");
  if (turn.observation.has_value() && results.kind != json::Kind::kArray) {
    ++*unlinked;
  }
  for (RawElements elements(results); elements.Next();) {
    const json::Raw& result = elements.value();
    json::Raw id = FindMember(result, "source_call_id");
    if (!IsNonEmptyString(id)) {
      id = FindMember(result, "tool_call_id");
    }
    if (!IsNonEmptyString(id)) {
      ++*unlinked;
      continue;
    }
    JsonNode& message = messages.emplace_back();
    message.Add("role", JsonNode(R"("tool")"));
    message.Add("tool_call_id", JsonNode(CellOrNull(id)));
    message.Add("content", JsonNode(CellOrNull(FindMember(result, "content"))));
  }
  return messages;
}

}  // namespace pchronicle::model::openai
