#include "pchronicle/model/message_text.h"

#include "pchronicle/json/cursor.h"

namespace pchronicle::model {
namespace {

/// Text of one content part: its string `text`, else its string `value` if its `type` is "text".
std::optional<std::string_view> PartText(json::Cursor& cursor, Arena& arena) {
  if (cursor.Peek() != json::Kind::kObject) {
    cursor.Skip();
    return std::nullopt;
  }
  json::Raw text, value, type;
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    json::Raw* member = key == "text"    ? &text
                        : key == "value" ? &value
                        : key == "type"  ? &type
                                         : nullptr;
    member != nullptr ? cursor.Capture(member) : cursor.Skip();
  }
  if (text.is_string()) {
    return json::DecodeString(text, arena);
  }
  if (value.is_string() && type.is_string() && json::DecodeString(type, arena) == "text") {
    return json::DecodeString(value, arena);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> MessageText(const json::Raw& message, Arena& arena) {
  if (message.is_string()) {
    return json::DecodeString(message, arena);
  }
  if (message.kind != json::Kind::kArray) {
    return std::nullopt;
  }
  std::optional<std::string_view> first;
  std::string joined;  // used from the second text on
  bool several = false;
  json::Cursor cursor(message.text);
  cursor.BeginArray();
  while (cursor.NextElement()) {
    const std::optional<std::string_view> part = PartText(cursor, arena);
    if (!part) {
      continue;
    }
    if (!first) {
      first = part;
      continue;
    }
    if (!several) {
      joined.assign(*first);
      several = true;
    }
    joined += "\n\n";
    joined += *part;
  }
  return several ? arena.Copy(joined) : first;
}

}  // namespace pchronicle::model
