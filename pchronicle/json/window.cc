#include "pchronicle/json/window.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace pchronicle::json::internal {
namespace {

constexpr size_t kSmallestWindow = 64;
constexpr size_t kFreeBytes = 16 << 20;  // kept for reuse beside the current buffer
constexpr size_t kGrowsInPlace = 1 << 20;

}  // namespace

Window::Window(std::unique_ptr<ByteSource> source, uint64_t base_offset, size_t window_bytes,
               uint64_t max_held_bytes)
    : source_(std::move(source)),
      window_bytes_(std::max(window_bytes, kSmallestWindow)),
      max_held_bytes_(max_held_bytes),
      base_offset_(base_offset) {}

Window::Window(std::string_view text, uint64_t base_offset)
    : base_offset_(base_offset), end_(true) {
  begin_ = p = text.data();
  limit = data_end_ = readable_ = text.data() + text.size();
}

bool Window::Refill(bool fill) {
  if (final()) {
    return false;
  }
  size_t had = static_cast<size_t>(data_end_ - begin_);
  const size_t kept = had - static_cast<size_t>((hold != nullptr ? hold : p) - begin_);
  if (kept <= Block::kRoom && source_->gives_blocks()) {
    if (!TakeBlock()) {
      return false;
    }
    had = kept;
  } else {
    MakeRoom();
    had = static_cast<size_t>(data_end_ - begin_);
    do {
      if (!Read()) {
        break;
      }
    } while (fill && RoomBehind() != 0);
    if (data_end_ == begin_ + had) {
      return false;
    }
  }
  limit = data_end_;
  if (line_mode_) {
    FindLineFeed(begin_ + had);
  }
  return true;
}

/// Goes on in the source's next block, with what is kept copied before its text.
bool Window::TakeBlock() {
  Block spare;
  if (!free_.empty()) {
    spare = std::move(free_.back());
    free_.pop_back();
    free_bytes_ -= spare.capacity;
    allocated_bytes_ -= spare.capacity;
  }
  Result<Block> taken = source_->Take(std::move(spare));
  if (!taken.ok()) {
    status_ = taken.status();
    end_ = true;
    return false;
  }
  if (taken->data == nullptr) {
    end_ = true;
    return false;
  }
  Block block = std::move(taken).value();
  allocated_bytes_ += block.capacity;
  peak_bytes_ = std::max(peak_bytes_, allocated_bytes_);
  bytes_read_ += block.end - block.begin;
  const char* const keep_from = hold != nullptr ? hold : p;
  const auto kept = static_cast<size_t>(data_end_ - keep_from);
  const auto p_at = static_cast<size_t>(p - keep_from);
  char* const to = block.data.get() + block.begin - kept;
  if (kept != 0) {
    std::memcpy(to, keep_from, kept);
  }
  base_offset_ += static_cast<uint64_t>(keep_from - begin_);
  begin_ = to;
  p = to + p_at;
  hold = hold != nullptr ? to : nullptr;
  data_end_ = block.data.get() + block.end;
  SetCurrent(std::move(block));
  return true;
}

void Window::SetCurrent(Block buffer) {
  if (current_.data && pinned_) {
    retired_.push_back(std::move(current_));
  } else if (current_.data) {
    Recycle(std::move(current_));
  }
  pinned_ = false;
  current_ = std::move(buffer);
  readable_ = current_.data.get() + current_.capacity + Block::kSlack;
}

bool Window::Read() {
  Result<size_t> n =
      source_->Read({current_.data.get() + current_.capacity - RoomBehind(), RoomBehind()});
  if (!n.ok()) {
    status_ = n.status();
    end_ = true;
    return false;
  }
  if (*n == 0) {
    end_ = true;
    return false;
  }
  data_end_ += *n;
  bytes_read_ += *n;
  return true;
}

