#include "pchronicle/base/hash.h"

#include <blake3.h>

#define XXH_INLINE_ALL  // the header is all there is; no library to link
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <new>

namespace pchronicle {
namespace {

static_assert(sizeof(blake3_hasher) <= 1920);
static_assert(alignof(blake3_hasher) <= 8);

std::string ToHex(const std::array<uint8_t, BLAKE3_OUT_LEN>& digest, size_t chars) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  chars = std::min(chars, digest.size() * 2);
  hex.reserve(chars);
  for (size_t i = 0; i < chars; ++i) {
    const uint8_t byte = digest[i / 2];
    hex.push_back(kDigits[i % 2 == 0 ? byte >> 4 : byte & 15]);
  }
  return hex;
}

}  // namespace

Blake3::Blake3() { blake3_hasher_init(new (state_) blake3_hasher); }

void Blake3::Update(std::string_view bytes) {
  blake3_hasher_update(std::launder(reinterpret_cast<blake3_hasher*>(state_)), bytes.data(),
                       bytes.size());
}

void Blake3::UpdateU64(uint64_t value) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(value >> (8 * i) & 0xff);
  }
  Update({bytes, sizeof bytes});
}

std::string Blake3::Hex(size_t chars) const {
  std::array<uint8_t, BLAKE3_OUT_LEN> digest;
  blake3_hasher_finalize(std::launder(reinterpret_cast<const blake3_hasher*>(state_)),
                         digest.data(), digest.size());
  return ToHex(digest, chars);
}

std::string Blake3Hex(std::initializer_list<std::string_view> pieces, size_t chars) {
  Blake3 hasher;
  for (const std::string_view piece : pieces) {
    hasher.Update(piece);
  }
  return hasher.Hex(chars);
}

uint64_t Xxh3(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Hash128 Xxh3Wide(std::string_view bytes, uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace pchronicle
