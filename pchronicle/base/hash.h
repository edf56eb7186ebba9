#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace pchronicle {

/// BLAKE3-256 over pieces of text, without separators between them. Copyable; not thread-safe.
class Blake3 {
 public:
  Blake3();
  void Update(std::string_view bytes);
  /// Appends the 8 bytes of `value`, least significant first.
  void UpdateU64(uint64_t value);
  /// First `chars` lowercase hex characters of the digest (at most 64). More pieces may follow.
  std::string Hex(size_t chars = 64) const;

 private:
  alignas(8) unsigned char state_[1920];  // the library's hasher; its header stays out of ours
};

/// BLAKE3-256 of the joined pieces as hex.
std::string Blake3Hex(std::initializer_list<std::string_view> pieces, size_t chars = 64);

/// Fast hashes for tables in memory; never written to disk and no defence against chosen input.
uint64_t Xxh3(std::string_view bytes, uint64_t seed = 0);

struct Hash128 {
  uint64_t low = 0, high = 0;
  auto operator<=>(const Hash128&) const = default;
};
/// Equal texts have equal hashes; two texts share one by accident with a chance of about 2^-128.
Hash128 Xxh3Wide(std::string_view bytes, uint64_t seed = 0);

/// For unordered containers of Hash128: the value is random already.
struct Hash128Hasher {
  size_t operator()(const Hash128& hash) const { return hash.low; }
};

}  // namespace pchronicle
