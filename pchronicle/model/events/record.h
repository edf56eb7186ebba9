#pragma once

#include <cstdint>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/result.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model::events {

/// One record of an event log (formats.md 7.1). Views into the record's text or the arena it was
/// parsed with.
struct EventRecord {
  uint64_t seq = 0;
  std::string_view source;
  std::string_view kind;
  json::Raw payload;
  Text event_id;
  Text run_id;
  Text attempt_id;
  Text storyline_id;
  Text turn_id;
  Text session_id;
  Text agent_id;
  Text call_id;
  Text trace_id;
  Text parent_call_id;
  /// The text of `timestamp` where it is present, else RFC 3339 made from `timestamp_unix_ms`.
  Timestamp timestamp;

  /// First non-empty of session_id, storyline_id, run_id: names the Storyline a record belongs to;
  /// empty when none has.
  std::string_view key() const;
};

enum class Role : uint8_t { kNone, kRequest, kResponse, kFrame, kLifecycle };
/// What the fold does with a kind (formats.md 7.3).
Role RoleOf(std::string_view kind);

/// Reads and validates one envelope. Unknown members are ignored. Errors (kInvalidArgument):
/// missing or blank `source` or `kind` (`event source is required`), a missing payload, a seq that
/// is no unsigned integer up to 2^63 - 1, `event timestamp conflict: ...`.
Result<EventRecord> ParseEvent(const json::Raw& record, Arena& arena);

}  // namespace pchronicle::model::events
