#include "tests/compat/lance/sha256.h"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace pchronicle::compat {
namespace {

bool IsPrime(uint32_t n) {
  for (uint32_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) {
      return false;
    }
  }
  return true;
}

// FIPS 180-4: the first 32 bits of the fractional parts of roots of the first primes. An integer
// root search is exact, where floating point may not be.
uint32_t FractionBits(uint32_t prime, unsigned degree) {
  using Wide = unsigned __int128;
  uint64_t low = 0, high = uint64_t{1} << 40;  // root * 2^32
  while (low + 1 < high) {
    const uint64_t middle = (low + high) / 2;
    Wide power = middle;
    for (unsigned i = 1; i < degree; ++i) {
      power *= middle;
    }
    (power <= Wide{prime} << (32 * degree) ? low : high) = middle;
  }
  return static_cast<uint32_t>(low);
}

struct Constants {
  std::array<uint32_t, 8> start;
  std::array<uint32_t, 64> round;
  Constants() {
    size_t n = 0;
    for (uint32_t p = 2; n < round.size(); ++p) {
      if (IsPrime(p)) {
        if (n < start.size()) {
          start[n] = FractionBits(p, 2);
        }
        round[n++] = FractionBits(p, 3);
      }
    }
  }
};

void Compress(const Constants& constants, const uint8_t* block, std::array<uint32_t, 8>* state) {
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 16; ++i) {
    for (size_t k = 0; k < 4; ++k) {
      w[i] = w[i] << 8 | block[4 * i + k];
    }
  }
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  std::array<uint32_t, 8> v = *state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
    const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const uint32_t t1 = v[7] + s1 + choice + constants.round[i] + w[i];
    const uint32_t s0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
    const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    v = {t1 + s0 + majority, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
  }
  for (size_t i = 0; i < 8; ++i) {
    (*state)[i] += v[i];
  }
}

}  // namespace

std::string Sha256Hex(std::string_view bytes) {
  static const Constants constants;
  std::string padded(bytes);
  padded += '\x80';
  padded.append((120 - padded.size() % 64) % 64, '\0');
  for (int shift = 56; shift >= 0; shift -= 8) {
    padded += static_cast<char>(static_cast<uint64_t>(bytes.size()) * 8 >> shift);
  }
  std::array<uint32_t, 8> state = constants.start;
  for (size_t at = 0; at < padded.size(); at += 64) {
    Compress(constants, reinterpret_cast<const uint8_t*>(padded.data()) + at, &state);
  }
  std::string out;
  for (const uint32_t word : state) {
    out += fmt::format("{:08x}", word);
  }
  return out;
}

}  // namespace pchronicle::compat
