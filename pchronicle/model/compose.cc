#include "pchronicle/model/compose.h"

namespace pchronicle::model {

void ObjectComposer::Add(std::string_view key, const json::Raw& value) {
  if (!value.present()) {
    return;
  }
  AddText(key, json::CellText(value, json::Surrogates::kKeep, *arena_));
  flags_ = static_cast<uint8_t>(flags_ | CellFlags(value));
}

void ObjectComposer::AddText(std::string_view key, std::string_view text) {
  text_ += text_.empty() ? "{\"" : ",\"";
  text_ += key;
  text_ += "\":";
  text_ += text;
}

json::Raw ObjectComposer::Finish() {
  text_ += text_.empty() ? "{}" : "}";
  const json::Raw raw = RawOf(text_, json::Kind::kObject, flags_, *arena_);
  text_.clear();
  flags_ = 0;
  return raw;
}

json::Raw RawOf(std::string_view text, json::Kind kind, uint8_t flags, Arena& arena) {
  return {arena.Copy(text), kind, flags};
}

uint8_t CellFlags(const json::Raw& raw) {
  return raw.flags & (json::kHasEscapes | json::kHasLoneSurrogate);
}

json::Raw QuotedRaw(std::string_view characters, Arena& arena) {
  std::string text;
  json::AppendQuoted(characters, text);
  const uint8_t flags = text.size() == characters.size() + 2 ? 0 : json::kHasEscapes;
  return RawOf(text, json::Kind::kString, flags, arena);
}

json::Raw IntegerRaw(int64_t value, Arena& arena) {
  return RawOf(std::to_string(value), json::Kind::kNumber, 0, arena);
}

std::optional<int64_t> MillisecondsOf(const json::Raw& raw) {
  int64_t integer = 0;
  if (json::ToInt64(raw, &integer)) {
    return integer;
  }
  double number = 0;
  if (raw.kind == json::Kind::kNumber && json::ToDouble(raw, &number) && number > -9.2e18 &&
      number < 9.2e18) {
    return static_cast<int64_t>(number);
  }
  return std::nullopt;
}

bool IsEmptyValue(const json::Raw& raw) {
  switch (raw.kind) {
    case json::Kind::kAbsent:
    case json::Kind::kNull:
      return true;
    case json::Kind::kString:
      return raw.text.size() == 2;
    case json::Kind::kArray:
    case json::Kind::kObject:
      return raw.text.find_first_not_of(" \t\r\n", 1) == raw.text.size() - 1;
    default:
      return false;
  }
}

}  // namespace pchronicle::model
