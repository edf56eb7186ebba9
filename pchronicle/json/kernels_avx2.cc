#include <bit>
#include <cstring>

#include "pchronicle/json/kernels.h"
#include "pchronicle/json/raw.h"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,pclmul"))), \
                                 apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt,pclmul")
#endif

namespace pchronicle::json::internal {
namespace {

bool Supported() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
         __builtin_cpu_supports("pclmul");
}

/// 64 bytes and questions about them, answered as bit maps.
class Block {
 public:
  explicit Block(const char* p)
      : a_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))),
        b_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32))) {}

  uint64_t Equal(char c) const {
    const __m256i v = _mm256_set1_epi8(c);
    return Bits(_mm256_cmpeq_epi8(a_, v), _mm256_cmpeq_epi8(b_, v));
  }
  uint64_t EqualFolded(char c) const {
    const __m256i v = _mm256_set1_epi8(c), fold = _mm256_set1_epi8(0x20);
    return Bits(_mm256_cmpeq_epi8(_mm256_or_si256(a_, fold), v),
                _mm256_cmpeq_epi8(_mm256_or_si256(b_, fold), v));
  }
  uint64_t Bit5() const { return Bits(_mm256_slli_epi16(a_, 2), _mm256_slli_epi16(b_, 2)); }
  uint64_t Control() const {
    const __m256i v = _mm256_set1_epi8(0x1f);
    return Bits(_mm256_cmpeq_epi8(_mm256_max_epu8(a_, v), v),
                _mm256_cmpeq_epi8(_mm256_max_epu8(b_, v), v));
  }
  uint64_t NonAscii() const { return Bits(a_, b_); }
  uint64_t Blank() const { return Bits(Blank(a_), Blank(b_)); }
  uint64_t Escape() const { return ~Bits(NoEscape(a_), NoEscape(b_)); }
  uint64_t HexDigit() const { return ~Bits(NoHexDigit(a_), NoHexDigit(b_)); }
  /// Of hexadecimal digits: those from `c` on.
  uint64_t FromDigit(char c) const { return Bits(FromDigit(a_, c), FromDigit(b_, c)); }
  void Store(char* out) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), a_);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32), b_);
  }

 private:
  static uint64_t Bits(__m256i a, __m256i b) {
    const auto low = static_cast<uint32_t>(_mm256_movemask_epi8(a));
    const auto high = static_cast<uint32_t>(_mm256_movemask_epi8(b));
    return low | (uint64_t{high} << 32);
  }
  // A blank is the byte that its own low four bits select.
  static __m256i Blank(__m256i v) {
    const __m256i table =
        _mm256_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0,  //
                         ' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0);
    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, v), v);
  }
  // One bit per upper half (2x, 5x, 6x, 7x); a character is good when both halves share one.
  static __m256i NoEscape(__m256i v) {
    const __m256i low = _mm256_setr_epi8(0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1,  //
                                         0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);
    const __m256i high = _mm256_setr_epi8(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                          0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i half = _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
    const __m256i common =
        _mm256_and_si256(_mm256_shuffle_epi8(low, v), _mm256_shuffle_epi8(high, half));
    return _mm256_cmpeq_epi8(common, _mm256_setzero_si256());
  }
  // The same with 3x against 4x and 6x.
  static __m256i NoHexDigit(__m256i v) {
    const __m256i low = _mm256_setr_epi8(1, 3, 3, 3, 3, 3, 3, 1, 1, 1, 0, 0, 0, 0, 0, 0,  //
                                         1, 3, 3, 3, 3, 3, 3, 1, 1, 1, 0, 0, 0, 0, 0, 0);
    const __m256i high = _mm256_setr_epi8(0, 0, 0, 1, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                          0, 0, 0, 1, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i half = _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
    const __m256i common =
        _mm256_and_si256(_mm256_shuffle_epi8(low, v), _mm256_shuffle_epi8(high, half));
    return _mm256_cmpeq_epi8(common, _mm256_setzero_si256());
  }
  static __m256i FromDigit(__m256i v, char c) {
    const __m256i folded = _mm256_or_si256(v, _mm256_set1_epi8(0x20));
    return _mm256_cmpeq_epi8(_mm256_max_epu8(folded, _mm256_set1_epi8(c)), folded);
  }

  __m256i a_, b_;
};

inline uint64_t PrefixXor(uint64_t bits) {
  return static_cast<uint64_t>(_mm_cvtsi128_si64(
      _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<int64_t>(bits)), _mm_set1_epi8(-1), 0)));
}

#include "pchronicle/json/kernels_body.inc"

}  // namespace

const Kernels kAvx2Kernels = PCHRONICLE_JSON_KERNEL_TABLE("avx2");

}  // namespace pchronicle::json::internal

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
