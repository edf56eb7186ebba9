#pragma once

#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/index/entry_sorter.h"
#include "pchronicle/lance/index/index_key.h"
#include "pchronicle/lance/index/index_output.h"
#include "pchronicle/lance/table/row_set.h"

namespace pchronicle::lance {

/// All entries of a segment that is going to be written.
struct SegmentEntries {
  SegmentEntries(IndexKey value_key, uint64_t memory_bytes)
      : key(std::move(value_key)), values(memory_bytes) {}

  IndexKey key;
  RowMap nulls;  // rows without a value
  EntrySorter values;

  /// Adds slot after slot; `numbers` has one row number for each.
  Status Add(const columnar::Array& array, const std::vector<uint64_t>& numbers);
  uint64_t size() const;
};

/// Writes `page_data.lance` and `page_lookup.lance` (lance.md D2): pages of 4096 entries in order,
/// nulls first. Memory beside the entries: one entry of the lookup for each page.
Result<std::vector<proto::Index::File>> WriteBTree(SegmentEntries* entries, FileVersion version,
                                                   IndexOutput* output);
/// Writes `bitmap_page_lookup.lance` (D3): one row for each distinct value in order, nulls last.
/// Memory beside the entries: about a page of bitmaps, and the rows of one value.
Result<std::vector<proto::Index::File>> WriteBitmapIndex(SegmentEntries* entries,
                                                         FileVersion version, IndexOutput* output);

}  // namespace pchronicle::lance
