#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/diagnostics.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model::events {

/// Folds the records of one Storyline, in physical append order (formats.md 7.4). No record with a
/// key is the error `canonical event requires session_id, storyline_id, or run_id`. Diagnostics:
/// `summary_conflict`, `renamed_tool_call_id`, `dropped_tool_call`, `uncorrelated_events`,
/// `negative_latency`. The records' text must live during the call only.
Result<Storyline> FoldOne(const std::vector<json::Raw>& records,
                          Diagnostics* diagnostics = nullptr);

/// Partitions a mixed batch by key first: one Storyline for each, in order of first appearance.
/// Records without a key are left out (and counted) when others have one.
Result<std::vector<Storyline>> FoldBatch(const std::vector<json::Raw>& records,
                                         Diagnostics* diagnostics = nullptr);

/// The records of an in-memory batch `{"format":"events","session_id"?,"agent_id"?,"events":[..]}`
/// or of a plain array.
Result<std::vector<json::Raw>> BatchRecords(const json::Raw& batch);

}  // namespace pchronicle::model::events
