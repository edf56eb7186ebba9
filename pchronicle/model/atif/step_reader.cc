#include "pchronicle/model/atif/step_reader.h"

#include <cmath>
#include <utility>

#include "pchronicle/model/compose.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::atif {
namespace {

Member MemberOf(std::string_view key) {
  // Switch on the length first: one comparison a key.
  switch (key.size()) {
    case 5:
      return key == "extra" ? Member::kExtra : Member::kUnknown;
    case 6:
      return key == "source" ? Member::kSource : Member::kUnknown;
    case 7:
      return key == "message"   ? Member::kMessage
             : key == "step_id" ? Member::kStepId
             : key == "metrics" ? Member::kMetrics
                                : Member::kUnknown;
    case 9:
      return key == "timestamp" ? Member::kTimestamp : Member::kUnknown;
    case 10:
      return key == "model_name"   ? Member::kModelName
             : key == "tool_calls" ? Member::kToolCalls
                                   : Member::kUnknown;
    case 11:
      return key == "observation" ? Member::kObservation : Member::kUnknown;
    case 14:
      return key == "llm_call_count" ? Member::kLlmCallCount : Member::kUnknown;
    case 16:
      return key == "reasoning_effort" ? Member::kReasoningEffort : Member::kUnknown;
    case 17:
      return key == "reasoning_content"   ? Member::kReasoningContent
             : key == "is_copied_context" ? Member::kIsCopiedContext
                                          : Member::kUnknown;
    default:
      return Member::kUnknown;
  }
}

/// Fields that ask for a member; `source` is always read.
FieldMask FieldsThatNeed(Member member) {
  switch (member) {
    case Member::kTimestamp:
      return Field::kTimestamp;
    case Member::kMessage:
      return Field::kMessage;
    case Member::kModelName:
      return Field::kModel;
    case Member::kReasoningContent:
      return Field::kReasoning;
    case Member::kReasoningEffort:
      return Field::kEffort;
    case Member::kMetrics:
      return Field::kMetrics | Field::kLatency;
    case Member::kLlmCallCount:
      return Field::kLlmCalls;
    case Member::kIsCopiedContext:
      return Field::kCopied;
    case Member::kExtra:
      return Field::kTurnExtra;
    default:
      return Field::kUnknown;
  }
}

/// Milliseconds of a lift (formats.md 1.2): an integer as is, another number truncated toward zero.
std::optional<int64_t> Milliseconds(const json::Raw& raw) {
  int64_t integer = 0;
  if (json::ToInt64(raw, &integer)) {
    return integer;
  }
  double number = 0;
  if (json::ToDouble(raw, &number) && std::abs(number) < 9.2e18) {
    return static_cast<int64_t>(number);
  }
  return std::nullopt;
}

void ResetTurn(Turn& turn, int64_t ordinal) {
  std::vector<ToolCall> calls = std::move(turn.calls);
  calls.clear();
  turn = Turn();
  turn.calls = std::move(calls);
  turn.ordinal = ordinal;
  turn.message.kind = json::Kind::kNull;
  turn.message.text = "null";
}

}  // namespace

Status StepReader::Invalid(std::string_view member, uint64_t offset, Status status) {
  error_offset_ = offset;
  error_pointer_ = members_.base();
  if (!member.empty()) {
    error_pointer_ += "/";
    error_pointer_ += member;
  }
  return status;
}

Status StepReader::Read(json::Cursor& cursor, DocumentState& state) {
  ResetTurn(turn_, state.next_ordinal);
  arena_.Reset();
  has_step_id_ = false;
  seen_ = 0;
  std::string& base = members_.base();
  base.assign(state.document.pointer);
  base += "/steps/";
  base += std::to_string(turn_.ordinal);
  MemberReader::Target target{&state.document, wants(Field::kUnknown) ? &state.residuals : nullptr,
                              &arena_, state.muted ? nullptr : &sink_};
  members_.SetTarget(target);
  calls_.SetTarget(target);

  const bool is_object = cursor.Peek() == json::Kind::kObject;
  const uint64_t start = cursor.offset();
  if (!is_object) {
    PCHRONICLE_RETURN_IF_ERROR(cursor.status());
    return Invalid("", start, Status::InvalidArgument("a step must be an object"));
  }
  PCHRONICLE_RETURN_IF_ERROR(ReadMembers(cursor, state));
  if (!has_step_id_) {
    return Invalid("step_id", start, Status::InvalidArgument("step_id is required"));
  }
  if (!Seen(Member::kSource)) {
    return Invalid("source", start, Status::InvalidArgument("source is required"));
  }
  if (!Seen(Member::kMessage)) {
    if (options_.strict) {
      return Invalid("message", start, Status::InvalidArgument("message is required"));
    }
    if (wants(Field::kMessage)) {
      members_.Note("missing_message", "message");
    }
  }
  Status repeats;
  CheckRepeats(state, &repeats);
  if (!repeats.ok()) {
    return Invalid("step_id", start, std::move(repeats));
  }
  DeriveKind();
  return Status::Ok();
}

