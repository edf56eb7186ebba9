#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/file/range_reader.h"
#include "pchronicle/lance/proto/file_messages.h"

namespace pchronicle::lance {

/// The metadata of one column of a file. Immutable; shared by readers of all threads.
struct Column {
  uint32_t index = 0;
  std::string bytes;  // what the views in `metadata` point into
  proto::ColumnMetadata metadata;
  std::vector<uint64_t> first_row;  // of each page, and the number of rows
  uint64_t stored_bytes = 0;        // of all page buffers

  uint64_t rows() const { return first_row.back(); }
  size_t pages() const { return metadata.pages.size(); }
  /// The page that holds a row below rows().
  size_t PageOfRow(uint64_t row) const;
  /// Buffers of a page.
  std::vector<ByteRange> Ranges(size_t page) const;
  /// The description of a page's encoding, which must be of that type.
  Result<std::string_view> PageEncoding(size_t page, std::string_view type_url) const;

  /// kCorruption: damaged, or buffers outside the file. kUnsupported: an encoding that is not in
  /// place or not of plain values or blobs.
  static Result<std::shared_ptr<const Column>> Parse(uint32_t index, std::string bytes,
                                                     uint64_t file_size);
};

}  // namespace pchronicle::lance
