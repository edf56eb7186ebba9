#include "pchronicle/model/chat/conversation.h"

#include <algorithm>
#include <utility>

#include "pchronicle/model/chat/row_reader.h"
#include "pchronicle/model/compose.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::chat {
namespace {

using json::Kind;

constexpr json::Raw kEmptyText{R"("")", Kind::kString, 0};
constexpr json::Raw kNullValue{"null", Kind::kNull, 0};

std::string_view SourceOf(Speaker speaker, std::string_view role) {
  switch (speaker) {
    case Speaker::kUser:
      return "user";
    case Speaker::kAgent:
      return "agent";
    case Speaker::kSystem:
      return "system";
    default:
      return role.empty() ? "unknown" : role;
  }
}

}  // namespace

void Conversation::Begin(Arena& arena, const MemberReader::Target& target) {
  arena_ = &arena;
  members_.SetTarget(target);
  ledger_.Clear();
  turns_.clear();
  system_ = {};
  position_ = 0;
  has_agent_ = false;
}

/// Decoded characters; the raw text is held with the row.
Text Conversation::Decode(const json::Raw& raw) {
  return raw.is_string() ? Text(json::DecodeString(raw, *arena_)) : std::nullopt;
}

void Conversation::Add(const json::Raw& messages, std::string_view pointer) {
  AddSystemFirst(messages);
  if (messages.kind == Kind::kObject) {
    AddMessage(messages, pointer);
    return;
  }
  size_t index = 0;
  for (RawElements elements(messages); elements.Next(); ++index) {
    const std::string place = std::string(pointer) + "/" + std::to_string(index);
    if (elements.value().kind == Kind::kObject) {
      AddMessage(elements.value(), place);
    } else {
      members_.SetBase(pointer);
      members_.Bad(std::to_string(index), elements.value());
      ++position_;
    }
  }
}

/// `system` of the row, or `system_prompt` of the first message, when no message of the list is a
/// system message.
void Conversation::AddSystemFirst(const json::Raw& messages) {
  json::Raw text = std::exchange(system_, {});
  bool first = position_ == 0;
  for (RawElements elements(messages); elements.Next();) {
    const Message message(elements.value());
    const Text role = Decode(message.RoleText());
    if (role && SpeakerOf(*role) == Speaker::kSystem) {
      return;
    }
    if (first && !HasText(text)) {
      text = message.system_prompt;
    }
    first = false;
  }
  if (HasText(text)) {
    NewTurn("system", text);
  }
}

Conversation::Built& Conversation::NewTurn(std::string_view source, const json::Raw& message) {
  Built& built = turns_.emplace_back();
  built.turn.ordinal = static_cast<int64_t>(turns_.size()) - 1;
  built.turn.id = built.turn.ordinal + 1;
  built.turn.source = source;
  built.turn.message = message;
  if (source == "agent") {
    has_agent_ = true;
    last_agent_ = turns_.size() - 1;
  }
  return built;
}

void Conversation::AddMessage(const json::Raw& object, std::string_view pointer) {
  const Message message(object);
  const Text written = Decode(message.RoleText());
  const std::string_view role = written.value_or(std::string_view());
  const Speaker speaker = SpeakerOf(role);
  members_.SetBase(pointer);
  if (role.empty()) {
    members_.Note("missing_role", "role");
  }
  if (members_.wants_residuals()) {
    AddMessageResiduals(message, object, speaker, position_ == 0, members_, *arena_);
  }
  if (speaker == Speaker::kResult) {
    AddResult(message);
  } else if (speaker == Speaker::kCall) {
    AddShareGptCall(message);
  } else {
    AddSpoken(message, speaker, role, object);
  }
  ++position_;
}

void Conversation::AddSpoken(const Message& message, Speaker speaker, std::string_view role,
                             const json::Raw& object) {
  const bool is_agent = speaker == Speaker::kAgent;
  json::Raw content = message.Content();
  if (!content.present() && speaker == Speaker::kSystem) {
    content = message.system_prompt;
  }
  Built& built = NewTurn(SourceOf(speaker, role), Shape(content, is_agent));
  if (wants(Field::kReasoning)) {
    built.turn.reasoning = Reasoning(message);
  }
  if (wants(Field::kTurnExtra)) {
    built.turn.extra = MessageExtra(object);
  }
  AddCalls(message, &built);
}

