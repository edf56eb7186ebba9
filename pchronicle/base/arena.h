#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace pchronicle {

/// Bump allocator for text that lives as long as the arena. Views stay valid until Reset or
/// destruction, also when the arena is moved. Not thread-safe.
class Arena {
 public:
  explicit Arena(size_t block_bytes = 64 << 10) : block_bytes_(block_bytes) {}
  Arena(Arena&&) noexcept = default;
  Arena& operator=(Arena&&) noexcept = default;

  /// Uninitialised room for `size` bytes.
  char* Allocate(size_t size) {
    if (size > left_) {
      Grow(size);
    }
    char* p = at_;
    at_ += size;
    left_ -= size;
    return p;
  }
  std::string_view Copy(std::string_view text);
  /// Gives back the unused end of the last Allocate: only `used` of `allocated` bytes are kept.
  void Shrink(size_t allocated, size_t used) {
    at_ -= allocated - used;
    left_ += allocated - used;
  }
  /// Forgets everything; keeps one block for reuse.
  void Reset();
  /// Bytes held in blocks, used or not.
  size_t bytes() const { return bytes_; }

 private:
  void Grow(size_t size);

  struct Block {
    std::unique_ptr<char[]> data;
    size_t size;
  };
  std::vector<Block> blocks_;
  char* at_ = nullptr;
  size_t left_ = 0;
  size_t block_bytes_;
  size_t bytes_ = 0;
};

}  // namespace pchronicle
