#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "pchronicle/base/result.h"

namespace pchronicle::codec {

using Bytes = std::span<const uint8_t>;

/// Decompresses zstd frames; keep one for each thread, its tables are expensive. Not thread-safe.
class ZstdDecompressor {
 public:
  ZstdDecompressor();
  ~ZstdDecompressor();
  ZstdDecompressor(const ZstdDecompressor&) = delete;
  ZstdDecompressor& operator=(const ZstdDecompressor&) = delete;

  /// One frame into `out`, which it must fill exactly (kCorruption).
  Status Decompress(Bytes frame, std::span<uint8_t> out);

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

/// Size of what a frame holds, as its header says; kUnsupported when it does not say.
Result<uint64_t> ZstdFrameSize(Bytes frame);
/// True when the bytes start with the magic number of a zstd frame.
bool IsZstdFrame(Bytes bytes);
/// No frame of `compressed` bytes holds more: what a size from outside is checked against.
uint64_t ZstdMaxContent(uint64_t compressed);

/// Compresses to zstd frames. Not thread-safe.
class ZstdCompressor {
 public:
  explicit ZstdCompressor(int level = 3);
  ~ZstdCompressor();
  ZstdCompressor(const ZstdCompressor&) = delete;
  ZstdCompressor& operator=(const ZstdCompressor&) = delete;

  static size_t MaxCompressed(size_t size);
  /// Gives the size of the frame; `out` has room for MaxCompressed(in.size()).
  Result<size_t> Compress(Bytes in, std::span<uint8_t> out);

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
  int level_;
};

/// One LZ4 block into `out`, which it must fill exactly (kCorruption). Thread-safe.
Status Lz4Decompress(Bytes block, std::span<uint8_t> out);
/// One LZ4 frame, checksums included, into `out`, which it must fill exactly (kCorruption).
/// Thread-safe.
Status Lz4FrameDecompress(Bytes frame, std::span<uint8_t> out);
/// No block of `compressed` bytes holds more, and no frame.
uint64_t Lz4MaxContent(uint64_t compressed);

}  // namespace pchronicle::codec
