#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/file/file_reader.h"
#include "pchronicle/lance/table/table.h"

namespace pchronicle::lance {

struct TakeOptions {
  /// As in a scan; none: all.
  std::optional<std::vector<std::string>> columns;
  ReaderOptions reader;
};

/// The rows at these addresses, in this order, repeats allowed, in one batch; reads of one fragment
/// that lie close are made one. kNotFound names an address without a live row.
Result<columnar::RecordBatch> TakeAddresses(const std::shared_ptr<const Table>& table,
                                            std::span<const RowAddress> rows,
                                            const TakeOptions& options, ReadCounters* reads);

/// The same by row id; equal to addresses unless the table has stable row ids. kNotFound names an
/// id that no live row has.
Result<columnar::RecordBatch> TakeRowIds(const std::shared_ptr<const Table>& table,
                                         std::span<const uint64_t> ids, const TakeOptions& options,
                                         ReadCounters* reads);

}  // namespace pchronicle::lance
