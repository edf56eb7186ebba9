#include "pchronicle/model/storyline/turn_reader.h"

#include <algorithm>
#include <utility>

namespace pchronicle::model::storyline {
namespace {

enum class Member : uint8_t {
  kId,
  kSource,
  kMessage,
  kKind,
  kTimestamp,
  kFinishedAt,
  kReason,
  kEffort,
  kToolCalls,
  kObservation,
  kMetrics,
  kModel,
  kLlmCalls,
  kCopied,
  kLatency,
  kTtft,
  kEnv,
  kPrompt,
  kExtra,
};

struct MemberInfo {
  std::string_view key;
  Member member;
  FieldMask needed_for;  // empty: always read
};

constexpr MemberInfo kMembers[] = {
    {"id", Member::kId, {}},
    {"src", Member::kSource, {}},
    {"msg", Member::kMessage, Field::kMessage},
    {"kind", Member::kKind, Field::kTurnKind},
    {"ts", Member::kTimestamp, Field::kTimestamp},
    {"finished_at", Member::kFinishedAt, Field::kTurnFinishedAt},
    {"reason", Member::kReason, Field::kReasoning},
    {"effort", Member::kEffort, Field::kEffort},
    {"tool_calls", Member::kToolCalls, {}},
    {"observation", Member::kObservation, Field::kObservation},
    {"metrics", Member::kMetrics, Field::kMetrics},
    {"model", Member::kModel, Field::kModel},
    {"nllm", Member::kLlmCalls, Field::kLlmCalls},
    {"copied", Member::kCopied, Field::kCopied | Field::kTurnPrompt},
    {"latency_ms", Member::kLatency, Field::kLatency},
    {"ttft_ms", Member::kTtft, Field::kLatency},
    {"env", Member::kEnv, Field::kEnv},
    {"prompt", Member::kPrompt, Field::kTurnPrompt},
    {"extra", Member::kExtra, Field::kTurnExtra},
};

const MemberInfo* FindMember(std::string_view key) {
  for (const MemberInfo& info : kMembers) {
    if (info.key == key) {
      return &info;
    }
  }
  return nullptr;
}

constexpr uint32_t Bit(Member member) { return 1U << static_cast<uint32_t>(member); }

constexpr WireMember kResponseMembers[] = {{"status", WireMember::Type::kText},
                                           {"exit_code", WireMember::Type::kInt}};

/// Exactly {"system":"","user":""}: an explicit clear (formats.md 2.7). The types are checked
/// already.
bool IsExplicitClear(const json::Raw& prompt) {
  json::Cursor cursor(prompt.text);
  int empty_strings = 0;
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    json::Raw value;
    cursor.Capture(&value);
    empty_strings += value.text == "\"\"" ? 1 : 0;
  }
  return empty_strings == 2;
}

}  // namespace

void TurnReader::BeginDocument(const MemberReader::Target& target) {
  MemberReader::Target mine = target;
  mine.arena = &arena_;
  members_.SetTarget(mine);
  call_members_.SetTarget(mine);
  next_ordinal_ = 0;
  turn_ids_.clear();
  call_ids_.clear();
  check_repeats_ = options_.strict || wants(Field::kDiagnostics);
}

Status TurnReader::Read(json::Cursor& cursor) {
  std::vector<ToolCall> calls = std::exchange(turn_.calls, {});
  calls.clear();
  turn_ = Turn();
  turn_.calls = std::move(calls);
  turn_.ordinal = next_ordinal_++;
  turn_.message = {"null", json::Kind::kNull, 0};
  arena_.Reset();
  seen_ = 0;
  prompt_has_value_ = false;
  members_.base() = fmt::format("/turns/{}", turn_.ordinal);
  Status status = ReadMembers(cursor);
  if (status.ok()) {
    status = Validate();
  }
  return status;
}

Status TurnReader::ReadMembers(json::Cursor& cursor) {
  if (cursor.Peek() != json::Kind::kObject) {
    PCHRONICLE_RETURN_IF_ERROR(cursor.status());
    const Status status = members_.Fail("", Status::InvalidArgument("must be an object"));
    error_pointer_ = members_.error_pointer();
    return status;
  }
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    const Status status = ReadMember(cursor, key);
    if (!status.ok()) {
      if (cursor.ok() && error_pointer_.empty()) {
        error_pointer_ = members_.error_pointer();
      }
      return status;
    }
  }
  return cursor.status();
}

