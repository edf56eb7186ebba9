#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "pchronicle/base/status.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/kernels.h"

namespace pchronicle::json::internal {

/// The part of the input that is in memory: one buffer that is read into, where bytes behind the
/// cursor are dropped unless they are held (a value being captured) or pinned (views that were
/// handed out). Full buffers with views are kept aside until ReleaseViews and then used again,
/// because fresh memory costs a page fault per 4 KiB.
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
  struct Free {
    void operator()(char* data) const { std::free(data); }
  };
  struct Buffer {
    std::unique_ptr<char[], Free> data;  // of malloc, so that it can grow without a copy
    size_t capacity = 0;
  };

  bool Read();
  void MakeRoom();
  void MoveTo(Buffer buffer, size_t keep_from);
  void Grow(size_t capacity, size_t keep_from);
  Buffer Take(size_t capacity);
  void Recycle(Buffer buffer);
  void FindLineFeed(const char* from);

  std::unique_ptr<ByteSource> source_;
  size_t window_bytes_ = 0;
  uint64_t max_held_bytes_ = 0;
  uint64_t base_offset_;  // of begin_
  Buffer current_;
  const char* begin_ = nullptr;
  const char* data_end_ = nullptr;
  const char* readable_ = nullptr;
  bool end_ = false;
  bool line_mode_ = false;
  bool at_line_feed_ = false;
  bool pinned_ = false;
  Status status_;
  std::vector<Buffer> retired_;  // full, views point into them
  std::vector<Buffer> free_;
  size_t free_bytes_ = 0;
  uint64_t allocated_bytes_ = 0;
  uint64_t peak_bytes_ = 0;
  uint64_t bytes_read_ = 0;
};

}  // namespace pchronicle::json::internal
