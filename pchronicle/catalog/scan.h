#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/catalog/file_predicate.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/columnar/batch.h"
#include "pchronicle/model/first_problems.h"
#include "pchronicle/model/relations.h"

namespace pchronicle::catalog {

/// What one thread did (LZY-07); added to a ScanMetrics when a source is left.
struct ScanCounters {
  uint64_t sources_opened = 0, bytes_read = 0, documents_scanned = 0, documents_pruned = 0,
           rows_scanned = 0, rows_pruned = 0, rows_emitted = 0, streamed_records = 0,
           buffer_peak_bytes = 0;
  /// The most that was held to tell documents apart (STL-126 to 129): by the task, and by all
  /// ranges of its source together.
  uint64_t id_peak_bytes = 0;
  uint64_t pages_decoded = 0;  // of foreign tables
  /// Of bytes_read: what values that somebody wanted took; the rest was skipped.
  uint64_t bytes_decoded = 0;
  /// Read from compressed files; bytes_read is their text.
  uint64_t compressed_bytes_read = 0;
  uint64_t rows_shared = 0;  // handed on, but made (and counted) by another scan of the query
  uint64_t busy_ns = 0;      // reading, without waiting for the consumer
};

/// Counters of one scan, or of one query over all its scans (LZY-07); thread-safe.
struct ScanMetrics {
  std::atomic<uint64_t> sources_opened{0}, bytes_read{0}, documents_scanned{0}, documents_pruned{0},
      rows_scanned{0}, rows_pruned{0}, rows_emitted{0}, rows_shared{0}, streamed_records{0},
      buffer_peak_bytes{0}, id_peak_bytes{0}, restarts{0}, bytes_decoded{0},
      compressed_bytes_read{0}, busy_ns{0}, sources_total{0}, sources_pruned{0}, pages_decoded{0};
  /// Sums, but the greatest peaks (STL-123).
  void Add(const ScanCounters& counters);
  /// Of bytes_read; text inside text is decoded twice. Here because sql/ has no code of catalog/.
  uint64_t bytes_skipped() const {
    const uint64_t read = bytes_read, decoded = bytes_decoded;
    return read > decoded ? read - decoded : 0;
  }
};

/// What reading one source cost, in all scans and passes of a query.
struct SourceCost {
  std::string file;
  uint64_t busy_ns = 0, bytes_read = 0;
};

/// A unit of input that a query left out, placed for people: `a/b.jsonl: line 41, byte 8122,
/// /steps/3/source: ...`.
struct SourceProblem {
  std::string file;
  Status status;
  uint64_t line = 0, byte_offset = 0;  // line 0: unknown
  std::string pointer;
  bool in_decompressed = false;  // line and byte count in the text of a compressed file
  std::string ToString() const;
};

struct ScanRequest {
  size_t dataset = 0;  // index in the snapshot
  model::Relation relation = model::Relation::kRuns;
  std::vector<uint16_t> columns;  // empty: only row counts
  std::vector<model::RowPredicate> predicates;
  FilePredicate file_predicate;          // sources for which it is false are never opened
  std::optional<size_t> announced = {};  // place in QueryScope::Announce
};

class ScanGroup;

/// Memory for rows that one scan of a query makes for another.
inline constexpr uint64_t kSharedRowsBytes = 64 << 20;

/// State that all scans of one query share. Thread-safe.
class QueryScope {
 public:
  QueryScope(const Snapshot& snapshot, bool report_errors, const Context& context,
             uint64_t shared_rows_bytes = kSharedRowsBytes)
      : snapshot_(snapshot),
        report_errors_(report_errors),
        context_(context),
        shared_rows_bytes_(shared_rows_bytes) {}
  const Snapshot& snapshot() const { return snapshot_; }
  bool report_errors() const { return report_errors_; }
  const Context& context() const { return context_; }
  ScanMetrics& metrics() { return metrics_; }

