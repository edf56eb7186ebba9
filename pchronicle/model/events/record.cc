#include "pchronicle/model/events/record.h"

#include <utility>

#include "pchronicle/base/timestamp.h"
#include "pchronicle/model/compose.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::events {
namespace {

constexpr int64_t kNanosecondsPerMillisecond = 1'000'000;

/// Milliseconds rounded toward minus infinity, as both ways of writing an instant must agree on
/// them.
int64_t FloorMilliseconds(int64_t nanoseconds) {
  const int64_t quotient = nanoseconds / kNanosecondsPerMillisecond;
  return nanoseconds % kNanosecondsPerMillisecond < 0 ? quotient - 1 : quotient;
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// `2026-08-20T01:02:03.500Z`: always three fraction digits.
std::string MillisecondText(int64_t milliseconds) {
  std::string text = FormatTimestamp(milliseconds * kNanosecondsPerMillisecond);
  if (text.find('.') == std::string::npos) {
    text.insert(text.size() - 1, ".000");
  }
  return text;
}

Status ReadTimestamp(const json::Raw& text, const json::Raw& unix_ms, Arena& arena,
                     Timestamp* out) {
  int64_t milliseconds = 0;
  if (unix_ms.has_value() && (!json::ToInt64(unix_ms, &milliseconds) || milliseconds < 0 ||
                              milliseconds > INT64_MAX / kNanosecondsPerMillisecond)) {
    return Status::InvalidArgument("event timestamp_unix_ms must be an unsigned integer, got {}",
                                   unix_ms.text.substr(0, 40));
  }
  if (!text.has_value()) {
    if (unix_ms.has_value()) {
      *out = {QuotedRaw(MillisecondText(milliseconds), arena),
              milliseconds * kNanosecondsPerMillisecond};
    }
    return Status::Ok();
  }
  if (!text.is_string()) {
    return Status::InvalidArgument("event timestamp must be an RFC3339 string");
  }
  const std::string_view characters = json::DecodeString(text, arena);
  PCHRONICLE_ASSIGN_OR_RETURN(const Instant instant, ParseTimestampText(characters));
  if (unix_ms.has_value() && FloorMilliseconds(instant.nanoseconds) != milliseconds) {
    return Status::InvalidArgument(
        "event timestamp conflict: timestamp_unix_ms={}, RFC3339 timestamp={}", milliseconds,
        characters);
  }
  *out = {text, instant.nanoseconds};
  return Status::Ok();
}

}  // namespace

std::string_view EventRecord::key() const {
  for (const Text* candidate : {&session_id, &storyline_id, &run_id}) {
    if (*candidate && !(*candidate)->empty()) {
      return **candidate;
    }
  }
  return {};
}

Role RoleOf(std::string_view kind) {
  if (kind == "http.request" || kind == "llm.request") {
    return Role::kRequest;
  }
  if (kind == "http.response" || kind == "http.response.stream" || kind == "llm.response" ||
      kind == "llm.response.stream") {
    return Role::kResponse;
  }
  if (kind == "http.stream.frame") {
    return Role::kFrame;
  }
  return kind == "note" || kind.starts_with("session.") ? Role::kLifecycle : Role::kNone;
}

Result<EventRecord> ParseEvent(const json::Raw& record, Arena& arena) {
  if (record.kind != json::Kind::kObject) {
    return Status::InvalidArgument("an event record must be an object");
  }
  EventRecord event;
  const std::pair<std::string_view, Text*> optional_texts[] = {
      {"event_id", &event.event_id},     {"run_id", &event.run_id},
      {"attempt_id", &event.attempt_id}, {"storyline_id", &event.storyline_id},
      {"turn_id", &event.turn_id},       {"session_id", &event.session_id},
      {"agent_id", &event.agent_id},     {"call_id", &event.call_id},
      {"trace_id", &event.trace_id},     {"parent_call_id", &event.parent_call_id}};
  json::Raw source;
  json::Raw kind;
  json::Raw seq;
  json::Raw text;
  json::Raw unix_ms;
  const std::pair<std::string_view, json::Raw*> others[] = {
      {"source", &source},         {"kind", &kind},      {"seq", &seq},
      {"payload", &event.payload}, {"timestamp", &text}, {"timestamp_unix_ms", &unix_ms}};
  for (RawMembers member(record); member.Next();) {
    for (const auto& [name, slot] : others) {
      if (member.KeyIs(name)) {
        *slot = member.value();
      }
    }
    for (const auto& [name, slot] : optional_texts) {
      if (!member.KeyIs(name)) {
        continue;
      }
      if (member.value().has_value() && !member.value().is_string()) {
        return Status::InvalidArgument("event {} must be a string", name);
      }
      *slot = member.value().is_string() ? Text(json::DecodeString(member.value(), arena))
                                         : std::nullopt;
    }
  }
  event.source = source.is_string() ? json::DecodeString(source, arena) : std::string_view();
  event.kind = kind.is_string() ? json::DecodeString(kind, arena) : std::string_view();
  if (IsBlank(event.source)) {
    return Status::InvalidArgument("event source is required");
  }
  if (IsBlank(event.kind)) {
    return Status::InvalidArgument("event kind is required");
  }
  int64_t number = 0;
  if (!json::ToInt64(seq, &number) || number < 0) {
    return Status::InvalidArgument("event seq must be an unsigned integer below 2^63");
  }
  event.seq = static_cast<uint64_t>(number);
  if (!event.payload.present()) {
    return Status::InvalidArgument("event payload is required");
  }
  PCHRONICLE_RETURN_IF_ERROR(ReadTimestamp(text, unix_ms, arena, &event.timestamp));
  return event;
}

}  // namespace pchronicle::model::events
