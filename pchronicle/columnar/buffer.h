#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace pchronicle::columnar {

/// Growing memory of an array, aligned to 64 bytes. Behind size() at least kPadding more bytes may
/// be read and written, so that kernels can load and store whole words at the end. Filled by one
/// thread, then shared as `std::shared_ptr<const Buffer>` and immutable.
class Buffer {
 public:
  static constexpr size_t kPadding = 64;

  Buffer() = default;
  explicit Buffer(size_t size) { Resize(size); }
  Buffer(Buffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  const uint8_t* data() const { return data_.get(); }
  uint8_t* data() { return data_.get(); }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_.get());
  }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_.get());
  }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }

  /// Keeps the content; new bytes are not initialised.
  void Resize(size_t size) {
    if (size > capacity_ || data_ == nullptr) {
      Grow(size);
    }
    size_ = size;
  }
  /// Room for `more` bytes behind size() beside the padding; gives their address.
  uint8_t* Reserve(size_t more) {
    if (more > capacity_ - size_ || data_ == nullptr) {
      Grow(size_ + more);
    }
    return data_.get() + size_;
  }
  /// Makes `more` bytes that were written behind size() part of the buffer.
  void Advance(size_t more) { size_ += more; }
  void Append(const void* bytes, size_t size);
  /// Appends `size` zero bytes.
  void AppendZeros(size_t size);
  void Clear() { size_ = 0; }

 private:
  struct Free {
    void operator()(uint8_t* p) const;
  };
  void Grow(size_t size);

  std::unique_ptr<uint8_t[], Free> data_;
  size_t size_ = 0, capacity_ = 0;
};

using BufferPtr = std::shared_ptr<const Buffer>;

/// Hands out buffers and takes those back that nobody holds any more, so that one batch after the
/// other is decoded into the same warm memory. One thread takes; holders may let go on any thread.
class BufferPool {
 public:
  /// An empty buffer, one that was used before when there is one.
  std::shared_ptr<Buffer> Take();
  /// Bytes of all buffers, held outside or not.
  size_t bytes() const;

 private:
  std::vector<std::shared_ptr<Buffer>> buffers_;
};

}  // namespace pchronicle::columnar
