#include "pchronicle/base/base64.h"

#include <array>
#include <cstdint>

namespace pchronicle {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr int8_t kInvalid = -1;
constexpr int8_t kBlank = -2;

constexpr std::array<int8_t, 256> MakeDigits() {
  std::array<int8_t, 256> digits{};
  for (int8_t& digit : digits) {
    digit = kInvalid;
  }
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  digits['-'] = 62;
  digits['_'] = 63;
  for (const char blank : {' ', '\t', '\r', '\n'}) {
    digits[static_cast<unsigned char>(blank)] = kBlank;
  }
  return digits;
}
constexpr std::array<int8_t, 256> kDigits = MakeDigits();

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t have = bytes.size() - i < 3 ? bytes.size() - i : 3;
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < have ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += k <= have ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  uint32_t group = 0;
  int count = 0;
  size_t at = 0;
  for (; at < text.size() && text[at] != '='; ++at) {
    const int8_t digit = kDigits[static_cast<unsigned char>(text[at])];
    if (digit == kBlank) {
      continue;
    }
    if (digit == kInvalid) {
      return std::nullopt;
    }
    group = group << 6 | static_cast<uint32_t>(digit);
    if (++count == 4) {
      out += static_cast<char>(group >> 16 & 0xff);
      out += static_cast<char>(group >> 8 & 0xff);
      out += static_cast<char>(group & 0xff);
      group = 0;
      count = 0;
    }
  }
  for (; at < text.size(); ++at) {
    if (text[at] != '=' && kDigits[static_cast<unsigned char>(text[at])] != kBlank) {
      return std::nullopt;
    }
  }
  if (count == 1) {
    return std::nullopt;
  }
  if (count >= 2) {
    group <<= 6 * (4 - count);
    out += static_cast<char>(group >> 16 & 0xff);
    if (count == 3) {
      out += static_cast<char>(group >> 8 & 0xff);
    }
  }
  return out;
}

}  // namespace pchronicle
