#include "pchronicle/model/openai/call_reader.h"

#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/openai/content_value.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::openai {
namespace {

bool IsNonEmptyString(const json::Raw& raw) { return raw.is_string() && raw.text.size() > 2; }

std::string_view Keep(const json::Raw& text, Arena& arena) {
  const json::Raw owned = Own(text, arena);
  return json::DecodeString(owned, arena);
}

}  // namespace

CallParts SplitCall(const json::Raw& call) {
  CallParts parts;
  json::Raw function;
  for (RawMembers members(call); members.Next();) {
    if (members.KeyIs("id")) {
      parts.id = members.value();
    } else if (members.KeyIs("function")) {
      function = members.value();
    }
  }
  for (RawMembers members(function); members.Next();) {
    if (members.KeyIs("name")) {
      parts.name = members.value();
    } else if (members.KeyIs("arguments")) {
      parts.arguments = members.value();
    }
  }
  if (IsNonEmptyString(parts.id) && IsNonEmptyString(parts.name)) {
    parts.function = function;
  }
  return parts;
}

void ReadCalls(const json::Raw& tool_calls, bool want_arguments, Arena& arena, Arena& scratch,
               std::vector<ToolCall>* calls) {
  for (RawElements elements(tool_calls); elements.Next();) {
    const CallParts parts = SplitCall(elements.value());
    if (!parts.valid()) {
      continue;
    }
    ToolCall& call = calls->emplace_back();
    call.id = Keep(parts.id, arena);
    call.function = Keep(parts.name, arena);
    if (want_arguments) {
      call.arguments = Own(DecodeArguments(parts.arguments, scratch), arena);
    }
  }
}

}  // namespace pchronicle::model::openai
