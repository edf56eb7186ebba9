#include "pchronicle/model/openai/content_value.h"

#include <string>

#include "pchronicle/model/openai/corpus_keys.h"
#include "pchronicle/model/openai/row_bytes.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::openai {
namespace {

bool HasMembers(const json::Raw& object) {
  RawMembers members(object);
  return members.Next();
}

bool IsContentPart(const json::Raw& value, Arena& arena) {
  if (value.kind != json::Kind::kObject) {
    return false;
  }
  const json::Raw type = FindMember(value, "type");
  return type.is_string() && IsKnownPartType(json::DecodeString(type, arena));
}

bool IsPartList(const json::Raw& value, Arena& arena) {
  RawElements elements(value);
  bool any = false;
  while (elements.Next()) {
    if (!IsContentPart(elements.value(), arena)) {
      return false;
    }
    any = true;
  }
  return any;
}

/// First character of a string's content behind blanks, 0 when there is none.
char FirstCharacter(const json::Raw& text) {
  std::string_view rest = text.text.substr(1, text.text.size() - 2);
  while (!rest.empty()) {
    if (rest.front() == ' ') {
      rest.remove_prefix(1);
    } else if (rest.size() > 1 && rest.front() == '\\' &&
               (rest[1] == 'n' || rest[1] == 'r' || rest[1] == 't')) {
      rest.remove_prefix(2);
    } else {
      return rest.front();
    }
  }
  return 0;
}

}  // namespace

json::Raw NullRaw() { return {"null", json::Kind::kNull, 0}; }

bool HasValue(const json::Raw& value) {
  switch (value.kind) {
    case json::Kind::kAbsent:
    case json::Kind::kNull:
      return false;
    case json::Kind::kBool:
    case json::Kind::kNumber:
      return true;
    case json::Kind::kString:
      return value.text.size() > 2;
    case json::Kind::kArray:
      for (RawElements elements(value); elements.Next();) {
        if (HasValue(elements.value())) {
          return true;
        }
      }
      return false;
    case json::Kind::kObject: {
      const json::Raw text = FindMember(value, "text");
      return text.present() ? HasValue(text) : HasMembers(value);
    }
  }
  return false;
}

json::Raw DecodeContent(const json::Raw& content, Arena& arena) {
  if (!content.is_string()) {
    return content;
  }
  const char first = FirstCharacter(content);
  if (first != '[' && first != '{' && first != '\\') {
    return content;
  }
  const json::Raw value = ParseText(json::DecodeString(content, arena));
  const bool parts =
      value.kind == json::Kind::kArray ? IsPartList(value, arena) : IsContentPart(value, arena);
  return parts ? value : content;
}

json::Raw DecodeStructure(const json::Raw& value, json::Kind kind, Arena& arena, bool* was_text) {
  *was_text = false;
  if (value.is_string()) {
    const json::Raw decoded = ParseText(json::DecodeString(value, arena));
    *was_text = decoded.kind == kind;
    return *was_text ? decoded : json::Raw{};
  }
  return value.kind == kind ? value : json::Raw{};
}

json::Raw DecodeArguments(const json::Raw& arguments, Arena& arena) {
  if (!arguments.present()) {
    return NullRaw();
  }
  if (!arguments.is_string()) {
    return arguments;
  }
  const json::Raw value = ParseText(json::DecodeString(arguments, arena));
  return value.present() ? value : arguments;
}

std::string_view ContentText(const json::Raw& content, Arena& arena) {
  switch (content.kind) {
    case json::Kind::kString:
      return json::DecodeString(content, arena);
    case json::Kind::kObject: {
      const json::Raw text = FindMember(content, "text");
      return text.is_string() ? json::DecodeString(text, arena) : std::string_view();
    }
    case json::Kind::kArray: {
      std::string joined;
      bool any = false;
      for (RawElements parts(content); parts.Next();) {
        const json::Raw& part = parts.value();
        const json::Raw text = part.is_string() ? part : FindMember(part, "text");
        if (text.is_string()) {
          joined += any ? "\n" : "";
          joined += json::DecodeString(text, arena);
          any = true;
        }
      }
      return arena.Copy(joined);
    }
    default:
      return {};
  }
}

}  // namespace pchronicle::model::openai
