#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::json {

/// Memory that text is read into, with room before the text for what its user still holds of the
/// text before, and kSlack bytes behind `capacity` that kernels may load.
struct Block {
  static constexpr size_t kRoom = 4 << 10;
  static constexpr size_t kSlack = 64;
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  /// Throws std::bad_alloc.
  static Block Allocate(size_t capacity);

  std::unique_ptr<char[], Free> data;  // of malloc, so that it can grow without a copy
  size_t capacity = 0;
  size_t begin = 0, end = 0;  // of the text in it
};

/// Sequential bytes. One reader, one thread.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills a prefix of `out`; 0 means the end. Short reads are legal.
  virtual Result<size_t> Read(std::span<char> out) = 0;
  /// Works for a bounded time towards the first byte where that has to be found (compressed input
  /// opened in its middle). False: call again, so that a caller can stop in between; Read does what
  /// is left.
  virtual Result<bool> Approach() { return true; }
  /// True when Take gives what Read would give in a block of its own, without a copy.
  virtual bool gives_blocks() const { return false; }
  /// The next bytes, at most a block, with Block::kRoom bytes free before them; no data at the end.
  /// `spare` is memory that the caller has no use for.
  virtual Result<Block> Take(Block spare) {
    static_cast<void>(spare);
    return Block();
  }
};

inline constexpr uint64_t kToEnd = UINT64_MAX;

/// One document or file that can be read again from any offset. Thread-safe; every ByteSource it
/// opens is independent.
class ByteInput {
 public:
  virtual ~ByteInput() = default;
  /// Bytes [offset, offset + length); a range past the end is cut.
  virtual Result<std::unique_ptr<ByteSource>> Open(uint64_t offset,
                                                   uint64_t length = kToEnd) const = 0;
  /// Bytes in all, where known before reading (not for compressed input).
  virtual std::optional<uint64_t> size() const = 0;
};

/// Text in memory, owned.
class MemoryInput final : public ByteInput {
 public:
  explicit MemoryInput(std::string text) : text_(std::move(text)) {}
  Result<std::unique_ptr<ByteSource>> Open(uint64_t offset, uint64_t length) const override;
  std::optional<uint64_t> size() const override { return text_.size(); }

 private:
  std::string text_;
};

}  // namespace pchronicle::json
