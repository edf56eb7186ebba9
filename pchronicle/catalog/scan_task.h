#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "pchronicle/catalog/scan.h"
#include "pchronicle/catalog/scan_group.h"

namespace pchronicle::catalog {

/// Measures a stretch of work of one thread.
class ScanMeter {
 public:
  ScanMeter();
  /// What was done since the last call.
  void AddTo(ScanCounters& counters);

 private:
  std::chrono::steady_clock::time_point since_;
  uint64_t decoded_before_;
};

/// What the tasks of one scan share; immutable but for what guards itself.
struct ScanState {
  ScanState(QueryScope& query, ScanRequest wanted);

  QueryScope& scope;
  const ScanRequest request;
  const CatalogDataset& dataset;
  model::FieldMask fields;
  // The members of a group cut files in the same way, so these two hold for all of them.
  bool needs_ordinal = false;        // document numbers: only known to a reader of the whole source
  bool counts_only = false;          // no cell is looked at
  std::shared_ptr<ScanGroup> group;  // null: shares its reading with no other scan
  size_t member = 0;                 // in the group
  ScanMetrics metrics;               // of this scan

  /// Adds to the scan and to the query; `source` null: to no source.
  void Count(const Source* source, const ScanCounters& counters) {
    metrics.Add(counters);
    scope.metrics().Add(counters);
    if (source != nullptr) {
      scope.AddCost(*source, counters);
    }
  }
};

/// Consecutive sources, or one range of a large line file.
struct TaskPlan {
  std::vector<size_t> sources;  // indices in the Dataset
  bool is_range = false;
  json::RecordRange range;        // is_range
  std::shared_ptr<RangeIds> ids;  // is_range: shared by the ranges of the source
};

/// Reads the sources of a plan one after the other.
std::unique_ptr<ScanTask> MakeSourceTask(ScanState& state, const TaskPlan& plan, uint64_t order);
/// Rows of `sources`, from the snapshot alone (REL-11).
std::unique_ptr<ScanTask> MakeSourcesTask(ScanState& state, std::vector<size_t> sources);
/// Reads all of `sources` in parallel at the first Next (ADD-06).
std::unique_ptr<ScanTask> MakeRunTreeTask(ScanState& state, std::vector<size_t> sources);

}  // namespace pchronicle::catalog
