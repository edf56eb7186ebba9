#include "pchronicle/json/utf8.h"

#include <simdjson.h>

namespace pchronicle::json {
namespace {

// Length of the well-formed sequence at the start of `s`; 0 when ill-formed. `*cut`: only the end
// of `s` is missing.
size_t SequenceLength(std::string_view s, bool* cut) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  *cut = false;
  if (lead < 0x80) {
    return 1;
  }
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) {
    return 0;
  }
  for (size_t i = 1; i < length; ++i) {
    if (i == s.size()) {
      *cut = true;
      return 0;
    }
    unsigned char low = 0x80, high = 0xbf;
    if (i == 1) {
      low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : low;
      high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : high;
    }
    if (byte(i) < low || byte(i) > high) {
      return 0;
    }
  }
  return length;
}

}  // namespace

bool IsValidUtf8(std::string_view text) {
  // The call has a fixed price that short texts (keys) need not pay.
  if (text.size() < 32) {
    return FindInvalidUtf8(text) == std::string_view::npos;
  }
  return simdjson::validate_utf8(text.data(), text.size());
}

size_t FindInvalidUtf8(std::string_view text, bool cut_end) {
  size_t at = 0;
  while (at < text.size()) {
    bool cut = false;
    const size_t length = SequenceLength(text.substr(at), &cut);
    if (length == 0) {
      return cut && cut_end ? std::string_view::npos : at;
    }
    at += length;
  }
  return std::string_view::npos;
}

char* EncodeUtf8(char32_t code_point, char* out) {
  const auto put = [&out](char32_t byte) { *out++ = static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    put(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    put(0xe0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3f));
    put(0x80 | (code_point & 0x3f));
  } else {
    put(0xf0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3f));
    put(0x80 | (code_point >> 6 & 0x3f));
    put(0x80 | (code_point & 0x3f));
  }
  return out;
}

}  // namespace pchronicle::json
