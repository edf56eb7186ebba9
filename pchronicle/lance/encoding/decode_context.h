#pragma once

#include <cstdint>
#include <span>

#include "pchronicle/base/result.h"
#include "pchronicle/codec/compression.h"
#include "pchronicle/columnar/buffer.h"

namespace pchronicle::lance {

using Bytes = std::span<const uint8_t>;

/// What decoders of one thread share. Not thread-safe.
struct DecodeContext {
  codec::ZstdDecompressor zstd;
  /// No single piece may be unpacked to more than this.
  uint64_t max_bytes = uint64_t{2} << 30;
  uint64_t chunks = 0;  // decoded so far

  /// The size of what `bytes` unpack to, checked against what is possible and against max_bytes.
  Result<uint64_t> UnpackedSize(uint32_t scheme, Bytes bytes) const;
  /// Unpacks into `out`, which has the size of UnpackedSize. Framing: lance.md B6.
  Status Unpack(uint32_t scheme, Bytes bytes, std::span<uint8_t> out);
  /// Both, into a buffer; gives the content.
  Result<Bytes> Unpack(uint32_t scheme, Bytes bytes, columnar::Buffer* out);
};

/// Little-endian numbers at any alignment. The caller has checked the length.
template <typename T>
inline T LoadLe(const uint8_t* bytes) {
  T value;
  __builtin_memcpy(&value, bytes, sizeof(T));
  return value;
}

}  // namespace pchronicle::lance
