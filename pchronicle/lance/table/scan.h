#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/columnar/predicate.h"
#include "pchronicle/lance/table/fragment_reader.h"
#include "pchronicle/lance/table/row_set.h"
#include "pchronicle/lance/table/table.h"

namespace pchronicle::lance {

struct ScanOptions {
  /// Columns and members (`meta.kind`), pruned and ordered as lance::Project does; none: all.
  std::optional<std::vector<std::string>> columns;
  /// System columns behind the others: `_rowid` and `_rowaddr`, both uint64 (lance.md A8).
  bool row_id = false, row_address = false;
  /// Only rows for which it is true.
  columnar::PredicatePtr filter;
  /// Only fragments with these ids; none: all.
  std::optional<std::set<uint64_t>> fragments;
  /// Scalar indices narrow the rows down; without, every row is looked at.
  bool use_indices = true;
  /// Rows of a batch; 0: as many as take about `batch_bytes`.
  uint64_t batch_rows = 0;
  uint64_t batch_bytes = 2 << 20;
  /// How many readers will work at once: fragments are cut so that all have work.
  size_t parallelism = 1;
  ReaderOptions reader;
  /// Text that is not UTF-8 is kCorruption that names column and row; else it comes as it is.
  bool check_text = true;
};

struct ScanCounters {
  ReadCounters reads;  // of data files, opening included
  uint64_t fragments = 0, fragments_pruned = 0;
  uint64_t rows_examined = 0;  // rows for which filter or output columns were decoded
  uint64_t rows_returned = 0;
  uint64_t index_rows = 0;  // candidates that indices gave
};

/// A unit of work: a row range of a fragment, or rows that an index named. With several readers a
/// range is about kTaskBatches batches, so that ordered output never waits long for one of them.
struct ScanTask {
  static constexpr uint64_t kTaskBatches = 2;
  size_t fragment = 0;  // position
  uint64_t begin = 0, end = 0;
  std::optional<std::vector<uint32_t>> candidates;  // ascending offsets
  bool check_filter = false;
};

class ScanTaskReader;

/// A planned read of a table: the tasks together give every live row that passes once. Order within
/// a task, and of the tasks, is the order of the rows. Immutable after Plan; thread-safe.
class Scan : public std::enable_shared_from_this<Scan> {
 public:
  /// Resolves columns and asks indices. kInvalidArgument: unknown column, literal of a wrong kind.
  static Result<std::shared_ptr<const Scan>> Plan(std::shared_ptr<const Table> table,
                                                  ScanOptions options);

  const std::vector<columnar::DataField>& schema() const { return schema_; }
  const std::vector<ScanTask>& tasks() const { return tasks_; }
  const std::shared_ptr<const Table>& table() const { return table_; }
  const ScanOptions& options() const { return options_; }
  /// Opens what the task needs. Memory: one batch for filter columns and one for the others.
  Result<std::unique_ptr<ScanTaskReader>> OpenTask(size_t task) const;
  /// The same by a reader that is done with another task; what it has open of the same fragment is
  /// used again. Null opens a new one.
  Status OpenTask(size_t task, std::unique_ptr<ScanTaskReader>* reader) const;

  /// Of planning and of all readers that are done.
  ScanCounters counters() const;

 private:
  friend class ScanTaskReader;
  Scan() = default;
  Status PlanFragment(size_t fragment, FragmentRows* known);
  Result<uint64_t> RangeRows(size_t fragment);
  void AddCounters(const ScanCounters& more) const;

  std::shared_ptr<const Table> table_;
  ScanOptions options_;
  std::vector<FieldNode> output_, filter_fields_;
  std::vector<columnar::DataField> schema_;
  std::vector<ScanTask> tasks_;
  mutable std::mutex mutex_;  // guards counters_
  mutable ScanCounters counters_;
};

/// Gives the rows of one task, batch by batch. One thread at a time.
class ScanTaskReader {
 public:
  ~ScanTaskReader();
  ScanTaskReader(const ScanTaskReader&) = delete;
  ScanTaskReader& operator=(const ScanTaskReader&) = delete;

  /// False at the end. A batch has at least one row.
  Result<bool> Next(columnar::RecordBatch* out, const Context& context);

 private:
  friend class Scan;
  ScanTaskReader(std::shared_ptr<const Scan> scan, const ScanTask& task)
      : scan_(std::move(scan)), task_(task), at_(task.begin) {}
  Status Open();
  // Takes another task of the same fragment; false when it needs other readers.
  bool Continue(const ScanTask& task);
  void Start();
  void Report();
  // Each gives the next rows that are left, maybe none; moves at_.
  Status NextOfRange(columnar::RecordBatch* out);
  Status NextOfCandidates(columnar::RecordBatch* out);
  // Filter columns of the rows, and which of them pass.
  Result<std::vector<int64_t>> PassingRows(const columnar::RecordBatch& filtered) const;
  // `offsets` of the rows, or none: then they follow on `first`. Needed for system columns and to
  // say where a row is.
  Status Join(const columnar::RecordBatch* filtered, const columnar::RecordBatch& rest,
              const std::vector<uint64_t>& offsets, uint64_t first,
              columnar::RecordBatch* out) const;
  Status CheckTexts(const columnar::RecordBatch& batch, const std::vector<uint64_t>& offsets,
                    uint64_t first) const;

  std::shared_ptr<const Scan> scan_;
  ScanTask task_;
  uint64_t at_;  // next row of the range, or next of the candidates
  uint64_t rows_at_once_ = 1;
  std::shared_ptr<const RoaringBitmap> deleted_;  // null: none
  std::shared_ptr<const RowIdSequence> row_ids_;  // null: not asked for
  std::unique_ptr<FragmentReader> filter_;        // null: no filter to check
  std::unique_ptr<FragmentReader> rest_;          // output columns that filter_ has not
  ScanCounters counters_;                         // not reported yet, but for the reads
  ReadCounters reported_;
};

}  // namespace pchronicle::lance
