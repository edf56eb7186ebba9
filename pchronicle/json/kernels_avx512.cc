#include <bit>
#include <cstring>

#include "pchronicle/json/kernels.h"
#include "pchronicle/json/raw.h"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(                                                                   \
        __attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt,pclmul"))), \
            apply_to = function)
#else
// GCC 12 takes the undefined registers of its own intrinsics for variables of ours.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC push_options
#pragma GCC target( \
        "avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt,pclmul,prefer-vector-width=512")
#endif

namespace pchronicle::json::internal {
namespace {

bool Supported() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul");
}

/// 64 bytes and questions about them, answered as bit maps.
class Block {
 public:
  explicit Block(const char* p) : v_(_mm512_loadu_si512(p)) {}

  uint64_t Equal(char c) const { return _mm512_cmpeq_epi8_mask(v_, _mm512_set1_epi8(c)); }
  uint64_t EqualFolded(char c) const {
    return _mm512_cmpeq_epi8_mask(_mm512_or_si512(v_, _mm512_set1_epi8(0x20)), _mm512_set1_epi8(c));
  }
  uint64_t Bit5() const { return _mm512_test_epi8_mask(v_, _mm512_set1_epi8(0x20)); }
  uint64_t Control() const { return _mm512_cmplt_epu8_mask(v_, _mm512_set1_epi8(0x20)); }
  uint64_t NonAscii() const { return _mm512_movepi8_mask(v_); }
  // A blank is the byte that its own low four bits select.
  uint64_t Blank() const {
    const __m512i table = _mm512_broadcast_i32x4(
        _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0));
    return _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(table, v_), v_);
  }
  // One bit per upper half (2x, 5x, 6x, 7x); a character is good when both halves share one.
  uint64_t Escape() const {
    const __m512i low =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1));
    const __m512i high =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m512i half = _mm512_and_si512(_mm512_srli_epi16(v_, 4), _mm512_set1_epi8(15));
    return _mm512_test_epi8_mask(_mm512_shuffle_epi8(low, v_), _mm512_shuffle_epi8(high, half));
  }
  // The same with 3x against 4x and 6x.
  uint64_t HexDigit() const {
    const __m512i low =
        _mm512_broadcast_i32x4(_mm_setr_epi8(1, 3, 3, 3, 3, 3, 3, 1, 1, 1, 0, 0, 0, 0, 0, 0));
    const __m512i high =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 1, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m512i half = _mm512_and_si512(_mm512_srli_epi16(v_, 4), _mm512_set1_epi8(15));
    return _mm512_test_epi8_mask(_mm512_shuffle_epi8(low, v_), _mm512_shuffle_epi8(high, half));
  }
  /// Of hexadecimal digits: those from `c` on.
  uint64_t FromDigit(char c) const {
    return _mm512_cmpge_epu8_mask(_mm512_or_si512(v_, _mm512_set1_epi8(0x20)), _mm512_set1_epi8(c));
  }
  void Store(char* out) const { _mm512_storeu_si512(out, v_); }

 private:
  __m512i v_;
};

inline uint64_t PrefixXor(uint64_t bits) {
  return static_cast<uint64_t>(_mm_cvtsi128_si64(
      _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<int64_t>(bits)), _mm_set1_epi8(-1), 0)));
}

#include "pchronicle/json/kernels_body.inc"

}  // namespace

const Kernels kAvx512Kernels = PCHRONICLE_JSON_KERNEL_TABLE("avx512");

}  // namespace pchronicle::json::internal

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