Status StepReader::ReadMembers(json::Cursor& cursor, DocumentState& state) {
  if (!cursor.BeginObject()) {
    return cursor.status();
  }
  for (std::string_view key; cursor.NextKey(&key);) {
    PCHRONICLE_RETURN_IF_ERROR(ReadMember(cursor, state, key));
  }
  return cursor.status();
}

Status StepReader::ReadMember(json::Cursor& cursor, DocumentState& state, std::string_view key) {
  const Member member = MemberOf(key);
  if (member != Member::kUnknown) {
    const uint32_t bit = 1U << static_cast<uint32_t>(member);
    if ((seen_ & bit) != 0) {
      members_.Note("duplicate_key", key);
    }
    seen_ |= bit;
  }
  switch (member) {
    case Member::kStepId:
      return ReadStepId(cursor);
    case Member::kToolCalls:
      return ReadCalls(cursor, state);
    case Member::kObservation:
      return ReadObservation(cursor);
    default:
      break;
  }
  if (member != Member::kSource && !options_.fields.has_any(FieldsThatNeed(member))) {
    return cursor.Skip() ? Status::Ok() : cursor.status();
  }
  json::Raw raw;
  if (member == Member::kUnknown) {
    const std::string name(key);  // the key's bytes may be gone after the value was read
    if (!cursor.Capture(&raw)) {
      return cursor.status();
    }
    members_.Unknown(name, raw);
    return Status::Ok();
  }
  const uint64_t at = cursor.offset();
  return cursor.Capture(&raw) ? Store(member, raw, at) : cursor.status();
}

/// Puts a captured member into the turn.
Status StepReader::Store(Member member, const json::Raw& raw, uint64_t at) {
  switch (member) {
    case Member::kSource:
      if (!raw.is_string() || raw.text.size() == 2) {
        return Invalid("source", at, Status::InvalidArgument("source must be a non-empty string"));
      }
      turn_.source = *members_.ReadText("source", raw);
      break;
    case Member::kTimestamp:
      turn_.timestamp = members_.ReadTimestamp("timestamp", raw);
      if (options_.strict_timestamps && turn_.timestamp.scalar.present() &&
          !turn_.timestamp.nanoseconds) {
        return Invalid(
            "timestamp", at,
            Status::InvalidArgument("timestamp must be an RFC3339 string or Unix-seconds number"));
      }
      break;
    case Member::kMessage:
      members_.ReadAny("message", raw);
      turn_.message = raw;
      break;
    case Member::kModelName:
      turn_.model = members_.ReadText("model_name", raw);
      break;
    case Member::kReasoningContent:
      turn_.reasoning = members_.ReadText("reasoning_content", raw);
      break;
    case Member::kReasoningEffort:
      turn_.effort = members_.ReadAny("reasoning_effort", raw);
      break;
    case Member::kMetrics:
      turn_.metrics = members_.ReadAny("metrics", raw);
      if (wants(Field::kLatency)) {
        LiftFromMetrics();
      }
      break;
    case Member::kLlmCallCount:
      turn_.llm_calls = members_.ReadInt("llm_call_count", raw);
      break;
    case Member::kIsCopiedContext:
      turn_.copied = members_.ReadBool("is_copied_context", raw);
      break;
    case Member::kExtra:
      turn_.extra = members_.ReadAny("extra", raw);
      break;
    default:
      break;
  }
  return Status::Ok();
}

Status StepReader::ReadStepId(json::Cursor& cursor) {
  cursor.Peek();
  const uint64_t at = cursor.offset();
  json::Raw raw;
  if (!cursor.Capture(&raw)) {
    return cursor.status();
  }
  const std::optional<int64_t> id =
      raw.has_value() ? members_.ReadInt("step_id", raw) : std::nullopt;
  if (!id) {
    return Invalid(
        "step_id", at,
        Status::InvalidArgument("step_id must be an integer, got {}", raw.text.substr(0, 40)));
  }
  if (options_.strict && *id < 1) {
    return Invalid("step_id", at,
                   Status::InvalidArgument("step_id must start from 1, got {}", *id));
  }
  turn_.id = *id;
  has_step_id_ = true;
  return Status::Ok();
}