Status TurnReader::ReadMember(json::Cursor& cursor, std::string_view key) {
  error_pointer_.clear();
  const MemberInfo* info = FindMember(key);
  if (info == nullptr) {
    return members_.UnknownField(key);
  }
  if ((seen_ & Bit(info->member)) != 0) {
    members_.Note("duplicate_key", info->key);
  }
  seen_ |= Bit(info->member);
  if (info->member == Member::kToolCalls) {
    return ReadCalls(cursor);
  }
  if (info->member == Member::kObservation) {
    turn_.had_observation = cursor.Peek() != json::Kind::kNull;
  }
  if (info->needed_for != FieldMask() && !options_.fields.has_any(info->needed_for)) {
    return cursor.Skip() ? Status::Ok() : cursor.status();
  }
  json::Raw raw;
  if (!cursor.Capture(&raw)) {
    return cursor.status();
  }
  switch (info->member) {
    case Member::kId: {
      std::optional<int64_t> id;
      PCHRONICLE_RETURN_IF_ERROR(members_.ReadInt("id", raw, &id));
      if (!id) {
        return members_.Fail("id", Status::InvalidArgument("must be an integer"));
      }
      turn_.id = *id;
      return Status::Ok();
    }
    case Member::kSource:
      return members_.ReadRequiredText("src", raw, &turn_.source);
    case Member::kMessage:
      members_.ReadAny("msg", raw);
      turn_.message = raw;
      return Status::Ok();
    case Member::kKind:
      return members_.ReadText("kind", raw, &turn_.kind);
    case Member::kTimestamp:
      return members_.ReadTimestamp("ts", raw, &turn_.timestamp);
    case Member::kFinishedAt:
      return members_.ReadTimestamp("finished_at", raw, &turn_.finished_at);
    case Member::kReason:
      return members_.ReadText("reason", raw, &turn_.reasoning);
    case Member::kEffort:
      turn_.effort = members_.ReadAny("effort", raw);
      return Status::Ok();
    case Member::kObservation:
      turn_.observation = members_.ReadAny("observation", raw);
      return Status::Ok();
    case Member::kMetrics:
      turn_.metrics = members_.ReadAny("metrics", raw);
      return Status::Ok();
    case Member::kModel:
      return members_.ReadText("model", raw, &turn_.model);
    case Member::kLlmCalls:
      return members_.ReadInt("nllm", raw, &turn_.llm_calls);
    case Member::kCopied:
      return members_.ReadBool("copied", raw, &turn_.copied);
    case Member::kLatency:
      return members_.ReadInt("latency_ms", raw, &turn_.latency_ms);
    case Member::kTtft:
      return members_.ReadInt("ttft_ms", raw, &turn_.ttft_ms);
    case Member::kEnv: {
      ObjectContent content;
      turn_.env = members_.ReadAny("env", raw);
      return members_.CheckObject("env", raw, kEnvMembers, false, &content);
    }
    case Member::kPrompt: {
      ObjectContent content;
      turn_.prompt = members_.ReadAny("prompt", raw);
      PCHRONICLE_RETURN_IF_ERROR(
          members_.CheckObject("prompt", raw, kPromptMembers, false, &content));
      prompt_has_value_ = content.has_value;
      return Status::Ok();
    }
    case Member::kExtra:
      turn_.extra = members_.ReadAny("extra", raw);
      return Status::Ok();
    case Member::kToolCalls:
      break;
  }
  return Status::Ok();
}

Status TurnReader::ReadCalls(json::Cursor& cursor) {
  turn_.calls.clear();
  turn_.call_count = 0;
  turn_.had_tool_calls = false;
  const json::Kind kind = cursor.Peek();
  if (kind == json::Kind::kNull) {
    return cursor.Skip() ? Status::Ok() : cursor.status();
  }
  if (kind != json::Kind::kArray) {
    PCHRONICLE_RETURN_IF_ERROR(cursor.status());
    return members_.Fail("tool_calls", Status::InvalidArgument("must be an array"));
  }
  turn_.had_tool_calls = true;
  cursor.BeginArray();
  while (cursor.NextElement()) {
    if (!wants(Field::kCalls)) {
      cursor.Skip();
    } else if (const Status status = ReadCall(cursor); !status.ok()) {
      error_pointer_ = call_members_.error_pointer();
      return status;
    }
    ++turn_.call_count;
  }
  return cursor.status();
}

