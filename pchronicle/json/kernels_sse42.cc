#include <bit>
#include <cstring>

#include "pchronicle/json/kernels.h"
#include "pchronicle/json/raw.h"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("sse4.2,popcnt,pclmul"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("sse4.2,popcnt,pclmul")
#endif

namespace pchronicle::json::internal {
namespace {

bool Supported() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") &&
         __builtin_cpu_supports("pclmul");
}

/// 64 bytes and questions about them, answered as bit maps.
class Block {
 public:
  explicit Block(const char* p)
      : v_{_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)),
           _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16)),
           _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 32)),
           _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 48))} {}

  uint64_t Equal(char c) const {
    const __m128i v = _mm_set1_epi8(c);
    return Bits(_mm_cmpeq_epi8(v_[0], v), _mm_cmpeq_epi8(v_[1], v), _mm_cmpeq_epi8(v_[2], v),
                _mm_cmpeq_epi8(v_[3], v));
  }
  uint64_t EqualFolded(char c) const {
    const __m128i v = _mm_set1_epi8(c), fold = _mm_set1_epi8(0x20);
    return Bits(
        _mm_cmpeq_epi8(_mm_or_si128(v_[0], fold), v), _mm_cmpeq_epi8(_mm_or_si128(v_[1], fold), v),
        _mm_cmpeq_epi8(_mm_or_si128(v_[2], fold), v), _mm_cmpeq_epi8(_mm_or_si128(v_[3], fold), v));
  }
  uint64_t Bit5() const {
    return Bits(_mm_slli_epi16(v_[0], 2), _mm_slli_epi16(v_[1], 2), _mm_slli_epi16(v_[2], 2),
                _mm_slli_epi16(v_[3], 2));
  }
  uint64_t Control() const {
    const __m128i v = _mm_set1_epi8(0x1f);
    return Bits(
        _mm_cmpeq_epi8(_mm_max_epu8(v_[0], v), v), _mm_cmpeq_epi8(_mm_max_epu8(v_[1], v), v),
        _mm_cmpeq_epi8(_mm_max_epu8(v_[2], v), v), _mm_cmpeq_epi8(_mm_max_epu8(v_[3], v), v));
  }
  uint64_t NonAscii() const { return Bits(v_[0], v_[1], v_[2], v_[3]); }
  uint64_t Blank() const { return Bits(Blank(v_[0]), Blank(v_[1]), Blank(v_[2]), Blank(v_[3])); }
  uint64_t Escape() const {
    return ~Bits(NoEscape(v_[0]), NoEscape(v_[1]), NoEscape(v_[2]), NoEscape(v_[3]));
  }
  uint64_t HexDigit() const {
    return ~Bits(NoHexDigit(v_[0]), NoHexDigit(v_[1]), NoHexDigit(v_[2]), NoHexDigit(v_[3]));
  }
  /// Of hexadecimal digits: those from `c` on.
  uint64_t FromDigit(char c) const {
    return Bits(FromDigit(v_[0], c), FromDigit(v_[1], c), FromDigit(v_[2], c), FromDigit(v_[3], c));
  }
  void Store(char* out) const {
    for (int i = 0; i < 4; ++i) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16 * i), v_[i]);
    }
  }

 private:
  static uint64_t Bits(__m128i a, __m128i b, __m128i c, __m128i d) {
    const auto low = static_cast<uint32_t>(_mm_movemask_epi8(a) | (_mm_movemask_epi8(b) << 16));
    const auto high = static_cast<uint32_t>(_mm_movemask_epi8(c) | (_mm_movemask_epi8(d) << 16));
    return low | (uint64_t{high} << 32);
  }
  // A blank is the byte that its own low four bits select.
  static __m128i Blank(__m128i v) {
    const __m128i table = _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0);
    return _mm_cmpeq_epi8(_mm_shuffle_epi8(table, v), v);
  }
  // One bit per upper half (2x, 5x, 6x, 7x); a character is good when both halves share one.
  static __m128i NoEscape(__m128i v) {
    const __m128i low = _mm_setr_epi8(0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);
    const __m128i high = _mm_setr_epi8(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m128i half = _mm_and_si128(_mm_srli_epi16(v, 4), _mm_set1_epi8(15));
    const __m128i common = _mm_and_si128(_mm_shuffle_epi8(low, v), _mm_shuffle_epi8(high, half));
    return _mm_cmpeq_epi8(common, _mm_setzero_si128());
  }
  // The same with 3x against 4x and 6x.
  static __m128i NoHexDigit(__m128i v) {
    const __m128i low = _mm_setr_epi8(1, 3, 3, 3, 3, 3, 3, 1, 1, 1, 0, 0, 0, 0, 0, 0);
    const __m128i high = _mm_setr_epi8(0, 0, 0, 1, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m128i half = _mm_and_si128(_mm_srli_epi16(v, 4), _mm_set1_epi8(15));
    const __m128i common = _mm_and_si128(_mm_shuffle_epi8(low, v), _mm_shuffle_epi8(high, half));
    return _mm_cmpeq_epi8(common, _mm_setzero_si128());
  }
  static __m128i FromDigit(__m128i v, char c) {
    const __m128i folded = _mm_or_si128(v, _mm_set1_epi8(0x20));
    return _mm_cmpeq_epi8(_mm_max_epu8(folded, _mm_set1_epi8(c)), folded);
  }

  __m128i v_[4];
};

inline uint64_t PrefixXor(uint64_t bits) {
  return static_cast<uint64_t>(_mm_cvtsi128_si64(
      _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<int64_t>(bits)), _mm_set1_epi8(-1), 0)));
}

#include "pchronicle/json/kernels_body.inc"

}  // namespace

const Kernels kSse42Kernels = PCHRONICLE_JSON_KERNEL_TABLE("sse42");

}  // namespace pchronicle::json::internal

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
