#include "pchronicle/json/window.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace pchronicle::json::internal {
namespace {

constexpr size_t kSlack = 64;  // kernels load whole blocks
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
  MakeRoom();
  const char* const from = data_end_;
  do {
    if (!Read()) {
      break;
    }
  } while (fill && data_end_ != begin_ + current_.capacity);
  if (data_end_ == from) {
    return false;
  }
  limit = data_end_;
  if (line_mode_) {
    FindLineFeed(from);
  }
  return true;
}

bool Window::Read() {
  char* const to = current_.data.get() + (data_end_ - begin_);
  Result<size_t> n =
      source_->Read({to, current_.capacity - static_cast<size_t>(data_end_ - begin_)});
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
  const size_t room = current_.capacity - used;
  const bool oversized = current_.capacity > window_bytes_ && kept <= window_bytes_ / 2;
  if (!pinned_ && kept == 0 && !oversized) {
    MoveTo({}, keep_from);
  } else if (room >= current_.capacity / 4) {
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
void Window::MoveTo(Buffer buffer, size_t keep_from) {
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
    if (current_.data && pinned_) {
      retired_.push_back(std::move(current_));
    } else if (current_.data) {
      Recycle(std::move(current_));
    }
    pinned_ = false;
    current_ = std::move(buffer);
  }
  base_offset_ += keep_from;
  begin_ = to;
  p = to + p_at;
  limit = data_end_ = to + kept;
  readable_ = to + current_.capacity + kSlack;
}

// For large buffers without views: the system moves pages, not bytes.
void Window::Grow(size_t capacity, size_t keep_from) {
  MoveTo({}, keep_from);
  const auto kept = static_cast<size_t>(data_end_ - begin_), p_at = static_cast<size_t>(p - begin_);
  auto* const grown = static_cast<char*>(std::realloc(current_.data.get(), capacity + kSlack));
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
  readable_ = grown + capacity + kSlack;
}

Window::Buffer Window::Take(size_t capacity) {
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->capacity >= capacity && it->capacity / 4 <= capacity) {
      Buffer buffer = std::move(*it);
      free_.erase(it);
      free_bytes_ -= buffer.capacity;
      return buffer;
    }
  }
  allocated_bytes_ += capacity;
  peak_bytes_ = std::max(peak_bytes_, allocated_bytes_);
  auto* const data = static_cast<char*>(std::malloc(capacity + kSlack));
  if (data == nullptr) {
    throw std::bad_alloc();
  }
  return {std::unique_ptr<char[], Free>(data), capacity};
}

void Window::Recycle(Buffer buffer) {
  if (free_bytes_ + buffer.capacity > kFreeBytes) {
    allocated_bytes_ -= buffer.capacity;
    return;
  }
  free_bytes_ += buffer.capacity;
  free_.push_back(std::move(buffer));
}

void Window::ReleaseViews() {
  pinned_ = false;
  for (Buffer& buffer : retired_) {
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
