#pragma once

#include <cstdint>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/encoding/decode_context.h"
#include "pchronicle/lance/file/file_reader.h"
#include "pchronicle/lance/file/range_reader.h"

namespace pchronicle::lance {

/// The last 40 bytes of a data file (lance.md B1).
struct FileFooter {
  static constexpr size_t kBytes = 40;
  uint64_t columns_at = 0, column_table_at = 0, buffer_table_at = 0;
  uint32_t global_buffers = 0, columns = 0;
  uint32_t major = 0, minor = 0;

  /// kCorruption: magic, or tables outside the file. The version is not judged.
  static Result<FileFooter> Parse(Bytes last_bytes, uint64_t file_size);
};

/// The end of a file, read once at opening: most metadata lies there.
class FileTail {
 public:
  static constexpr uint64_t kBytes = 64 << 10;
  Status Load(RangeReader* reader);
  /// A range of the file, from the tail or read anew into `scratch`.
  Result<Bytes> Get(const ByteRange& range, RangeReader* reader, columnar::Buffer* scratch) const;
  Bytes bytes() const { return {tail_.data(), tail_.size()}; }

 private:
  uint64_t begin_ = 0;
  columnar::Buffer tail_;
};

}  // namespace pchronicle::lance
