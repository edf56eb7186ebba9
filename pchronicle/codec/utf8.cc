#include "pchronicle/codec/utf8.h"

#include <simdjson.h>

#include <cstring>

namespace pchronicle::codec {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080;

bool IsAscii(std::span<const uint8_t> bytes) {
  const uint8_t* at = bytes.data();
  size_t left = bytes.size();
  // Several words at once, so that their loads do not wait for each other.
  for (; left >= 64; at += 64, left -= 64) {
    uint64_t words[8];
    std::memcpy(words, at, sizeof words);
    const uint64_t any =
        (words[0] | words[1] | words[2] | words[3]) | (words[4] | words[5] | words[6] | words[7]);
    if ((any & kHighBits) != 0) {
      return false;
    }
  }
  uint8_t any = 0;
  for (; left > 0; ++at, --left) {
    any |= *at;
  }
  return any < 0x80;
}

/// Together the texts are well-formed; so is each of them unless one starts inside a character.
template <typename Offset>
bool AreTexts(std::span<const uint8_t> bytes, std::span<const Offset> offsets) {
  if (offsets.empty()) {
    return true;
  }
  bytes = bytes.first(static_cast<size_t>(offsets.back()));
  if (IsAscii(bytes)) {
    return true;
  }
  if (!IsUtf8(bytes)) {
    return false;
  }
  for (const Offset offset : offsets) {
    const auto at = static_cast<size_t>(offset);
    if (at < bytes.size() && (bytes[at] & 0xc0) == 0x80) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool AreUtf8(std::span<const uint8_t> bytes, std::span<const int32_t> offsets) {
  return AreTexts(bytes, offsets);
}

bool AreUtf8(std::span<const uint8_t> bytes, std::span<const int64_t> offsets) {
  return AreTexts(bytes, offsets);
}

bool IsUtf8(std::span<const uint8_t> text) {
  return simdjson::validate_utf8(reinterpret_cast<const char*>(text.data()), text.size());
}

}  // namespace pchronicle::codec
