#pragma once

#include <cstddef>
#include <cstdint>

namespace pchronicle::codec {

// Bitmaps, least significant bit first. Functions that write `count` bits from bit `at` on keep the
// bits before `at`; the bits behind may be overwritten, up to 8 bytes beyond the last one: they
// append. All pointers may have any alignment.

inline bool GetBit(const uint8_t* bits, size_t i) { return (bits[i >> 3] >> (i & 7) & 1) != 0; }

inline constexpr size_t BitmapBytes(size_t bits) { return bits / 8 + (bits % 8 != 0 ? 1 : 0); }

void FillBits(bool value, size_t count, uint8_t* bits, size_t at);
void CopyBits(const uint8_t* from, size_t from_at, size_t count, uint8_t* bits, size_t at);
/// Bit i is `bytes[i] & 1`.
void BytesToBits(const uint8_t* bytes, size_t count, uint8_t* bits, size_t at);
/// Bit i is `levels[i] < limit`; gives how many are.
size_t LevelsToBits(const uint16_t* levels, size_t count, uint16_t limit, uint8_t* bits, size_t at);
size_t CountBits(const uint8_t* bits, size_t at, size_t count);

}  // namespace pchronicle::codec
