#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/buffer.h"
#include "pchronicle/io/store.h"
#include "pchronicle/lance/encoding/decode_context.h"
#include "pchronicle/lance/file/file_reader.h"

namespace pchronicle::lance {

/// Exact reads of one file by one thread, counted. Not thread-safe.
class RangeReader {
 public:
  RangeReader(const io::RandomReader& file, ReadCounters* counters)
      : file_(file), counters_(counters) {}

  uint64_t size() const { return file_.size(); }
  /// kCorruption when the range is not within the file or the file ends before it.
  Status Read(uint64_t offset, std::span<uint8_t> out);
  /// Appends the range to a buffer.
  Status Read(uint64_t offset, uint64_t size, columnar::Buffer* out);

 private:
  const io::RandomReader& file_;
  ReadCounters* counters_;
};

/// A range of a file.
struct ByteRange {
  uint64_t offset = 0, size = 0;
};

/// The buffers of one page. Small pages are read at once; of large ones, windows. Bytes given are
/// valid until the next call for the same buffer. Not thread-safe.
class PageSource {
 public:
  /// `ranges` lie within the file. Nothing is read yet.
  PageSource(RangeReader* reader, std::vector<ByteRange> ranges, uint64_t window_bytes,
             uint64_t gap_bytes);

  size_t buffers() const { return ranges_.size(); }
  uint64_t size(size_t buffer) const { return ranges_[buffer].size; }
  /// A whole buffer.
  Result<Bytes> Whole(size_t buffer) { return Slice(buffer, 0, ranges_[buffer].size, 0); }
  /// `size` bytes at `offset` of a buffer. What follows, up to byte `ahead`, may be read with them
  /// when the caller is going to want it.
  Result<Bytes> Slice(size_t buffer, uint64_t offset, uint64_t size, uint64_t ahead);
  /// Reads the given ranges of a buffer (ascending) in few calls and serves Slice from them.
  Status Prefetch(size_t buffer, std::span<const ByteRange> ranges);
  /// A range of the file outside the page's buffers.
  RangeReader& reader() { return *reader_; }

 private:
  struct Window {
    uint64_t begin = 0;  // within the buffer
    columnar::Buffer bytes;
    // Pieces read ahead of random access; they do not overlap and ascend.
    struct Piece {
      uint64_t begin, at, size;
    };
    std::vector<Piece> pieces;
    columnar::Buffer piece_bytes;
  };
  Status LoadPage();

  RangeReader* reader_;
  std::vector<ByteRange> ranges_;
  uint64_t window_bytes_, gap_bytes_;
  std::vector<Window> windows_;
  ByteRange page_;  // from the first to the last byte
  bool small_ = false, loaded_ = false;
  columnar::Buffer whole_;
};

}  // namespace pchronicle::lance
