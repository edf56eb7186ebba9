#include <bit>
#include <cstring>

#include "pchronicle/json/kernels.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::json::internal {
namespace {

bool Supported() { return true; }

/// 64 bytes and questions about them, answered as bit maps. Plain C++: any processor.
class Block {
 public:
  explicit Block(const char* p) { std::memcpy(bytes_, p, 64); }

  uint64_t Equal(char c) const {
    return Map([c](unsigned char b) { return b == static_cast<unsigned char>(c); });
  }
  /// Bytes that are `c` once bit 5 is set: one question for both kinds of bracket.
  uint64_t EqualFolded(char c) const {
    return Map([c](unsigned char b) { return (b | 0x20) == static_cast<unsigned char>(c); });
  }
  uint64_t Bit5() const {
    return Map([](unsigned char b) { return (b & 0x20) != 0; });
  }
  uint64_t Control() const {
    return Map([](unsigned char b) { return b < 0x20; });
  }
  uint64_t NonAscii() const {
    return Map([](unsigned char b) { return b >= 0x80; });
  }
  uint64_t Blank() const {
    return Map([](unsigned char b) { return b == ' ' || b == '\n' || b == '\r' || b == '\t'; });
  }
  /// Characters that may follow a backslash.
  uint64_t Escape() const {
    return Map([](unsigned char b) {
      return b == '"' || b == '\\' || b == '/' || b == 'b' || b == 'f' || b == 'n' || b == 'r' ||
             b == 't' || b == 'u';
    });
  }
  uint64_t HexDigit() const {
    return Map([](unsigned char b) {
      return static_cast<unsigned>(b - '0') < 10 || static_cast<unsigned>((b | 0x20) - 'a') < 6;
    });
  }
  /// Of hexadecimal digits: those from `c` on.
  uint64_t FromDigit(char c) const {
    return Map([c](unsigned char b) { return (b | 0x20) >= static_cast<unsigned char>(c); });
  }
  void Store(char* out) const { std::memcpy(out, bytes_, 64); }

 private:
  template <typename Question>
  uint64_t Map(Question question) const {
    uint64_t bits = 0;
    for (unsigned i = 0; i < 64; ++i) {
      bits |= uint64_t{question(bytes_[i])} << i;
    }
    return bits;
  }

  unsigned char bytes_[64];
};

/// Bit i of the result: parity of bits 0..i.
inline uint64_t PrefixXor(uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) {
    bits ^= bits << shift;
  }
  return bits;
}

#include "pchronicle/json/kernels_body.inc"

}  // namespace

const Kernels kScalarKernels = PCHRONICLE_JSON_KERNEL_TABLE("scalar");

}  // namespace pchronicle::json::internal
