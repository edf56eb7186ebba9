#include "pchronicle/json/raw.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "pchronicle/json/kernels.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::json {
namespace {

using internal::ActiveKernels;
using internal::Bounds;

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// Of valid digits: letters have bit 6 set and begin at 1.
uint32_t HexDigit(char c) {
  const auto code = static_cast<unsigned char>(c);
  return (code & 15u) + (code >> 6) * 9u;
}

uint32_t HexFour(const char* p) {
  return HexDigit(p[0]) << 12 | HexDigit(p[1]) << 8 | HexDigit(p[2]) << 4 | HexDigit(p[3]);
}

bool IsHigh(uint32_t unit) { return (unit & 0xfc00) == 0xd800; }
bool IsLow(uint32_t unit) { return (unit & 0xfc00) == 0xdc00; }

/// Unit of the \uXXXX at p, or 0 when there is none before `end`.
uint32_t UnitAt(const char* p, const char* end) {
  return end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? HexFour(p + 2) : 0;
}

/// Writes \ufffd over the lone surrogate escapes of one string.
void ReplaceLoneSurrogates(char* p, char* end) {
  while ((p = static_cast<char*>(std::memchr(p, '\\', static_cast<size_t>(end - p)))) != nullptr) {
    const uint32_t unit = UnitAt(p, end);
    if (unit == 0) {
      p += p[1] == 'u' ? 6 : 2;
    } else if (IsHigh(unit) && IsLow(UnitAt(p + 6, end))) {
      p += 12;
    } else {
      if (IsHigh(unit) || IsLow(unit)) {
        std::memcpy(p, "\\ufffd", 6);
      }
      p += 6;
    }
  }
}

/// Behind the closing quote of the string that starts at p.
const char* StringEnd(const char* p, const char* end) {
  uint64_t escaped = 0;
  return ActiveKernels().skip_string(&escaped, p + 1, Bounds{end, end}) + 1;
}

char EscapedCharacter(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;  // '"', '\' and '/' stand for themselves
  }
}

/// Decodes the escape at p; `*out` moves behind its characters.
const char* DecodeEscape(const char* p, const char* end, char** out) {
  if (p[1] != 'u') {
    *(*out)++ = EscapedCharacter(p[1]);
    return p + 2;
  }
  const uint32_t unit = HexFour(p + 2);
  p += 6;
  if (!IsHigh(unit) && !IsLow(unit)) {
    *out = EncodeUtf8(unit, *out);
    return p;
  }
  if (IsHigh(unit)) {
    const uint32_t low = UnitAt(p, end);
    if (IsLow(low)) {
      *out = EncodeUtf8(0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff), *out);
      return p + 6;
    }
  }
  *out = EncodeUtf8(0xfffd, *out);
  return p;
}

}  // namespace

std::string_view CellText(const Raw& raw, Surrogates surrogates, Arena& arena) {
  const bool replace = surrogates == Surrogates::kReplace && (raw.flags & kHasLoneSurrogate) != 0;
  if ((raw.flags & (kHasBlanks | kHasNonFinite)) == 0 && !replace) {
    return raw.text;
  }
  // `null` is longer than NaN by one.
  const size_t room =
      raw.text.size() + ((raw.flags & kHasNonFinite) != 0 ? raw.text.size() / 3 + 1 : 0);
  char* const start = arena.Allocate(room);
  char* out = start;
  const char* p = raw.text.data();
  const char* const end = p + raw.text.size();
  const internal::Kernels& kernels = ActiveKernels();
  while (p != end) {
    const char c = *p;
    if (c == '"') {
      const char* const after = StringEnd(p, end);
      const auto size = static_cast<size_t>(after - p);
      std::memcpy(out, p, size);
      if (replace) {
        ReplaceLoneSurrogates(out, out + size);
      }
      out += size;
      p = after;
    } else if (IsBlank(c)) {
      p = kernels.blanks(p + 1, Bounds{end, end});
    } else if (c == 'N' || c == 'I') {
      if (out != start && out[-1] == '-') {
        --out;
      }
      std::memcpy(out, "null", 4);
      out += 4;
      p += c == 'N' ? 3 : 8;
    } else {
      *out++ = c;
      ++p;
    }
  }
  const auto used = static_cast<size_t>(out - start);
  arena.Shrink(room, used);
  return {start, used};
}

