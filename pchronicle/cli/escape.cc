#include "pchronicle/cli/escape.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace pchronicle::cli {
namespace {

struct Range {
  char32_t first, last;
};

template <size_t N>
bool Contains(const std::array<Range, N>& ranges, char32_t c) {
  const auto it = std::upper_bound(ranges.begin(), ranges.end(), c,
                                   [](char32_t v, const Range& r) { return v < r.first; });
  return it != ranges.begin() && c <= std::prev(it)->last;
}

// Blocks that terminals draw two columns wide, coarse on purpose: the exact table changes with
// every Unicode version.
constexpr std::array<Range, 14> kWide = {{{0x1100, 0x115f},
                                          {0x231a, 0x231b},
                                          {0x23e9, 0x23ec},
                                          {0x2e80, 0x303e},
                                          {0x3041, 0x33ff},
                                          {0x3400, 0x4dbf},
                                          {0x4e00, 0xa4cf},
                                          {0xac00, 0xd7a3},
                                          {0xf900, 0xfaff},
                                          {0xfe30, 0xfe6f},
                                          {0xff00, 0xff60},
                                          {0xffe0, 0xffe6},
                                          {0x1f300, 0x1faff},
                                          {0x20000, 0x3fffd}}};
constexpr std::array<Range, 8> kNoWidth = {{{0x0300, 0x036f},
                                            {0x0483, 0x0489},
                                            {0x0591, 0x05bd},
                                            {0x064b, 0x065f},
                                            {0x200b, 0x200d},
                                            {0x20d0, 0x20ff},
                                            {0xfe00, 0xfe0f},
                                            {0xfe20, 0xfe2f}}};
// Marks that reorder or hide the text around them.
constexpr std::array<Range, 6> kHarmful = {{{0x80, 0x9f},
                                            {0x61c, 0x61c},
                                            {0x200e, 0x200f},
                                            {0x2028, 0x202e},
                                            {0x2066, 0x2069},
                                            {0xfeff, 0xfeff}}};

std::string Escape(std::string_view text, bool keep_layout) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = NextCharacter(text, &at);
    const bool layout = c == '\n' || c == '\t';
    if (c == kBadByte) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[begin]));
    } else if ((c < 0x20 && !(layout && keep_layout)) || c == 0x7f || Contains(kHarmful, c)) {
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
    } else {
      out.append(text.substr(begin, at - begin));
    }
  }
  return out;
}

}  // namespace

char32_t NextCharacter(std::string_view text, size_t* at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(*at);
  if (lead < 0x80) {
    ++*at;
    return lead;
  }
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  char32_t value = lead & (0xffU >> (length + 1));
  bool good = lead >= 0xc2 && lead <= 0xf4 && *at + length <= text.size();
  for (size_t i = 1; good && i < length; ++i) {
    good = (byte(*at + i) & 0xc0) == 0x80;
    value = value << 6 | (byte(*at + i) & 0x3fU);
  }
  good =
      good && value >= kSmallest[length] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
  *at += good ? length : 1;
  return good ? value : kBadByte;
}

std::string EscapeText(std::string_view text) { return Escape(text, true); }

std::string EscapeLine(std::string_view text) { return Escape(text, false); }

size_t CountCharacters(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) {
    NextCharacter(text, &at);
  }
  return count;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = NextCharacter(text, &at);
    width += Contains(kNoWidth, c) ? 0 : Contains(kWide, c) ? 2 : 1;
  }
  return width;
}

std::string_view CutCharacters(std::string_view text, size_t characters) {
  size_t at = 0;
  for (size_t i = 0; i < characters && at < text.size(); ++i) {
    NextCharacter(text, &at);
  }
  return text.substr(0, at);
}

}  // namespace pchronicle::cli
