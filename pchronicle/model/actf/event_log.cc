#include "pchronicle/model/actf/event_log.h"

#include <utility>

#include "pchronicle/model/compose.h"
#include "pchronicle/model/raw_walk.h"
#include "pchronicle/model/text_is.h"

namespace pchronicle::model::actf {
namespace {

using json::Kind;

constexpr json::Raw kEpoch{R"("1970-01-01T00:00:00Z")", Kind::kString, 0};
constexpr json::Raw kEmptyText{R"("")", Kind::kString, 0};
constexpr json::Raw kEmptyObject{"{}", Kind::kObject, 0};

bool HasText(const json::Raw& raw) { return raw.is_string() && raw.text.size() > 2; }

json::Raw StringMember(const json::Raw& object, std::string_view name) {
  const json::Raw raw = FindMember(object, name);
  return raw.is_string() ? raw : json::Raw();
}

}  // namespace

void EventLog::Begin(Arena& arena, const MemberReader::Target& target, std::string pointer) {
  arena_ = &arena;
  members_.SetTarget(target);
  pointer_ = std::move(pointer);
  turns_.clear();
  calls_.clear();
  messages_ = 0;
  session_id_ = cwd_ = first_time_ = last_time_ = {};
  model_.reset();
}

Status EventLog::ReadEvent(json::Cursor& cursor, size_t index) {
  members_.SetBase(pointer_ + "/" + std::to_string(index));
  if (cursor.Peek() != Kind::kObject) {
    if (cursor.Skip()) {
      members_.SetBase(pointer_);
      members_.Note("bad_value", std::to_string(index));
    }
    return cursor.status();
  }
  json::Raw type;
  json::Raw id;
  json::Raw cwd;
  json::Raw model;
  json::Raw timestamp;
  json::Raw message;
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    json::Raw* slot = key == "type"        ? &type
                      : key == "id"        ? &id
                      : key == "cwd"       ? &cwd
                      : key == "modelId"   ? &model
                      : key == "timestamp" ? &timestamp
                      : key == "message"   ? &message
                                           : nullptr;
    if (!(slot != nullptr ? cursor.Capture(slot) : cursor.Skip())) {
      return cursor.status();
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(cursor.status());
  if (timestamp.has_value()) {
    last_time_ = Own(timestamp, *arena_);
    first_time_ = first_time_.present() ? first_time_ : last_time_;
  }
  if (TextIs(type, "session")) {
    session_id_ = HasText(id) ? Own(id, *arena_) : session_id_;
    cwd_ = HasText(cwd) ? Own(cwd, *arena_) : cwd_;
  } else if (TextIs(type, "model_change")) {
    model_ = HasText(model) ? Decode(model) : model_;
  } else if (TextIs(type, "message")) {
    ReadMessage(message, timestamp);
  }
  return Status::Ok();
}

/// Decoded characters that outlive the cursor's buffers.
Text EventLog::Decode(const json::Raw& raw) {
  return raw.is_string() ? Text(json::DecodeString(Own(raw, *arena_), *arena_)) : std::nullopt;
}

void EventLog::ReadMessage(const json::Raw& message, const json::Raw& timestamp) {
  const json::Raw role = StringMember(message, "role");
  const bool is_user = TextIs(role, "user");
  const bool is_assistant = TextIs(role, "assistant");
  if (!is_user && !is_assistant && !TextIs(role, "toolResult")) {
    return;
  }
  ++messages_;
  const json::Raw content = FindMember(message, "content");
  json::Raw text = JoinTexts(content, "text", "text");
  if (!is_user && !is_assistant && Fold(message, text)) {
    return;
  }
  HeldTurn held;
  Turn& turn = held.turn;
  turn.id = messages_;
  turn.ordinal = static_cast<int64_t>(turns_.size());
  turn.source = is_user ? "user" : "agent";
  turn.message = text.present() ? text : kEmptyText;
  if (wants(Field::kTimestamp)) {
    turn.timestamp = members_.ReadTimestamp("timestamp", Own(timestamp, *arena_));
  }
  if (is_assistant) {
    turn.llm_calls = 1;
    AddAssistantParts(content, &held);
    if (wants(Field::kMetrics)) {
      turn.metrics = Own(members_.ReadAny("message", FindMember(message, "usage")), *arena_);
    }
  }
  if (is_user || is_assistant) {
    turn.model = wants(Field::kModel) ? Decode(StringMember(message, "model")) : std::nullopt;
  } else {
    AddResult(message, &held);
  }
  turns_.push_back(std::move(held));
}

/// Texts of the parts of one type joined by a line feed, as they stand in the source; a string
/// content is the text itself. Absent when there is none.
json::Raw EventLog::JoinTexts(const json::Raw& content, std::string_view type,
                              std::string_view member) {
  if (content.is_string()) {
    return type == "text" ? Own(content, *arena_) : json::Raw();
  }
  std::string joined;
  size_t count = 0;
  for (RawElements parts(content); parts.Next();) {
    const json::Raw text = StringMember(parts.value(), member);
    if (!text.present() || !TextIs(FindMember(parts.value(), "type"), type)) {
      continue;
    }
    joined += count++ == 0 ? "\"" : "\\n";
    joined += text.text.substr(1, text.text.size() - 2);
  }
  if (count == 0) {
    return {};
  }
  joined += '"';
  return RawOf(joined, Kind::kString,
               static_cast<uint8_t>(CellFlags(content) | (count > 1 ? json::kHasEscapes : 0)),
               *arena_);
}

void EventLog::AddAssistantParts(const json::Raw& content, HeldTurn* held) {
  Turn& turn = held->turn;
  if (wants(Field::kReasoning)) {
    const json::Raw thinking = JoinTexts(content, "thinking", "thinking");
    turn.reasoning = HasText(thinking) ? Decode(thinking) : std::nullopt;
  }
  for (RawElements parts(content); parts.Next();) {
    if (TextIs(FindMember(parts.value(), "type"), "toolCall")) {
      AddCall(parts.value(), held);
    }
  }
  turn.call_count = turn.calls.size();
  turn.had_tool_calls = turn.call_count > 0;
  if (turn.had_tool_calls) {
    turn.kind = "autonomous";
  }
}

void EventLog::AddCall(const json::Raw& part, HeldTurn* held) {
  const Text id = Decode(FindMember(part, "id"));
  const Text name = Decode(FindMember(part, "name"));
  if (!id || id->empty() || !name || name->empty()) {
    return;
  }
  ToolCall& call = held->turn.calls.emplace_back();
  call.id = *id;
  call.function = *name;
  call.kind = "function";
  if (wants(Field::kArguments)) {
    const json::Raw arguments = FindMember(part, "arguments");
    call.arguments = arguments.has_value() ? Own(arguments, *arena_) : kEmptyObject;
  }
  const CallPlace place{turns_.size(), held->turn.calls.size() - 1};
  if (!calls_.insert_or_assign(call.id, place).second) {
    members_.Note("duplicate_tool_call_id", "message", call.id);
  }
}

/// A result of a call that an earlier turn made goes there.
bool EventLog::Fold(const json::Raw& message, const json::Raw& text) {
  const json::Raw id = StringMember(message, "toolCallId");
  const Text decoded = Decode(id);
  const auto found = decoded ? calls_.find(*decoded) : calls_.end();
  if (found == calls_.end()) {
    return false;
  }
  HeldTurn& held = turns_[found->second.turn];
  ToolCall& call = held.turn.calls[found->second.call];
  const json::Raw details = FindMember(message, "details");
  const json::Raw status = StringMember(details, "status");
  const json::Raw exit_code = FindMember(details, "exitCode");
  const std::optional<int64_t> duration = MillisecondsOf(FindMember(details, "durationMs"));
  int64_t code = 0;
  const bool has_code = json::ToInt64(exit_code, &code);
  held.turn.had_observation = true;
  if (wants(Field::kCallResult)) {
    call.result = text.present() ? text : kEmptyText;
  }
  call.duration_ms = duration ? duration : call.duration_ms;
  if (wants(Field::kCallResponse)) {
    ObjectComposer response(*arena_);
    response.Add("status", HasText(status) ? status : json::Raw());
    response.Add("exit_code", has_code ? exit_code : json::Raw());
    call.response = response.empty() ? call.response : response.Finish();
  }
  if (wants(Field::kObservation)) {
    ObjectComposer result(*arena_);
    result.Add("content", text.present() ? text : kEmptyText);
    result.Add("tool_use_id", id);
    result.Add("source_call_id", id);
    result.Add("name", StringMember(message, "toolName"));
    result.Add("status", HasText(status) ? status : json::Raw());
    result.Add("exit_code", has_code ? exit_code : json::Raw());
    if (duration) {
      result.AddText("duration_ms", std::to_string(*duration));
    }
    const json::Raw aggregated = StringMember(details, "aggregated");
    result.Add("aggregated_output",
               aggregated.present() ? aggregated : StringMember(details, "aggregatedOutput"));
    const json::Raw composed = result.Finish();
    held.results += held.results.empty() ? "" : ",";
    held.results += composed.text;
    held.flags = static_cast<uint8_t>(held.flags | composed.flags);
  }
  return true;
}

/// A result that no call asked for stays as a turn of its own.
void EventLog::AddResult(const json::Raw& message, HeldTurn* unmatched) {
  if (!wants(Field::kTurnExtra)) {
    return;
  }
  ObjectComposer extra(*arena_);
  extra.AddText("openclaw_role", "\"toolResult\"");
  extra.Add("toolCallId", FindMember(message, "toolCallId"));
  extra.Add("toolName", FindMember(message, "toolName"));
  unmatched->turn.extra = extra.Finish();
}

void EventLog::Finish() {
  for (HeldTurn& held : turns_) {
    if (!held.results.empty()) {
      held.turn.observation =
          RawOf("{\"results\":[" + held.results + "]}", Kind::kObject, held.flags, *arena_);
      held.results.clear();
    }
  }
}

json::Raw EventLog::Env() const {
  ObjectComposer env(*arena_);
  env.Add("id", session_id_);
  if (cwd_.present()) {
    ObjectComposer state(*arena_);
    state.Add("cwd", cwd_);
    env.Add("state", state.Finish());
  }
  return env.FinishOrAbsent();
}

Timestamp EventLog::started_at() {
  members_.SetBase(pointer_);
  return members_.ReadTimestamp("0", first_time_.present() ? first_time_ : kEpoch);
}

Timestamp EventLog::finished_at() {
  members_.SetBase(pointer_);
  return members_.ReadTimestamp("0", last_time_.present() ? last_time_ : kEpoch);
}

}  // namespace pchronicle::model::actf