  /// A row that was handed on turned out different: the query has to be run once more (STL-127).
  void RequestRestart() { restart_.store(true); }
  bool restart_requested() const { return restart_.load(); }
  void AddProblem(SourceProblem problem);
  /// What one scan found in a range of a file, and how many more it did not keep.
  void AddProblems(json::RecordRange range, std::vector<SourceProblem> problems, uint64_t left_out);
  /// Sorted by file and offset, without repeats; of each file the first kMostProblems.
  std::vector<SourceProblem> problems() const;
  /// Of all, also those that were not kept. Where some were not, and several scans met them, those
  /// of the scan that met most count.
  uint64_t problem_count() const;
  static constexpr size_t kMostProblems = model::FirstProblems::kMost;
  /// For the second run: keeps metrics and what is known to be lost, forgets the restart flag and
  /// the problems.
  void BeginRestart();

  /// What earlier readings of a range of a source in this query gave up (STL-127). It holds for
  /// this query only: another one may not look at what is bad here.
  model::SourceNotes LostIn(const Source& source, json::RecordRange range) const;
  /// Adds to it. No row of a lost unit may count in any scan of the query, so when there are
  /// several and this is news, the query is restarted.
  void AddLost(const Source& source, json::RecordRange range, const model::SourceNotes& found);
  void CountScan() { ++scans_; }

  /// Says which scans the query is going to create, so that those over the same sources share one
  /// reading (ScanGroup). Replaces what was announced before.
  void Announce(const std::vector<ScanRequest>& scans);
  /// A scan's place in a group; a null group when it shares with none.
  struct Membership {
    std::shared_ptr<ScanGroup> group;
    size_t member = 0;
  };
  Membership MembershipOf(const ScanRequest& scan) const;
  /// From now on the cost of each source is kept.
  void KeepCosts() { keeps_costs_ = true; }
  void AddCost(const Source& source, const ScanCounters& counters);
  /// The `most` that took longest, the longest first.
  std::vector<SourceCost> SlowestSources(size_t most) const;

 private:
  const Snapshot& snapshot_;
  const bool report_errors_;
  const Context& context_;
  const uint64_t shared_rows_bytes_;
  ScanMetrics metrics_;
  std::atomic<bool> restart_{false};
  std::atomic<int> scans_{0};
  mutable std::mutex mutex_;  // guards what follows
  struct ProblemOrder {
    bool operator()(const SourceProblem& a, const SourceProblem& b) const;
  };
  struct FileProblems {
    std::set<SourceProblem, ProblemOrder> first;
    uint64_t met_by_whole = 0;         // by the scan of the whole file that met most
    std::map<uint64_t, uint64_t> met;  // the like by ranges of it, by their begin
    bool left_out = false;
  };
  void Keep(SourceProblem problem);
  std::map<std::string, FileProblems> problems_;  // by file
  std::map<std::tuple<const Source*, uint64_t, uint64_t>, model::SourceNotes> lost_;
  std::vector<Membership> announced_;
  bool keeps_costs_ = false;  // set before the first scan
  std::map<const Source*, SourceCost> costs_;
};

/// One piece of a scan, used by one thread: a source, or a byte range of a large line file.
class ScanTask {
 public:
  virtual ~ScanTask() = default;
  /// Position of this task's rows in the order of REL-14: tasks with smaller numbers come first.
  virtual uint64_t order() const = 0;
  /// Next rows; null at the end. Owned by the task, valid until the next call; its text arena may
  /// be kept alive by copying batch->text. The batch may hold more than columnar::kBatchRows rows.
  virtual Result<columnar::Batch*> Next() = 0;
};

/// One relation scan with one queue of tasks for any number of sources (D28). NextTask is
/// thread-safe.
class RelationScan {
 public:
  static Result<std::unique_ptr<RelationScan>> Create(QueryScope& scope, ScanRequest request);
  virtual ~RelationScan() = default;
  /// Sources that can provide the relation, and those left after pruning (EXP-04).
  virtual size_t sources_total() const = 0;
  virtual size_t sources_matched() const = 0;
  /// Size of the matched sources, as pinned: what the scan reads at most (BR-44).
  virtual uint64_t bytes_matched() const { return 0; }
  /// Threads that can be kept busy.
  virtual size_t max_threads() const = 0;
  /// Null when no task is left.
  virtual Result<std::unique_ptr<ScanTask>> NextTask() = 0;
  /// Of this scan alone, what its tasks have left behind so far; null where nobody counts.
  virtual const ScanMetrics* metrics() const { return nullptr; }
};

}  // namespace pchronicle::catalog
