#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/file/file_reader.h"
#include "pchronicle/lance/table/table.h"

namespace pchronicle::lance {

/// Reads rows of one fragment, whichever of its data files holds which column (lance.md A3).
/// Deleted rows are there, too. One thread at a time; readers of one fragment may run in parallel.
class FragmentReader {
 public:
  /// Opens the data files that hold columns of `fields` (pruned fields of the table's schema);
  /// `fragment` is a position. kUnsupported for columns that cannot be read (C3).
  static Result<std::unique_ptr<FragmentReader>> Open(std::shared_ptr<const Table> table,
                                                      size_t fragment,
                                                      std::vector<FieldNode> fields,
                                                      const ReaderOptions& options = {});

  const std::vector<FieldNode>& fields() const { return fields_; }
  const std::vector<columnar::DataField>& schema() const { return schema_; }
  /// Physical rows.
  uint64_t rows() const { return rows_; }
  /// False when no data file holds any of the fields: all are null.
  bool has_data() const { return !readers_.empty(); }
  /// Rows of about `bytes` decoded bytes, at least 1.
  uint64_t SuggestRows(uint64_t bytes) const;
  /// Places to cut work, as RowReader::SplitPoints.
  Result<std::vector<uint64_t>> SplitPoints(size_t parts);

  /// As RowReader::Expect.
  void Expect(uint64_t end);
  /// Rows [begin, end) of all fields.
  Status ReadRows(uint64_t begin, uint64_t end, columnar::RecordBatch* out);
  /// Ascending offsets without repeats.
  Status Take(std::span<const uint64_t> rows, columnar::RecordBatch* out);

  ReadCounters counters() const;

 private:
  FragmentReader() = default;
  // Puts what the files gave together.
  Status Join(uint64_t rows, columnar::RecordBatch* out);

  std::shared_ptr<const Table> table_;
  std::vector<FieldNode> fields_;
  std::vector<columnar::DataField> schema_;
  uint64_t rows_ = 0;
  std::vector<std::unique_ptr<RowReader>> readers_;
  std::vector<columnar::RecordBatch> batches_;  // one for each reader
};

/// Columns of a data file by field id, tombstones and absent ones left out. kCorruption: a field
/// twice.
Result<ColumnMap> ColumnsOfFile(const proto::DataFile& file);

}  // namespace pchronicle::lance