Status TurnReader::ReadCall(json::Cursor& cursor) {
  call_members_.base() = fmt::format("/turns/{}/tool_calls/{}", turn_.ordinal, turn_.call_count);
  if (cursor.Peek() != json::Kind::kObject) {
    PCHRONICLE_RETURN_IF_ERROR(cursor.status());
    return call_members_.Fail("", Status::InvalidArgument("must be an object"));
  }
  ToolCall& call = turn_.calls.emplace_back();
  json::Raw id, function, arguments, result, duration, extra, kind, response;
  struct Slot {
    std::string_view key;
    json::Raw* raw;
    FieldMask needed_for;  // empty: always read
  };
  const Slot slots[] = {{"tcid", &id, {}},
                        {"fn", &function, {}},
                        {"args", &arguments, Field::kArguments},
                        {"result", &result, Field::kCallResult},
                        {"duration_ms", &duration, Field::kCallDuration},
                        {"extra", &extra, Field::kCallExtra},
                        {"kind", &kind, Field::kCallKind},
                        {"response", &response, Field::kCallResponse}};
  bool has_arguments = false;
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    const Slot* slot = std::find_if(std::begin(slots), std::end(slots),
                                    [&](const Slot& s) { return s.key == key; });
    if (slot == std::end(slots)) {
      return call_members_.UnknownField(key);
    }
    has_arguments = has_arguments || slot->raw == &arguments;
    if (slot->raw->present()) {
      call_members_.Note("duplicate_key", slot->key);
    }
    const bool wanted =
        slot->needed_for == FieldMask() || options_.fields.has_any(slot->needed_for);
    if (!(wanted ? cursor.Capture(slot->raw) : cursor.Skip())) {
      return cursor.status();
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(cursor.status());
  if (!has_arguments) {
    return call_members_.Fail("", Status::InvalidArgument("missing field 'args'"));
  }
  PCHRONICLE_RETURN_IF_ERROR(call_members_.ReadRequiredText("tcid", id, &call.id));
  PCHRONICLE_RETURN_IF_ERROR(call_members_.ReadRequiredText("fn", function, &call.function));
  PCHRONICLE_RETURN_IF_ERROR(call_members_.ReadInt("duration_ms", duration, &call.duration_ms));
  PCHRONICLE_RETURN_IF_ERROR(call_members_.ReadText("kind", kind, &call.kind));
  if (call.kind && call.kind->empty()) {
    call.kind.reset();
  }
  call_members_.ReadAny("args", arguments);
  call.arguments = arguments.present() ? arguments : json::Raw{"null", json::Kind::kNull, 0};
  call.result = call_members_.ReadAny("result", result);
  call.extra = call_members_.ReadAny("extra", extra);
  call.response = call_members_.ReadAny("response", response);
  ObjectContent content;
  return call_members_.CheckObject("response", response, kResponseMembers, false, &content);
}

// -- Validation, in the order of 2.10: src, prompt, duplicate id, then the calls --

Status TurnReader::Validate() {
  error_pointer_ = members_.base();
  constexpr std::pair<std::string_view, Member> kRequired[] = {
      {"id", Member::kId}, {"src", Member::kSource}, {"msg", Member::kMessage}};
  for (const auto& [key, member] : kRequired) {
    if ((seen_ & Bit(member)) == 0) {
      return members_.Fail("", Status::InvalidArgument("missing field '{}'", key));
    }
  }
  if (turn_.source.empty()) {
    return members_.FailAs("src", Status::InvalidArgument("turn id={} src is required", turn_.id));
  }
  PCHRONICLE_RETURN_IF_ERROR(ValidatePrompt());
  if (check_repeats_ && !turn_ids_.insert(turn_.id).second) {
    if (options_.strict) {
      return Status::InvalidArgument("duplicate turn id {}", turn_.id);
    }
    members_.Note("duplicate_step_id", "id", std::to_string(turn_.id));
  }
  for (size_t i = 0; i < turn_.calls.size(); ++i) {
    PCHRONICLE_RETURN_IF_ERROR(ValidateCall(i));
  }
  return Status::Ok();
}

Status TurnReader::ValidatePrompt() {
  if (!turn_.prompt.has_value()) {
    return Status::Ok();
  }
  if (turn_.copied.value_or(false)) {
    return Status::InvalidArgument("turn id={} copied context must not contain prompt", turn_.id);
  }
  if (!prompt_has_value_ && !IsExplicitClear(turn_.prompt)) {
    return Status::InvalidArgument(
        "turn id={} prompt must contain a non-empty system or user, or explicit empty system and "
        "user",
        turn_.id);
  }
  return Status::Ok();
}

Status TurnReader::ValidateCall(size_t index) {
  const ToolCall& call = turn_.calls[index];
  error_pointer_ = fmt::format("/turns/{}/tool_calls/{}", turn_.ordinal, index);
  if (call.id.empty()) {
    return Status::InvalidArgument("turn id={} tool_call_id must be non-empty", turn_.id);
  }
  if (call.function.empty()) {
    return Status::InvalidArgument("turn id={} function_name must be non-empty", turn_.id);
  }
  if (call.response.has_value()) {
    json::Cursor cursor(call.response.text);
    bool has_member = false;
    cursor.BeginObject();
    for (std::string_view key; cursor.NextKey(&key);) {
      has_member = has_member || cursor.Peek() != json::Kind::kNull;
      cursor.Skip();
    }
    if (!has_member) {
      return Status::InvalidArgument(
          "turn id={} tool_call response must contain status or exit_code", turn_.id);
    }
  }
  if (check_repeats_ && !call_ids_.emplace(call.id).second) {
    if (options_.strict) {
      return Status::InvalidArgument("duplicate tool_call_id {}", call.id);
    }
    call_members_.base() = error_pointer_;
    call_members_.Note("duplicate_tool_call_id", "tcid", call.id);
  }
  return Status::Ok();
}

}  // namespace pchronicle::model::storyline