/// SRC-10: one text part alone is that text; reasoning parts are taken out.
json::Raw Conversation::Shape(const json::Raw& content, bool is_agent) {
  if (!content.has_value()) {
    return is_agent ? kEmptyText : kNullValue;
  }
  if (content.kind != Kind::kArray || !wants(Field::kMessage)) {
    return members_.ReadAny("content", content);
  }
  size_t kept = 0;
  size_t taken = 0;
  json::Raw only;
  for (RawElements parts(content); parts.Next();) {
    if (is_agent && IsReasoningPart(parts.value())) {
      ++taken;
      continue;
    }
    only = PartText(parts.value());
    ++kept;
  }
  if (kept == 1 && only.present()) {
    return members_.ReadAny("content", only);
  }
  if (taken == 0) {
    return members_.ReadAny("content", content);
  }
  if (kept == 0) {
    return kEmptyText;
  }
  std::string text;
  for (RawElements parts(content); parts.Next();) {
    if (!IsReasoningPart(parts.value())) {
      text += text.empty() ? '[' : ',';
      text += json::CellText(parts.value(), json::Surrogates::kKeep, *arena_);
    }
  }
  return RawOf(text + "]", Kind::kArray, CellFlags(content), *arena_);
}

/// SRC-11: texts of every spelling joined by one blank line.
Text Conversation::Reasoning(const Message& message) {
  std::string joined;
  size_t count = 0;
  const auto add = [&](const json::Raw& text) {
    if (HasText(text)) {
      joined += count++ == 0 ? "" : "\n\n";
      joined += json::DecodeString(text, *arena_);
    }
  };
  add(message.reasoning_content);
  add(message.reasoning);
  add(message.thinking);
  for (RawElements parts(message.Content()); parts.Next();) {
    if (IsReasoningPart(parts.value())) {
      add(ReasoningText(parts.value()));
    }
  }
  return count == 0 ? std::nullopt : Text(arena_->Copy(joined));
}

json::Raw Conversation::MessageExtra(const json::Raw& object) {
  std::string text;
  for (RawMembers members(object); members.Next();) {
    if (IsMark(members) && members.value().has_value()) {
      text += text.empty() ? '{' : ',';
      text += members.quoted_key();
      text += ':';
      text += json::CellText(members.value(), json::Surrogates::kKeep, *arena_);
    }
  }
  return text.empty() ? json::Raw() : RawOf(text + "}", Kind::kObject, CellFlags(object), *arena_);
}

void Conversation::AddCalls(const Message& message, Built* built) {
  const size_t turn = static_cast<size_t>(built->turn.ordinal);
  built->turn.had_tool_calls = message.tool_calls.kind == Kind::kArray;
  size_t index = 0;
  for (RawElements calls(message.tool_calls); calls.Next(); ++index) {
    const json::Raw& call = calls.value();
    const json::Raw inner = FindMember(call, "function");
    const json::Raw& function = inner.kind == Kind::kObject ? inner : call;
    if (call.kind == Kind::kObject) {
      AddCall(FindMember(call, "id"), FindMember(function, "name"),
              FindMember(function, "arguments"), index, turn);
    } else {
      members_.Bad("tool_calls", call);
    }
  }
  if (message.function_call.kind == Kind::kObject) {
    AddCall({}, FindMember(message.function_call, "name"),
            FindMember(message.function_call, "arguments"), index, turn);
  }
}

/// A call without id is named by its place: `m<message>/<index>` (SRC-14).
void Conversation::AddCall(const json::Raw& id, const json::Raw& function,
                           const json::Raw& arguments, size_t index, size_t turn) {
  Built& built = turns_[turn];
  ToolCall& call = built.turn.calls.emplace_back();
  const Text written = Decode(id);
  std::string_view own = written.value_or(std::string_view());
  if (own.empty()) {
    own = arena_->Copy("m" + std::to_string(position_) + "/" + std::to_string(index));
  }
  bool renamed = false;
  call.id = ledger_.Add(own, {turn, built.turn.calls.size() - 1}, *arena_, &renamed);
  const Text name = Decode(function);
  call.function = name && !name->empty() ? *name : "function_call";
  if (renamed) {
    members_.Note("duplicate_tool_call_id", "tool_calls", own);
    ObjectComposer extra(*arena_);
    extra.Add("source_call_id", QuotedRaw(own, *arena_));
    call.extra = extra.Finish();
  }
  if (wants(Field::kArguments)) {
    // SRC-12: JSON text of an object or array is parsed, other text stays.
    const json::Raw parsed = ParseText(arguments, *arena_);
    const bool is_value = parsed.kind == Kind::kObject || parsed.kind == Kind::kArray;
    call.arguments = is_value ? parsed : arguments.present() ? arguments : kNullValue;
  }
  built.turn.call_count = built.turn.calls.size();
  built.turn.had_tool_calls = true;
}

