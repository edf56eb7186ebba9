#include "pchronicle/columnar/buffer.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

namespace pchronicle::columnar {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr size_t kMinimum = 256;
/// A consumer that holds more batches than this gets fresh memory for each.
constexpr size_t kPooled = 16;

}  // namespace

void Buffer::Free::operator()(uint8_t* p) const { ::operator delete(p, kAlignment); }

void Buffer::Grow(size_t size) {
  const size_t capacity = std::max({size, capacity_ + capacity_ / 2, kMinimum});
  if (capacity > SIZE_MAX - kPadding) {
    throw std::bad_alloc();
  }
  std::unique_ptr<uint8_t[], Free> bigger(
      static_cast<uint8_t*>(::operator new(capacity + kPadding, kAlignment)));
  if (size_ != 0) {
    std::memcpy(bigger.get(), data_.get(), size_);
  }
  data_ = std::move(bigger);
  capacity_ = capacity;
}

void Buffer::Append(const void* bytes, size_t size) {
  if (size != 0) {
    std::memcpy(Reserve(size), bytes, size);
    Advance(size);
  }
}

void Buffer::AppendZeros(size_t size) {
  std::memset(Reserve(size), 0, size);
  Advance(size);
}

std::shared_ptr<Buffer> BufferPool::Take() {
  size_t largest = 0;
  for (const std::shared_ptr<Buffer>& buffer : buffers_) {
    largest = std::max(largest, buffer->capacity());
  }
  std::shared_ptr<Buffer> taken;
  for (const std::shared_ptr<Buffer>& buffer : buffers_) {
    if (buffer.use_count() == 1) {
      // Orders our writes behind the last reads of the thread that let go. The thread sanitizer
      // knows no fences; it takes the count that `taken` adds for one.
      taken = buffer;
      std::atomic_thread_fence(std::memory_order_acquire);
      taken->Clear();
      break;
    }
  }
  if (taken == nullptr) {
    if (buffers_.size() == kPooled) {
      buffers_.erase(buffers_.begin());  // its holders free it
    }
    taken = buffers_.emplace_back(std::make_shared<Buffer>());
  }
  // Batches are alike: growing to their size step by step would copy each of them several times.
  if (taken->capacity() < largest / 2) {
    taken->Reserve(largest);
  }
  return taken;
}

size_t BufferPool::bytes() const {
  size_t sum = 0;
  for (const std::shared_ptr<Buffer>& buffer : buffers_) {
    sum += buffer->capacity();
  }
  return sum;
}

}  // namespace pchronicle::columnar
