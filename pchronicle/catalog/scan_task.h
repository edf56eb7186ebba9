#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "pchronicle/base/hash.h"
#include "pchronicle/catalog/scan.h"

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
  bool needs_ids = false;      // document ids: unique over the whole source (STL-128)
  bool needs_ordinal = false;  // document numbers: only known to a reader of the whole source
  ScanMetrics metrics;         // of this scan

  /// Adds to the scan and to the query; `source` null: to no source.
  void Count(const Source* source, const ScanCounters& counters) {
    metrics.Add(counters);
    scope.metrics().Add(counters);
    if (source != nullptr) {
      scope.AddCost(*source, counters);
    }
  }

  /// Ids of documents that the ranges of one source have read, each with the range it came from.
  class RangeIds {
   public:
    /// False: another range has one of them.
    bool Add(const std::vector<Hash128>& ids, uint64_t range);

   private:
    std::mutex mutex_;  // guards seen_
    std::unordered_map<Hash128, uint64_t, Hash128Hasher> seen_;
  };
};

/// Consecutive sources, or one range of a large line file.
struct TaskPlan {
  std::vector<size_t> sources;  // indices in the Dataset
  bool is_range = false;
  json::RecordRange range;                   // is_range
  std::shared_ptr<ScanState::RangeIds> ids;  // is_range: shared by the ranges of the source
};

/// Reads the sources of a plan one after the other.
std::unique_ptr<ScanTask> MakeSourceTask(ScanState& state, const TaskPlan& plan, uint64_t order);
/// Rows of `sources`, from the snapshot alone (REL-11).
std::unique_ptr<ScanTask> MakeSourcesTask(ScanState& state, std::vector<size_t> sources);
/// Reads all of `sources` in parallel at the first Next (ADD-06).
std::unique_ptr<ScanTask> MakeRunTreeTask(ScanState& state, std::vector<size_t> sources);

}  // namespace pchronicle::catalog