std::string_view DecodeString(const Raw& raw, Arena& arena) {
  const std::string_view text = raw.text.substr(1, raw.text.size() - 2);
  if ((raw.flags & kHasEscapes) == 0) {
    return text;
  }
  // Nothing decodes to more bytes than it is written with (a lone surrogate: 6 bytes to 3).
  const size_t room = text.size() + 64;
  char* const start = arena.Allocate(room);
  char* out = start;
  const char* p = text.data();
  const char* const end = p + text.size();
  const internal::Kernels& kernels = ActiveKernels();
  while (true) {
    // The quote behind the text belongs to the value, so blocks may be loaded up to it.
    p = kernels.copy_to_backslash(&out, p, Bounds{end, end});
    if (p == end) {
      break;
    }
    do {
      p = DecodeEscape(p, end, &out);
    } while (p != end && *p == '\\');
  }
  const auto used = static_cast<size_t>(out - start);
  arena.Shrink(room, used);
  return {start, used};
}

Raw RawFromText(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && IsBlank(text.back())) {
    text.remove_suffix(1);
  }
  if (text.empty()) {
    return {};
  }
  internal::Brackets brackets;
  internal::CheckState state{
      .brackets = &brackets, .base_depth = 0, .max_depth = internal::kDepthCeiling};
  state.string.final = true;
  const char* const end = text.data() + text.size();
  const char* const p = ActiveKernels().check(state, text.data(), Bounds{end, end});
  if (state.expect != internal::Expect::kDone || p != end ||
      (state.string.non_ascii && !IsValidUtf8(text))) {
    return {};
  }
  Raw raw{text, Kind::kNumber, state.string.flags};
  switch (text.front()) {
    case '{':
      raw.kind = Kind::kObject;
      break;
    case '[':
      raw.kind = Kind::kArray;
      break;
    case '"':
      raw.kind = Kind::kString;
      break;
    case 't':
    case 'f':
      raw.kind = Kind::kBool;
      break;
    default:
      if (text == "null" || (raw.flags & kHasNonFinite) != 0) {
        raw.kind = Kind::kNull;
      }
  }
  return raw;
}

void AppendQuoted(std::string_view text, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  const internal::Kernels& kernels = ActiveKernels();
  const char* p = text.data();
  const char* const end = p + text.size();
  out += '"';
  while (true) {
    const char* const stop = kernels.needs_escape(p, Bounds{end, end});
    out.append(p, static_cast<size_t>(stop - p));
    if (stop == end) {
      break;
    }
    const auto c = static_cast<unsigned char>(*stop);
    const char* const shorts = "\b\f\n\r\t\"\\";
    const char* const found = c == 0 ? nullptr : std::strchr(shorts, c);
    if (found != nullptr) {
      out += '\\';
      out += "bfnrt\"\\"[found - shorts];
    } else {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
    p = stop + 1;
  }
  out += '"';
}

bool ToInt64(const Raw& raw, int64_t* out) {
  if (raw.kind != Kind::kNumber) {
    return false;
  }
  const char* const end = raw.text.data() + raw.text.size();
  const auto [at, error] = std::from_chars(raw.text.data(), end, *out);
  return error == std::errc() && at == end;
}

bool ToDouble(const Raw& raw, double* out) {
  if (raw.kind != Kind::kNumber) {
    return false;
  }
  const char* const end = raw.text.data() + raw.text.size();
  const auto [at, error] = std::from_chars(raw.text.data(), end, *out);
  if (error == std::errc()) {
    return at == end;
  }
  // Out of range is said of 1e999 and of 1e-999 alike; the latter is 0.
  const size_t e = raw.text.find_first_of("eE");
  const size_t point = raw.text.find('.');
  const size_t digit = raw.text.find_first_of("123456789");
  const std::string_view exponent = e == std::string_view::npos ? "0" : raw.text.substr(e + 1);
  int64_t scale = 0;
  const char* from = exponent.data() + (exponent.front() == '+' ? 1 : 0);
  const auto parsed = std::from_chars(from, exponent.data() + exponent.size(), scale);
  if (parsed.ec != std::errc()) {
    scale = exponent.front() == '-' ? INT64_MIN / 2 : INT64_MAX / 2;
  }
  const size_t whole_end = std::min(point, std::min(e, raw.text.size()));
  const int64_t first = static_cast<int64_t>(whole_end) - static_cast<int64_t>(digit);
  if (digit < std::min(e, raw.text.size()) && scale + first > 0) {
    return false;
  }
  *out = raw.text.front() == '-' ? -0.0 : 0.0;
  return true;
}

}  // namespace pchronicle::json