/// A ShareGPT message that is a call: it joins the agent turn just before it, when that has none
/// (HF-04).
void Conversation::AddShareGptCall(const Message& message) {
  const bool joins =
      has_agent_ && last_agent_ + 1 == turns_.size() && turns_.back().turn.calls.empty();
  if (!joins) {
    NewTurn("agent", kEmptyText);
  }
  const size_t turn = turns_.size() - 1;
  const json::Raw content = message.Content();
  const json::Raw parsed = content.is_string() ? ParseText(content, *arena_) : content;
  if (parsed.kind == Kind::kArray) {
    size_t index = 0;
    for (RawElements calls(parsed); calls.Next(); ++index) {
      AddCall({}, FindMember(calls.value(), "name"), FindMember(calls.value(), "arguments"), index,
              turn);
    }
    if (index > 0) {
      return;
    }
  }
  if (parsed.kind == Kind::kObject && HasText(FindMember(parsed, "name"))) {
    AddCall({}, FindMember(parsed, "name"), FindMember(parsed, "arguments"), 0, turn);
  } else {
    AddCall({}, {}, content, 0, turn);
  }
}

void Conversation::AddResult(const Message& message) {
  const Text written = Decode(message.tool_call_id);
  if (written && !written->empty()) {
    const CallLedger::Match match = ledger_.TakeResult(*written);
    if (match.kind == CallLedger::Match::Kind::kOpen) {
      Built& built = turns_[match.place.turn];
      AppendResult(&built, built.turn.calls[match.place.call].id, {}, message);
      return;
    }
    members_.Note("unlinked_observation_result", "tool_call_id", *written);
    if (match.kind == CallLedger::Match::Kind::kAllAnswered) {
      AppendResult(&turns_[match.place.turn], {}, message.tool_call_id, message);
      return;
    }
  } else if (has_agent_ &&
             turns_[last_agent_].result_count < turns_[last_agent_].turn.calls.size()) {
    // One per open call, by position (HF-05).
    AppendResult(&turns_[last_agent_], {}, {}, message);
    return;
  }
  if (turns_.empty()) {
    NewTurn("system", kEmptyText);
  }
  AppendResult(&turns_.back(), {},
               written && !written->empty() ? message.tool_call_id : json::Raw(), message);
}

/// SRC-13: `{source_call_id, content, is_error?, extra?}`.
void Conversation::AppendResult(Built* built, std::string_view source_call_id,
                                const json::Raw& unlinked_id, const Message& message) {
  built->turn.had_observation = true;
  ++built->result_count;
  if (!wants(Field::kObservation)) {
    return;
  }
  ObjectComposer result(*arena_);
  if (!source_call_id.empty()) {
    result.Add("source_call_id", QuotedRaw(source_call_id, *arena_));
  }
  const json::Raw content = message.Content();
  result.Add("content", content.present() ? members_.ReadAny("content", content) : kNullValue);
  result.Add("is_error", message.is_error.kind == Kind::kBool ? message.is_error : json::Raw());
  if (unlinked_id.present()) {
    ObjectComposer extra(*arena_);
    extra.Add("source_call_id", unlinked_id);
    result.Add("extra", extra.Finish());
  }
  const json::Raw composed = result.Finish();
  built->results += built->results.empty() ? "" : ",";
  built->results += composed.text;
  built->flags = static_cast<uint8_t>(built->flags | composed.flags);
}

void Conversation::Finish() {
  uint64_t pending = 0;
  for (Built& built : turns_) {
    const size_t calls = built.turn.calls.size();
    pending += calls - std::min(calls, built.result_count);
    if (!built.results.empty()) {
      built.turn.observation =
          RawOf("{\"results\":[" + built.results + "]}", Kind::kObject, built.flags, *arena_);
    }
  }
  if (pending > 0) {
    members_.SetBase("");
    members_.Note("pending_call", "messages", std::to_string(pending));
  }
}

}  // namespace pchronicle::model::chat