Status StepReader::ReadCalls(json::Cursor& cursor, DocumentState& state) {
  turn_.calls.clear();
  turn_.call_count = 0;
  turn_.had_tool_calls = false;
  if (cursor.Peek() != json::Kind::kArray) {
    json::Raw raw;
    if (!cursor.Capture(&raw)) {
      return cursor.status();
    }
    if (raw.has_value()) {
      members_.Bad("tool_calls", raw);
    }
    return Status::Ok();
  }
  turn_.had_tool_calls = true;
  if (!cursor.BeginArray()) {
    return cursor.status();
  }
  const bool read = wants(Field::kCalls) || wants(Field::kUnknown);
  while (cursor.NextElement()) {
    if (read) {
      Status status =
          calls_.Read(cursor, state, members_.base(), turn_.call_count, turn_.calls.emplace_back());
      if (!status.ok()) {
        return cursor.ok()
                   ? Invalid(calls_.error_member(), calls_.error_offset(), std::move(status))
                   : status;
      }
    } else if (!cursor.Skip()) {
      return cursor.status();
    }
    ++turn_.call_count;
  }
  return cursor.status();
}

Status StepReader::ReadObservation(json::Cursor& cursor) {
  const json::Kind kind = cursor.Peek();
  turn_.had_observation = kind != json::Kind::kNull;
  if (!wants(Field::kObservation) && !wants(Field::kUnknown) && !options_.strict &&
      !wants(Field::kDiagnostics)) {
    return cursor.Skip() ? Status::Ok() : cursor.status();
  }
  const uint64_t at = cursor.offset();
  json::Raw raw;
  if (!cursor.Capture(&raw)) {
    return cursor.status();
  }
  turn_.observation = members_.ReadAny("observation", raw);
  if (!raw.has_value()) {
    return Status::Ok();
  }
  // The hub keeps {"results": [...]} and records other members as residuals; any other shape stays
  // as it is.
  json::Raw results;
  bool has_others = false;
  for (RawMembers member(raw); member.Next();) {
    if (member.KeyIs("results")) {
      results = member.value();
    } else {
      has_others = true;
    }
  }
  if (results.kind != json::Kind::kArray) {
    if (options_.strict) {
      return Invalid("observation", at,
                     Status::InvalidArgument("observation.results must be an array"));
    }
    members_.Note("bad_observation", "observation", raw.text.substr(0, 80));
    return Status::Ok();
  }
  if (has_others) {
    KeepResultsOnly(raw, results);
  }
  return Status::Ok();
}

void StepReader::KeepResultsOnly(const json::Raw& observation, const json::Raw& results) {
  MemberReader members = members_;
  members.base() += "/observation";
  for (RawMembers member(observation); member.Next();) {
    if (!member.KeyIs("results")) {
      members.Unknown(
          json::DecodeString({member.quoted_key(), json::Kind::kString, observation.flags}, arena_),
          member.value());
    }
  }
  ObjectComposer kept(arena_);
  kept.Add("results", results);
  turn_.observation = kept.Finish();
}

void StepReader::LiftFromMetrics() {
  turn_.latency_ms.reset();
  turn_.ttft_ms.reset();
  if (turn_.metrics.kind != json::Kind::kObject) {
    return;
  }
  // The first key present decides, in this order; a value that is no number gives no lift
  // (formats.md 3.5).
  constexpr std::string_view kLatencyKeys[] = {"latency_ms", "elapsed_ms", "duration_ms"};
  json::Raw latency[3];
  for (RawMembers member(turn_.metrics); member.Next();) {
    if (member.KeyIs("ttft_ms")) {
      turn_.ttft_ms = Milliseconds(member.value());
    }
    for (size_t place = 0; place < 3; ++place) {
      if (member.KeyIs(kLatencyKeys[place])) {
        latency[place] = member.value();
      }
    }
  }
  for (const json::Raw& candidate : latency) {
    if (candidate.present()) {
      turn_.latency_ms = Milliseconds(candidate);
      return;
    }
  }
}

void StepReader::CheckRepeats(DocumentState& state, Status* status) {
  if (!options_.strict && !wants(Field::kDiagnostics)) {
    return;
  }
  if (!state.step_ids.insert(turn_.id).second) {
    if (options_.strict) {
      *status = Status::InvalidArgument("duplicate step_id {}", turn_.id);
      return;
    }
    members_.Note("duplicate_step_id", "step_id", std::to_string(turn_.id));
  } else if (turn_.id < 1) {
    members_.Note("non_monotonic_step_id", "step_id", std::to_string(turn_.id));
  }
}

void StepReader::DeriveKind() {
  if (turn_.source == "agent") {
    if (turn_.call_count > 0) {
      turn_.kind = "autonomous";
    }
  } else if (turn_.source != "user" && turn_.source != "system") {
    turn_.kind = "dialogue";
  }
}

}  // namespace pchronicle::model::atif
