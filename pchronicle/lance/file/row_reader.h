#pragma once

#include <functional>
#include <memory>
#include <span>

#include "pchronicle/lance/file/column.h"
#include "pchronicle/lance/file/file_reader.h"

namespace pchronicle::lance {

/// What both kinds of row reader need of an open file.
struct ReadRequest {
  std::shared_ptr<const FileReader> owner;  // keeps the file open
  const io::RandomReader* file = nullptr;
  std::vector<FieldNode> fields;  // pruned to what the file has
  ColumnMap columns;
  ReaderOptions options;
  std::shared_ptr<BlobOpener> blobs;
  std::function<Result<std::shared_ptr<const Column>>(uint32_t)> load_column;
};

/// Files of version 2.1 and 2.2: one column for each leaf.
Result<std::unique_ptr<RowReader>> MakeLeafRowReader(ReadRequest request);
/// Files of version 2.0: one column for each field.
Result<std::unique_ptr<RowReader>> MakeFieldRowReader(ReadRequest request);

/// kInvalidArgument unless begin <= end <= rows.
Status CheckRowRange(uint64_t begin, uint64_t end, uint64_t rows);
/// kInvalidArgument unless the rows ascend without repeats below `limit`.
Status CheckTakeRows(std::span<const uint64_t> rows, uint64_t limit);
/// Fields as they come back, with the types of the options.
std::vector<columnar::DataField> ReadSchema(std::span<const FieldNode> fields,
                                            const ReaderOptions& options);
/// Rows whose decoded size is about `bytes`, whole kibirows when many.
uint64_t RowsForBytes(double row_bytes, uint64_t bytes);
/// About `parts` pieces of [0, rows) cut at some of `cuts`: ascending, with both ends.
std::vector<uint64_t> ChooseCuts(std::vector<uint64_t> cuts, uint64_t rows, size_t parts);

}  // namespace pchronicle::lance
