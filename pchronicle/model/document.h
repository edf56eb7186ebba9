#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model {

using Text = std::optional<std::string_view>;  // decoded characters, absent = null

/// A timestamp as formats.md 1.6: the scalar as written and the instant it names.
struct Timestamp {
  json::Raw scalar;  // string or number as written, absent when there is none
  std::optional<int64_t>
      nanoseconds;  // since the Unix epoch, UTC; absent when it could not be parsed
};

/// One tool call of a turn (formats.md 2.8). Views; see Turn.
struct ToolCall {
  std::string_view id;
  std::string_view function;
  json::Raw arguments;
  json::Raw result;  // inline result; has_value() or absent
  json::Raw extra;
  json::Raw response;  // {status?, exit_code?}
  Text kind;
  std::optional<int64_t> duration_ms;
  std::optional<bool> is_error;  // boolean member `is_error` of the call, with
                                 // Field::kCallResponse; in the hub a residual
};

/// One turn of a Storyline (formats.md 2.8). A walker hands out turns whose views are valid during
/// the callback and whose members outside the wanted fields are absent; a Storyline owns what its
/// turns point to. The names are the hub's.
struct Turn {
  int64_t ordinal = 0;  // array position in its document, from 0
  int64_t id = 0;
  std::string_view source;
  Text kind;  // as written; see EffectiveKind
  Timestamp timestamp;
  Timestamp finished_at;
  json::Raw message;  // kNull when null or missing
  Text reasoning;
  json::Raw effort;
  json::Raw metrics;
  Text model;
  std::optional<int64_t> llm_calls;
  std::optional<bool> copied;
  std::optional<int64_t> latency_ms;
  std::optional<int64_t> ttft_ms;
  bool had_tool_calls = false;  // member present, also when empty
  bool had_observation = false;
  json::Raw observation;
  json::Raw extra;
  json::Raw env;
  json::Raw prompt;
  std::vector<ToolCall> calls;
  /// Number of calls, known also when `calls` was not asked for.
  size_t call_count = 0;
};

/// Kind by formats.md 2.8: as written, else by source and calls.
std::string_view EffectiveKind(const Turn& turn);

struct Parent {
  std::string_view document_id;    // psid
  Text call_id;                    // scid
  std::optional<int64_t> turn_id;  // ptid
  std::string_view relation = "spawn";
};

/// One residual: a source member without a place in the hub (formats.md 2.9).
struct UnknownField {
  std::string_view pointer;
  json::Raw value;
};
struct UnknownSource {
  std::string_view format;
  std::string_view source_document_id;
  std::vector<UnknownField> fields;
};

/// What a Harbor trial says about its run beside the trajectory (sources.md HAR-04 to HAR-06);
/// never in the document itself.
struct SidecarOutcome {
  std::optional<bool> success;
  std::optional<double> score;
  Text outcome_source;  // `result.json:/verifier_result/rewards/reward`
  Text error_kind;
  Text error_message;
  bool has_exception = false;
  bool has_reward = false;
  std::optional<int64_t>
      prompt_tokens;  // reported totals, used when the document has no final_metrics
  std::optional<int64_t> completion_tokens;
  std::optional<int64_t> cached_tokens;
  std::optional<double> cost_usd;
};

/// Everything of a Storyline but its turns. Views live as long as the arena they came from: the
/// walker's (until the end of the record) or the owning Storyline's.
struct Document {
  std::string_view document_id;  // with the suffix of D8, if it got one
  std::string_view session_id;
  Text trajectory_id;  // as the producer wrote it
  Text run_id;
  Text attempt_id;
  int64_t ordinal =
      0;  // storage_ordinal: number of the document in its source, by where its object opens
  int depth = 0;  // 0 for a record's root, 1 for its embedded children...

  std::string_view agent_id;
  Text agent_name;
  Text agent_version;
  Text agent_model;
  json::Raw agent_tools;
  json::Raw agent_extra;

  Text origin_format;
  Text origin_schema_version;
  Text origin_document_id;

  std::optional<Parent> parent;
  std::optional<std::vector<std::string_view>> children;  // document ids
  Text notes;
  json::Raw task;
  json::Raw prompt;
  Timestamp started_at;
  Timestamp finished_at;
  json::Raw final_metrics;
  Text continued_ref;
  json::Raw extra;
  json::Raw meta;
  std::vector<UnknownSource> unknown;

  /// JSON pointer of this document's object in its source record, for messages and outcome_source:
  /// "" for a root.
  std::string_view pointer;
  /// Where the turns stand below `pointer` and the name of a turn's metrics, for pointers to a
  /// turn's members: turn i's metrics stand at pointer + turns_member + "/i/" + metrics_member
  /// (`/turns`, `/trajectory/steps` with `metric`...).
  std::string_view turns_member = "/steps";
  std::string_view metrics_member = "metrics";
  /// Pointer of the member that states the outcome (`/attempts/1/correct`); empty when the format
  /// has none.
  std::string_view outcome_pointer;
  const SidecarOutcome* sidecar = nullptr;  // not owned
};

/// A whole document in memory: the hub between every pair of formats (D29). Move-only; owns all
/// text.
struct Storyline {
  Arena arena{4096};
  Document document;
  std::vector<Turn> turns;
};

}  // namespace pchronicle::model
