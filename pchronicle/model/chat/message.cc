#include "pchronicle/model/chat/message.h"

#include <array>
#include <string>
#include <utility>

#include "pchronicle/model/text_is.h"

namespace pchronicle::model::chat {
namespace {

using json::Kind;

/// Training marks of a message (HF-09).
constexpr std::array<std::string_view, 4> kMarks{"loss_weight", "weight", "mask", "train"};

json::Raw StringMember(const json::Raw& object, std::string_view name) {
  const json::Raw raw = FindMember(object, name);
  return raw.is_string() ? raw : json::Raw();
}

constexpr std::array<std::pair<std::string_view, Speaker>, 15> kSpeakers{{
    {"user", Speaker::kUser},
    {"human", Speaker::kUser},
    {"assistant", Speaker::kAgent},
    {"gpt", Speaker::kAgent},
    {"model", Speaker::kAgent},
    {"bot", Speaker::kAgent},
    {"chatgpt", Speaker::kAgent},
    {"ai", Speaker::kAgent},
    {"system", Speaker::kSystem},
    {"developer", Speaker::kSystem},
    {"tool", Speaker::kResult},
    {"observation", Speaker::kResult},
    {"function_response", Speaker::kResult},
    {"tool_response", Speaker::kResult},
    {"function_call", Speaker::kCall},
}};

}  // namespace

bool IsMark(const RawMembers& members) {
  for (const std::string_view mark : kMarks) {
    if (members.KeyIs(mark)) {
      return true;
    }
  }
  return false;
}

bool HasText(const json::Raw& raw) { return raw.is_string() && raw.text.size() > 2; }

json::Raw PartText(const json::Raw& part) {
  if (!TextIs(FindMember(part, "type"), "text")) {
    return {};
  }
  const json::Raw text = StringMember(part, "text");
  return text.present() ? text : StringMember(part, "value");
}

bool IsReasoningPart(const json::Raw& part) {
  const json::Raw type = FindMember(part, "type");
  return TextIs(type, "reasoning") || TextIs(type, "thinking");
}

json::Raw ReasoningText(const json::Raw& part) {
  for (const std::string_view name : {"thinking", "reasoning", "text", "value"}) {
    if (const json::Raw text = StringMember(part, name); text.present()) {
      return text;
    }
  }
  return {};
}

Speaker SpeakerOf(std::string_view role) {
  for (const auto& [name, speaker] : kSpeakers) {
    if (role == name) {
      return speaker;
    }
  }
  return Speaker::kOther;
}

Message::Message(const json::Raw& object) {
  const std::pair<std::string_view, json::Raw*> slots[] = {
      {"role", &role},
      {"from", &from},
      {"content", &content},
      {"value", &value},
      {"text", &text},
      {"tool_calls", &tool_calls},
      {"tool_call_id", &tool_call_id},
      {"function_call", &function_call},
      {"reasoning_content", &reasoning_content},
      {"reasoning", &reasoning},
      {"thinking", &thinking},
      {"name", &name},
      {"system_prompt", &system_prompt},
      {"is_error", &is_error},
  };
  for (RawMembers members(object); members.Next();) {
    for (const auto& [key, slot] : slots) {
      if (members.KeyIs(key)) {
        *slot = members.value();
        break;
      }
    }
  }
}

json::Raw Message::RoleText() const {
  return HasText(role) ? role : HasText(from) ? from : json::Raw();
}

json::Raw Message::Content() const {
  return content.has_value() ? content
         : value.has_value() ? value
         : text.has_value()  ? text
                             : json::Raw();
}

void AddMessageResiduals(const Message& message, const json::Raw& object, Speaker speaker,
                         bool first, MemberReader& reader, Arena& arena) {
  const json::Raw content = message.Content();
  const bool is_result = speaker == Speaker::kResult;
  const bool spoken = !is_result && speaker != Speaker::kCall;
  for (RawMembers members(object); members.Next();) {
    const json::Raw& value = members.value();
    const std::string_view at(value.text.data(), 0);
    const bool is_role = members.KeyIs("role") || members.KeyIs("from");
    const bool is_text =
        members.KeyIs("content") || members.KeyIs("value") || members.KeyIs("text");
    const bool used_text = !value.has_value() || at.data() == content.text.data();
    const bool taken =
        (is_role && at.data() == message.RoleText().text.data()) || (is_text && used_text) ||
        (spoken && (IsMark(members) || members.KeyIs("reasoning_content") ||
                    members.KeyIs("reasoning") || members.KeyIs("thinking") ||
                    (members.KeyIs("tool_calls") && value.kind == Kind::kArray) ||
                    (members.KeyIs("function_call") && value.kind == Kind::kObject))) ||
        (is_result && (members.KeyIs("tool_call_id") || members.KeyIs("is_error"))) ||
        (members.KeyIs("system_prompt") && first);
    if (!taken) {
      const json::Raw key{members.quoted_key(), Kind::kString, json::kHasEscapes};
      reader.Unknown(json::DecodeString(key, arena), value);
    }
  }
  const std::string base = reader.base();
  size_t index = 0;
  for (RawElements calls(message.tool_calls); spoken && calls.Next(); ++index) {
    reader.SetBase(base + "/tool_calls/" + std::to_string(index));
    const bool nested = FindMember(calls.value(), "function").kind == Kind::kObject;
    for (RawMembers members(calls.value()); members.Next();) {
      const bool taken = members.KeyIs("id") ||
                         (members.KeyIs("type") && TextIs(members.value(), "function")) ||
                         (nested ? members.KeyIs("function")
                                 : members.KeyIs("name") || members.KeyIs("arguments"));
      if (!taken) {
        const json::Raw key{members.quoted_key(), Kind::kString, json::kHasEscapes};
        reader.Unknown(json::DecodeString(key, arena), members.value());
      }
    }
  }
  reader.SetBase(base);
}

}  // namespace pchronicle::model::chat
