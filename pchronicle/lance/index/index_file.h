#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/file/file_reader.h"

namespace pchronicle::lance {

/// A stand-alone file of an index, whose columns are bound by their order (lance.md D1). Immutable,
/// thread-safe.
class IndexFile {
 public:
  /// kCorruption unless the file has exactly the named columns in this order.
  static Result<IndexFile> Bind(std::shared_ptr<const FileReader> file,
                                std::span<const std::string_view> columns);

  uint64_t rows() const { return file_->rows(); }
  const std::string& name() const { return file_->name(); }
  const FileReader& file() const { return *file_; }
  /// A number of the file's key-value metadata; `fallback` when absent, kCorruption when it is
  /// none.
  Result<uint64_t> Number(std::string_view key, uint64_t fallback) const;

  /// Rows [begin, end) of some columns, by position.
  Result<columnar::RecordBatch> Read(std::span<const size_t> columns, uint64_t begin, uint64_t end,
                                     ReadCounters* reads) const;
  /// All rows of some columns, in batches of about 2 MiB that begin at row `first`.
  Status ForEachBatch(
      std::span<const size_t> columns,
      const std::function<Status(uint64_t first, const columnar::RecordBatch& batch)>& use,
      ReadCounters* reads) const;
  /// Ascending rows of one column.
  Result<columnar::ArrayPtr> Take(size_t column, std::span<const uint64_t> rows,
                                  ReadCounters* reads) const;

 private:
  explicit IndexFile(std::shared_ptr<const FileReader> file) : file_(std::move(file)) {}
  Result<std::unique_ptr<RowReader>> Reader(std::span<const size_t> columns) const;

  std::shared_ptr<const FileReader> file_;
};

/// The array as numbers of the type; kCorruption for another type or nulls.
Result<std::vector<uint64_t>> ToNumbers(const columnar::Array& array, std::string_view column);

}  // namespace pchronicle::lance
