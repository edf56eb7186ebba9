#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/columnar/predicate.h"

namespace pchronicle::catalog {

struct ScanMetrics;

/// Name of the relation that a mounted foreign table is (DSC-17).
inline constexpr const char* kRowsRelation = "rows";

/// A column of a foreign table. No type: the table has it, but it cannot be read.
struct RowColumn {
  columnar::DataField field;
  std::string unreadable;  // what is not supported, for messages
  bool is_blob = false;    // payloads lie elsewhere: only read what is asked for
};

/// A foreign table in its pinned version (DSC-17). Interfaces only, because sql/ has no code of
/// catalog/. Thread-safe.
class RowTable {
 public:
  virtual ~RowTable() = default;
  /// Opens the table when it is first asked; the outcome is the same every time (LZY-03).
  virtual Result<std::vector<RowColumn>> Columns() const = 0;
  /// Live rows, by the table's own account. Opens the table.
  virtual Result<uint64_t> CountRows() const = 0;
  /// `Lance table, version 7`, for plans.
  virtual std::string Describe() const = 0;
};

/// Which rows and columns of the foreign table of a Dataset.
struct RowScanRequest {
  size_t dataset = 0;
  /// Columns and members (`meta.kind`), without repeats; none: only row counts.
  std::vector<std::string> columns;
  bool row_id = false, row_address = false;  // system columns behind them
  columnar::PredicatePtr filter;             // rows for which it is not true are left out
};

/// One piece of a scan, used by one thread.
class RowTask {
 public:
  virtual ~RowTask() = default;
  /// Tasks with smaller numbers hold earlier rows (REL-14).
  virtual uint64_t order() const = 0;
  /// False at the end. A batch has at least one row; it may be kept longer than the task.
  virtual Result<bool> Next(columnar::RecordBatch* out) = 0;
};

/// What planning found, for EXPLAIN.
struct RowScanPlan {
  uint64_t fragments = 0, fragments_pruned = 0;  // pruned: no row can pass, by an index
  uint64_t index_rows = 0;                       // rows that indices named
  uint64_t rows = 0;                             // rows to be looked at, at most
};

/// A scan of a foreign table with one queue of tasks. NextTask is thread-safe.
class RowScan {
 public:
  virtual ~RowScan() = default;
  /// The columns of every batch: the top-level columns that were named, in the order of their first
  /// naming and with the members asked for only, then the system columns.
  virtual const std::vector<columnar::DataField>& fields() const = 0;
  virtual RowScanPlan plan() const = 0;
  virtual size_t tasks() const = 0;
  /// Null when no task is left.
  virtual Result<std::unique_ptr<RowTask>> NextTask() = 0;
  /// Of this scan alone, what its tasks have left behind so far.
  virtual const ScanMetrics* metrics() const { return nullptr; }
};

}  // namespace pchronicle::catalog
