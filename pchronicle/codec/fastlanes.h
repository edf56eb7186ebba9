#pragma once

#include <cstddef>
#include <cstdint>

namespace pchronicle::codec {

/// FastLanes bit packing: blocks of 1024 values of `width` bits in words of T bits, interleaved
/// over 1024/T lanes so that plain loops unpack them with vector instructions (lance.md B7). A
/// block takes width * 128 bytes, for every T. Thread-safe.
inline constexpr size_t kFastLanesBlock = 1024;
inline constexpr size_t FastLanesBytes(unsigned width) { return size_t{width} * 128; }

/// `width` <= bits of T; `packed` holds FastLanesBytes(width), at any alignment; `out` 1024 values.
void FastLanesUnpack(unsigned width, const uint8_t* packed, uint8_t* out);
void FastLanesUnpack(unsigned width, const uint8_t* packed, uint16_t* out);
void FastLanesUnpack(unsigned width, const uint8_t* packed, uint32_t* out);
void FastLanesUnpack(unsigned width, const uint8_t* packed, uint64_t* out);

/// The inverse; bits of a value above `width` are lost. `values` are 1024.
void FastLanesPack(unsigned width, const uint8_t* values, uint8_t* packed);
void FastLanesPack(unsigned width, const uint16_t* values, uint8_t* packed);
void FastLanesPack(unsigned width, const uint32_t* values, uint8_t* packed);
void FastLanesPack(unsigned width, const uint64_t* values, uint8_t* packed);

}  // namespace pchronicle::codec
