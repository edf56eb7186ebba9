#pragma once

#include <cstdint>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::chat {

/// Who a message is from (HF-03).
enum class Speaker : uint8_t { kUser, kAgent, kSystem, kResult, kCall, kOther };
Speaker SpeakerOf(std::string_view role);

/// Members of one message.
struct Message {
  json::Raw role;
  json::Raw from;
  json::Raw content;
  json::Raw value;
  json::Raw text;
  json::Raw tool_calls;
  json::Raw tool_call_id;
  json::Raw function_call;
  json::Raw reasoning_content;
  json::Raw reasoning;
  json::Raw thinking;
  json::Raw name;
  json::Raw system_prompt;
  json::Raw is_error;

  explicit Message(const json::Raw& object);
  /// The written role; empty when there is none.
  json::Raw RoleText() const;
  /// The first of content, value, text that says something.
  json::Raw Content() const;
};

/// Training marks of a message (HF-09).
bool IsMark(const RawMembers& member);
/// The text of a content part `{type: text, text|value}`; absent for any other part.
json::Raw PartText(const json::Raw& part);
bool IsReasoningPart(const json::Raw& part);
json::Raw ReasoningText(const json::Raw& part);
/// A string that is not empty.
bool HasText(const json::Raw& raw);

/// Records members of a message, and of its calls, that the mapping does not take (SRC-27).
/// `reader` has the base of the message and keeps it; `first` is the first message of its document.
void AddMessageResiduals(const Message& message, const json::Raw& object, Speaker speaker,
                         bool first, MemberReader& reader, Arena& arena);

}  // namespace pchronicle::model::chat
