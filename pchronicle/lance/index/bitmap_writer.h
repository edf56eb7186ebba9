#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/lance/index/index_key.h"
#include "pchronicle/lance/index/index_output.h"
#include "pchronicle/lance/table/row_set.h"

namespace pchronicle::lance {

/// Gathers the row numbers of one value: those of one upper half in ascending order, one upper half
/// after the other. Not thread-safe.
class RowGatherer {
 public:
  void Add(uint64_t number);
  /// What was added; the gatherer is empty again.
  RowMap Take();

 private:
  void Close();
  RowMap rows_;
  uint32_t upper_ = 0;
  std::vector<uint32_t> lower_;
};

/// Writes `bitmap_page_lookup.lance` (lance.md D3). Memory: about a page of bitmaps. Not
/// thread-safe.
class BitmapWriter {
 public:
  /// `count` values will come, null included. `output` outlives the writer.
  static Result<BitmapWriter> Create(const IndexKey& key, uint64_t count, FileVersion version,
                                     IndexOutput* output);

  /// The rows of a value; no key: those without one.
  Status Append(const std::string* key, const RowMap& rows);
  Result<proto::Index::File> Finish();

 private:
  explicit BitmapWriter(const IndexKey& key);
  Status Flush();

  KeyArrayBuilder keys_, bitmaps_;
  uint64_t bytes_ = 0;
  std::unique_ptr<IndexFileWriter> file_;
};

}  // namespace pchronicle::lance
