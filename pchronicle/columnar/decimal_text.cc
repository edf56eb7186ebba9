#include "pchronicle/columnar/decimal_text.h"

#include <algorithm>

namespace pchronicle::columnar {

std::string DecimalText(std::string_view little_endian, int32_t scale) {
  std::string bytes(little_endian.rbegin(), little_endian.rend());  // most significant first
  const bool negative = !bytes.empty() && (bytes[0] & 0x80) != 0;
  if (negative) {
    unsigned carry = 1;
    for (size_t i = bytes.size(); i-- > 0;) {
      carry += static_cast<uint8_t>(~static_cast<uint8_t>(bytes[i]));
      bytes[i] = static_cast<char>(carry);
      carry >>= 8;
    }
  }
  std::string digits;  // least significant first
  while (std::any_of(bytes.begin(), bytes.end(), [](char c) { return c != 0; })) {
    unsigned rest = 0;
    for (char& c : bytes) {
      rest = rest << 8 | static_cast<uint8_t>(c);
      c = static_cast<char>(rest / 10);
      rest %= 10;
    }
    digits += static_cast<char>('0' + rest);
  }
  if (scale < 0) {
    digits.insert(0, std::min<size_t>(static_cast<size_t>(-int64_t{scale}), 80), '0');
  }
  const size_t fraction = scale > 0 ? static_cast<size_t>(scale) : 0;
  while (digits.size() <= std::min<size_t>(fraction, 80)) {
    digits += '0';
  }
  if (fraction > 0 && fraction < digits.size()) {
    digits.insert(fraction, 1, '.');
  }
  if (negative) {
    digits += '-';
  }
  return {digits.rbegin(), digits.rend()};
}

}  // namespace pchronicle::columnar
