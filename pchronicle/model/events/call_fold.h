#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/model/diagnostics.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/events/record.h"
#include "pchronicle/model/events/wire.h"

namespace pchronicle::model::events {

/// What the records of one `call_id` say together (formats.md 7.4 steps 4 and 5). Feed in append
/// order.
class CallFold {
 public:
  CallFold(Arena& arena, Diagnostics& diagnostics) : arena_(arena), diagnostics_(diagnostics) {}

  void Add(const EventRecord& record);
  /// After the last record: raw stream frames stand in where no response has text.
  void Finish();

  Text user_text;
  Text assistant_text;
  Text model;
  json::Raw metrics;
  json::Raw request_messages;
  std::optional<int64_t> ttft_ms;
  std::optional<int64_t> latency_ms;
  Timestamp first_time;
  Timestamp request_time;
  Timestamp response_time;
  std::optional<uint64_t> request_seq;   // of the first request
  std::optional<uint64_t> response_seq;  // of the first response
  std::vector<WireCall> calls;
  std::vector<WireResult> results;  // that the requests carry back

 private:
  void AddRequest(const EventRecord& record);
  void AddResponse(const EventRecord& record);
  void AddCall(const WireCall& call);
  Text Choose(const json::Raw& payload, std::string_view summary_member, const Text& wire,
              const Text& typed, const Text& flat, std::string_view kind);

  Arena& arena_;
  Diagnostics& diagnostics_;
  std::string frames_;
};

}  // namespace pchronicle::model::events
