#include "pchronicle/codec/bits.h"

#include <emmintrin.h>

#include <bit>
#include <cstring>

namespace pchronicle::codec {
namespace {

constexpr size_t kWordBits = 64;

uint64_t LowMask(size_t bits) {
  return bits >= kWordBits ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

/// Appends the bits of a word whose unused high bits are zero.
void PutWord(uint64_t word, uint8_t* bits, size_t at) {
  uint8_t* to = bits + (at >> 3);
  const unsigned shift = at & 7;
  const uint64_t low = (to[0] & LowMask(shift)) | word << shift;
  std::memcpy(to, &low, sizeof(low));
  if (shift != 0) {
    to[8] = static_cast<uint8_t>(word >> (kWordBits - shift));
  }
}

/// `count` <= 64 bits from bit `at` on; reads no byte that holds none of them.
uint64_t GetWord(const uint8_t* bits, size_t at, size_t count) {
  const uint8_t* from = bits + (at >> 3);
  const unsigned shift = at & 7;
  const size_t bytes = BitmapBytes(shift + count);
  uint64_t low = 0;
  std::memcpy(&low, from, bytes < 8 ? bytes : 8);
  uint64_t word = low >> shift;
  if (bytes > 8) {
    word |= static_cast<uint64_t>(from[8]) << (kWordBits - shift);
  }
  return word & LowMask(count);
}

template <typename WordAt>
void PutWords(size_t count, uint8_t* bits, size_t at, WordAt&& word_at) {
  for (size_t i = 0; i < count; i += kWordBits) {
    PutWord(word_at(i, count - i < kWordBits ? count - i : kWordBits), bits, at + i);
  }
}

/// Bit i of the result: levels[i] < limit, for 16 levels.
uint64_t Compare16(const uint16_t* levels, __m128i limit) {
  // Signed comparison of shifted numbers is unsigned comparison.
  const __m128i shift = _mm_set1_epi16(INT16_MIN);
  const auto half = [&](const uint16_t* p) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm_cmplt_epi16(_mm_xor_si128(x, shift), limit);
  };
  return static_cast<uint64_t>(
      static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(half(levels), half(levels + 8)))));
}

}  // namespace

void FillBits(bool value, size_t count, uint8_t* bits, size_t at) {
  const uint64_t word = value ? ~uint64_t{0} : 0;
  PutWords(count, bits, at, [&](size_t, size_t n) { return word & LowMask(n); });
}

void CopyBits(const uint8_t* from, size_t from_at, size_t count, uint8_t* bits, size_t at) {
  PutWords(count, bits, at, [&](size_t i, size_t n) { return GetWord(from, from_at + i, n); });
}

void BytesToBits(const uint8_t* bytes, size_t count, uint8_t* bits, size_t at) {
  PutWords(count, bits, at, [&](size_t i, size_t n) {
    uint64_t word = 0;
    for (size_t k = 0; k < n; ++k) {
      word |= static_cast<uint64_t>(bytes[i + k] & 1) << k;
    }
    return word;
  });
}

size_t LevelsToBits(const uint16_t* levels, size_t count, uint16_t limit, uint8_t* bits,
                    size_t at) {
  size_t set = 0;
  const __m128i shifted = _mm_set1_epi16(static_cast<int16_t>(limit ^ 0x8000));
  PutWords(count, bits, at, [&](size_t i, size_t n) {
    uint64_t word = 0;
    size_t k = 0;
    for (; k + 16 <= n; k += 16) {
      word |= Compare16(levels + i + k, shifted) << k;
    }
    for (; k < n; ++k) {
      word |= static_cast<uint64_t>(levels[i + k] < limit) << k;
    }
    set += static_cast<size_t>(std::popcount(word));
    return word;
  });
  return set;
}

size_t CountBits(const uint8_t* bits, size_t at, size_t count) {
  size_t set = 0;
  for (size_t i = 0; i < count; i += kWordBits) {
    set += static_cast<size_t>(
        std::popcount(GetWord(bits, at + i, count - i < kWordBits ? count - i : kWordBits)));
  }
  return set;
}

}  // namespace pchronicle::codec
