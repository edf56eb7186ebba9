#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/openai/row_loader.h"

namespace pchronicle::model::openai {

/// What a row says beside its messages (formats.md 4.7). All text lives as long as the session.
struct RowFacts {
  Text model;
  Timestamp created_at;
  json::Raw metrics;
  std::optional<int64_t> latency_ms;
  std::optional<int64_t> ttft_ms;
  json::Raw env;
  json::Raw meta;       // decoded `meta_json`; absent: none, or not to be decoded
  json::Raw env_state;  // decoded `meta_json.env_state`, the like
};

/// Gathers run-wide facts of one session over its rows in step order: agent, environment, final
/// metrics.
class SessionFacts {
 public:
  void Reset(Arena* arena);
  /// `has_response`: the row makes a response turn, the only place for its metrics and environment.
  Status Read(LoadedRow& row, bool has_response, MemberReader& reader, RowFacts* facts);

  /// Known once a row names it (agent_id), else the first `meta_json.source`, else the first model.
  std::string_view agent_id() const;
  /// The first non-empty `agent_id` so far.
  Text stated_agent_id() const { return agent_id_; }
  Text model() const { return model_; }
  /// `{"env":{...}}`, absent when the session has none.
  json::Raw Task();
  /// Metrics of the last response turn.
  const json::Raw& final_metrics() const { return final_metrics_; }

 private:
  enum Slot : uint8_t {
    kName,
    kEndpoint,
    kDatasetType,
    kDt,
    kGroupId,
    kRedactionPolicy,
    kUpstreamBaseUrl,
    kWeightVersion,
  };
  static constexpr size_t kSlotCount = kWeightVersion + 1;
  static constexpr std::array<std::string_view, kSlotCount> kSlotNames = {
      "name",     "endpoint",         "dataset_type",      "dt",
      "group_id", "redaction_policy", "upstream_base_url", "weight_version"};
  using Slots = std::array<json::Raw, kSlotCount>;

  void Offer(Slot slot, const json::Raw& value, Slots* differs);
  json::Raw Env(const Slots& slots, const json::Raw& id, const json::Raw& event_type,
                const json::Raw& request_id);
  Status ReadMeta(LoadedRow& row, RowFacts* facts);
  Status ReadMetrics(LoadedRow& row, RowFacts* facts);

  Arena* arena_ = nullptr;
  Text agent_id_;
  Text source_;
  Text model_;
  Slots stable_;
  json::Raw final_metrics_;
};

/// Milliseconds of a number (formats.md 1.2): integers as they are, others cut towards zero.
std::optional<int64_t> Milliseconds(const json::Raw& value);

/// A string with characters in it.
bool IsNonEmptyText(const json::Raw& raw);

}  // namespace pchronicle::model::openai
