#include "pchronicle/model/events/wire.h"

#include "pchronicle/base/base64.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/compose.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::events {
namespace {

bool Is(const json::Raw& value, std::string_view quoted) { return value.text == quoted; }

/// A text that is one JSON value, validated; absent otherwise.
json::Raw ParseJson(std::string_view text) {
  json::Cursor cursor(text);
  json::Raw raw;
  return cursor.Capture(&raw) && cursor.AtEnd() ? raw : json::Raw();
}

bool LooksLikeSse(std::string_view text) {
  for (size_t at = text.find("data:"); at != std::string_view::npos;
       at = text.find("data:", at + 1)) {
    if (at == 0 || text[at - 1] == '\n') {
      return true;
    }
  }
  return false;
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// Text that a client puts into the user role on its own.
bool IsInjected(std::string_view text) {
  const std::string_view trimmed = Trimmed(text);
  for (const std::string_view head :
       {"<system-reminder", "<local-command", "[SUGGESTION MODE:", "SUGGESTION MODE:"}) {
    if (trimmed.starts_with(head)) {
      return true;
    }
  }
  return false;
}

std::string_view WithoutSessionTag(std::string_view text) {
  constexpr std::string_view kOpen = "<session>";
  constexpr std::string_view kClose = "</session>";
  const std::string_view trimmed = Trimmed(text);
  if (trimmed.size() >= kOpen.size() + kClose.size() && trimmed.starts_with(kOpen) &&
      trimmed.ends_with(kClose)) {
    return Trimmed(trimmed.substr(kOpen.size(), trimmed.size() - kOpen.size() - kClose.size()));
  }
  return text;
}

/// Text of the last user message that a person may have written.
Text LastUserText(const json::Raw& messages, Arena& arena) {
  Text last;
  for (RawElements message(messages); message.Next();) {
    if (!Is(FindMember(message.value(), "role"), "\"user\"")) {
      continue;
    }
    const Text text = ContentText(FindMember(message.value(), "content"), "\n", arena);
    if (text && !IsInjected(*text)) {
      last = WithoutSessionTag(*text);
    }
  }
  return last;
}

void AddChatCalls(const json::Raw& tool_calls, Arena& arena, std::vector<WireCall>& out) {
  for (RawElements element(tool_calls); element.Next();) {
    const json::Raw id = FindMember(element.value(), "id");
    const json::Raw function = FindMember(element.value(), "function");
    const json::Raw name = FindMember(function, "name");
    if (id.is_string() && name.is_string()) {
      out.push_back({json::DecodeString(id, arena),
                     json::DecodeString(name, arena),
                     ParsedArguments(FindMember(function, "arguments"), arena),
                     {}});
    }
  }
}

void AddResponsesCalls(const json::Raw& output, Arena& arena, std::vector<WireCall>& out) {
  for (RawElements item(output); item.Next();) {
    if (!Is(FindMember(item.value(), "type"), "\"function_call\"")) {
      continue;
    }
    json::Raw id = FindMember(item.value(), "call_id");
    if (!id.is_string()) {
      id = FindMember(item.value(), "id");
    }
    const json::Raw name = FindMember(item.value(), "name");
    if (id.is_string() && name.is_string()) {
      out.push_back({json::DecodeString(id, arena),
                     json::DecodeString(name, arena),
                     ParsedArguments(FindMember(item.value(), "arguments"), arena),
                     {}});
    }
  }
}

}  // namespace

json::Raw ParsedArguments(const json::Raw& value, Arena& arena) {
  if (!value.is_string()) {
    return value;
  }
  const json::Raw parsed = ParseJson(json::DecodeString(value, arena));
  return parsed.present() ? parsed : value;
}

Text ContentText(const json::Raw& content, std::string_view separator, Arena& arena) {
  if (content.is_string()) {
    return json::DecodeString(content, arena);
  }
  if (content.kind != json::Kind::kArray) {
    return std::nullopt;
  }
  std::string joined;
  bool any = false;
  for (RawElements part(content); part.Next();) {
    const json::Raw type = FindMember(part.value(), "type");
    const json::Raw text = FindMember(part.value(), "text");
    const bool is_text = !type.present() || Is(type, "\"text\"") || Is(type, "\"input_text\"") ||
                         Is(type, "\"output_text\"");
    if (!is_text || !text.is_string()) {
      continue;
    }
    if (any) {
      joined += separator;
    }
    any = true;
    joined += json::DecodeString(text, arena);
  }
  return any ? Text(arena.Copy(joined)) : std::nullopt;
}

WireBody ReadBody(const json::Raw& body, std::string_view encoding, Arena& arena) {
  if (body.kind == json::Kind::kObject) {
    return {body, {}};
  }
  if (!body.is_string()) {
    return {};
  }
  std::string_view text = json::DecodeString(body, arena);
  if (encoding == "base64") {
    const std::optional<std::string> bytes = DecodeBase64(text);
    if (!bytes) {
      return {};
    }
    text = arena.Copy(*bytes);
  }
  const json::Raw parsed = ParseJson(text);
  if (parsed.kind == json::Kind::kObject) {
    return {parsed, {}};
  }
  return encoding == "sse" || encoding == "sse-wire" || LooksLikeSse(text) ? WireBody{{}, text}
                                                                           : WireBody{};
}

json::Raw RequestMessages(const json::Raw& body) {
  for (const std::string_view name : {"messages", "input"}) {
    const json::Raw list = FindMember(body, name);
    if (list.kind == json::Kind::kArray) {
      return list;
    }
  }
  return {};
}

Text UserText(const json::Raw& body, Arena& arena) {
  const json::Raw messages = FindMember(body, "messages");
  if (messages.kind == json::Kind::kArray) {
    return LastUserText(messages, arena);
  }
  const json::Raw input = FindMember(body, "input");
  return input.is_string() ? Text(json::DecodeString(input, arena)) : LastUserText(input, arena);
}

std::vector<WireResult> RequestResults(const json::Raw& body, Arena& arena) {
  std::vector<WireResult> results;
  const auto add = [&](const json::Raw& id, const json::Raw& content) {
    if (id.is_string()) {
      results.push_back({json::DecodeString(id, arena), content});
    }
  };
  for (RawElements message(FindMember(body, "messages")); message.Next();) {
    const json::Raw content = FindMember(message.value(), "content");
    if (Is(FindMember(message.value(), "role"), "\"tool\"")) {
      add(FindMember(message.value(), "tool_call_id"), content);
    }
    for (RawElements part(content); part.Next();) {
      if (Is(FindMember(part.value(), "type"), "\"tool_result\"")) {
        add(FindMember(part.value(), "tool_use_id"), FindMember(part.value(), "content"));
      }
    }
  }
  for (RawElements item(FindMember(body, "input")); item.Next();) {
    if (Is(FindMember(item.value(), "type"), "\"function_call_output\"")) {
      add(FindMember(item.value(), "call_id"), FindMember(item.value(), "output"));
    }
  }
  return results;
}

ResponseBody ReadResponse(const json::Raw& body, Arena& arena) {
  ResponseBody response;
  response.usage = FindMember(body, "usage");
  RawElements choices(FindMember(body, "choices"));
  if (choices.Next()) {
    const json::Raw message = FindMember(choices.value(), "message");
    response.text = ContentText(FindMember(message, "content"), "\n", arena);
    AddChatCalls(FindMember(message, "tool_calls"), arena, response.calls);
  }
  const json::Raw content = FindMember(body, "content");
  if (!response.text) {
    response.text = ContentText(content, "\n\n", arena);
  }
  for (RawElements part(content); part.Next();) {
    const json::Raw id = FindMember(part.value(), "id");
    const json::Raw name = FindMember(part.value(), "name");
    if (Is(FindMember(part.value(), "type"), "\"tool_use\"") && id.is_string() &&
        name.is_string()) {
      response.calls.push_back({json::DecodeString(id, arena),
                                json::DecodeString(name, arena),
                                FindMember(part.value(), "input"),
                                {}});
    }
  }
  const json::Raw output = FindMember(body, "output");
  if (!response.text) {
    for (RawElements item(output); item.Next();) {
      if (Is(FindMember(item.value(), "type"), "\"message\"")) {
        response.text = ContentText(FindMember(item.value(), "content"), "\n", arena);
      }
    }
  }
  AddResponsesCalls(output, arena, response.calls);
  return response;
}

}  // namespace pchronicle::model::events