void Window::MakeRoom() {
  if (begin_ == nullptr) {
    MoveTo(Take(window_bytes_), 0);
    return;
  }
  const auto used = static_cast<size_t>(data_end_ - begin_);
  const auto keep_from = static_cast<size_t>((hold != nullptr ? hold : p) - begin_);
  const size_t kept = used - keep_from;
  const bool oversized =
      current_.capacity > window_bytes_ + Block::kRoom && kept <= window_bytes_ / 2;
  if (!pinned_ && kept == 0 && !oversized) {
    MoveTo({}, keep_from);
  } else if (RoomBehind() >= current_.capacity / 4) {
    return;
  } else if (!pinned_ && kept <= current_.capacity / 2 && !oversized) {
    MoveTo({}, keep_from);
  } else {
    // Twice what is kept, so that copying costs each byte once; never more than a value may take.
    const uint64_t most = max_held_bytes_ + window_bytes_ < max_held_bytes_
                              ? UINT64_MAX
                              : max_held_bytes_ + window_bytes_;
    const uint64_t want =
        std::max<uint64_t>(window_bytes_, std::min<uint64_t>(uint64_t{kept} * 2, most));
    const auto capacity = static_cast<size_t>(std::max<uint64_t>(want, kept + kSmallestWindow));
    if (!pinned_ && current_.capacity >= kGrowsInPlace && capacity > current_.capacity) {
      Grow(capacity, keep_from);
    } else {
      MoveTo(Take(capacity), keep_from);
    }
  }
}

// Makes `buffer`, or without one the current buffer, start with the bytes from `keep_from` on.
void Window::MoveTo(Block buffer, size_t keep_from) {
  const size_t kept = static_cast<size_t>(data_end_ - begin_) - keep_from;
  const char* const from = begin_ + keep_from;
  char* const to = buffer.data ? buffer.data.get() : current_.data.get();
  const size_t p_at = p == nullptr ? 0 : static_cast<size_t>(p - from);
  if (kept != 0 && to != from) {
    std::memmove(to, from, kept);
  }
  if (hold != nullptr) {
    hold = to;
  }
  if (buffer.data) {
    SetCurrent(std::move(buffer));
  }
  base_offset_ += keep_from;
  begin_ = to;
  p = to + p_at;
  limit = data_end_ = to + kept;
}

// For large buffers without views: the system moves pages, not bytes.
void Window::Grow(size_t capacity, size_t keep_from) {
  MoveTo({}, keep_from);
  const auto kept = static_cast<size_t>(data_end_ - begin_), p_at = static_cast<size_t>(p - begin_);
  auto* const grown =
      static_cast<char*>(std::realloc(current_.data.get(), capacity + Block::kSlack));
  if (grown == nullptr) {
    throw std::bad_alloc();
  }
  static_cast<void>(current_.data.release());
  current_.data.reset(grown);
  allocated_bytes_ += capacity - current_.capacity;
  peak_bytes_ = std::max(peak_bytes_, allocated_bytes_);
  current_.capacity = capacity;
  begin_ = grown;
  p = grown + p_at;
  hold = hold != nullptr ? grown : nullptr;
  limit = data_end_ = grown + kept;
  readable_ = grown + capacity + Block::kSlack;
}

Block Window::Take(size_t capacity) {
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->capacity >= capacity && it->capacity / 4 <= capacity) {
      Block buffer = std::move(*it);
      free_.erase(it);
      free_bytes_ -= buffer.capacity;
      return buffer;
    }
  }
  allocated_bytes_ += capacity;
  peak_bytes_ = std::max(peak_bytes_, allocated_bytes_);
  return Block::Allocate(capacity);
}

void Window::Recycle(Block buffer) {
  if (free_bytes_ + buffer.capacity > kFreeBytes) {
    allocated_bytes_ -= buffer.capacity;
    return;
  }
  free_bytes_ += buffer.capacity;
  free_.push_back(std::move(buffer));
}

void Window::ReleaseViews() {
  pinned_ = false;
  for (Block& buffer : retired_) {
    Recycle(std::move(buffer));
  }
  retired_.clear();
}

void Window::EnterLine() {
  line_mode_ = true;
  at_line_feed_ = false;
  if (p != data_end_) {
    FindLineFeed(p);
  }
}

void Window::LeaveLine() {
  line_mode_ = false;
  at_line_feed_ = false;
  limit = data_end_;
}

void Window::FindLineFeed(const char* from) {
  const void* found = std::memchr(from, '\n', static_cast<size_t>(data_end_ - from));
  at_line_feed_ = found != nullptr;
  limit = found != nullptr ? static_cast<const char*>(found) : data_end_;
}

}  // namespace pchronicle::json::internal
