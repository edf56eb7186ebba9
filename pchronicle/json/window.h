#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "pchronicle/base/status.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/kernels.h"

namespace pchronicle::json::internal {

/// The part of the input that is in memory: one buffer that is read into, where bytes behind the
/// cursor are dropped unless they are held (a value being captured) or pinned (views that were
/// handed out). From a source that reads ahead whole buffers are taken. Full buffers with views are
/// kept aside until ReleaseViews and then used again, because fresh memory costs a page fault per 4
/// KiB.
class Window {
 public:
  Window(std::unique_ptr<ByteSource> source, uint64_t base_offset, size_t window_bytes,
         uint64_t max_held_bytes);
  Window(std::string_view text, uint64_t base_offset);

  /// Next byte not consumed, and the end of what may be consumed before Refill.
  const char* p = nullptr;
  const char* limit = nullptr;
  /// First byte of the value being captured; it and all behind it stay contiguous. Refill moves it
  /// along.
  const char* hold = nullptr;

  Bounds bounds() const { return {limit, readable_}; }
  /// Reads on; only when the bytes up to `limit` do not suffice. False: nothing follows (final()),
  /// or an I/O error (status()). Pointers into the window are void except p, limit and hold.
  /// `fill`: as much as there is room for.
  bool Refill(bool fill = false);
  /// Nothing follows `limit`: end of the input, or of the line in line mode.
  bool final() const { return at_line_feed_ || end_; }
  bool at_line_feed() const { return at_line_feed_; }

  void EnterLine();
  /// Back to reading across line feeds.
  void LeaveLine();

  /// Views point into the current buffer from now on.
  void Pin() { pinned_ = true; }
  void ReleaseViews();

  uint64_t OffsetOf(const char* at) const {
    return base_offset_ + static_cast<uint64_t>(at - begin_);
  }
  const Status& status() const { return status_; }
  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  bool Read();
  bool TakeBlock();
  void MakeRoom();
  void MoveTo(Block buffer, size_t keep_from);
  void SetCurrent(Block buffer);
  void Grow(size_t capacity, size_t keep_from);
  Block Take(size_t capacity);
  void Recycle(Block buffer);
  size_t RoomBehind() const {
    return static_cast<size_t>(current_.data.get() + current_.capacity - data_end_);
  }
  void FindLineFeed(const char* from);

  std::unique_ptr<ByteSource> source_;
  size_t window_bytes_ = 0;
  uint64_t max_held_bytes_ = 0;
  uint64_t base_offset_;  // of begin_
  Block current_;
  const char* begin_ = nullptr;
  const char* data_end_ = nullptr;
  const char* readable_ = nullptr;
  bool end_ = false;
  bool line_mode_ = false;
  bool at_line_feed_ = false;
  bool pinned_ = false;
  Status status_;
  std::vector<Block> retired_;  // full, views point into them
  std::vector<Block> free_;
  size_t free_bytes_ = 0;
  uint64_t allocated_bytes_ = 0;
  uint64_t peak_bytes_ = 0;
  uint64_t bytes_read_ = 0;
};

}  // namespace pchronicle::json::internal
