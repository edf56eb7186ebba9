#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "pchronicle/lance/encoding/chunk_encoder.h"
#include "pchronicle/lance/encoding/leaf_values.h"

namespace pchronicle::lance {

/// An encoder with what is known of the values.
struct SizedEncoder {
  std::unique_ptr<ChunkEncoder> encoder;
  uint64_t bytes = 0;  // that it will take, without levels and headers
  uint64_t runs = 0;   // of equal values; 0: not counted
};

/// `count` values of `width` bytes: flat, bit-packed by blocks, or runs, whichever is smallest;
/// known without encoding any. The values must outlive the encoder.
SizedEncoder MakeNumberEncoder(std::string_view values, size_t width, size_t count);

/// Booleans, a byte each: one bit.
std::unique_ptr<ChunkEncoder> MakeBitEncoder(std::string_view values);

/// Fixed size lists: validity of the items where some are null, then the items flat.
std::unique_ptr<ChunkEncoder> MakeFixedSizeListEncoder(const LeafValues& values);

/// The encoding of fixed size lists, for both page layouts; booleans take `bool_bits`.
proto::CompressiveEncoding FixedSizeListEncoding(const LeafValues& values, uint64_t bool_bits);

}  // namespace pchronicle::lance
