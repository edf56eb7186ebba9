#pragma once

#include <string>
#include <string_view>

namespace pchronicle::cli {

/// Text of data made harmless for a terminal (BR-51): control characters other than tab and line
/// feed, C1 controls and bidirectional marks as `\u00xx`, bytes that are no UTF-8 as `\xhh`.
/// Everything else is unchanged.
std::string EscapeText(std::string_view text);

/// The same for one line of output: tab and line feed are escaped too.
std::string EscapeLine(std::string_view text);

/// One character of UTF-8 text at `at`, which moves behind it. A byte that starts no valid sequence
/// is given back as kBadByte and moves by one.
inline constexpr char32_t kBadByte = 0xffffffff;
char32_t NextCharacter(std::string_view text, size_t* at);

/// Number of characters (code points; a bad byte counts one).
size_t CountCharacters(std::string_view text);
/// Columns a terminal needs: wide East Asian characters and emoji take two, combining marks none.
size_t DisplayWidth(std::string_view text);
/// The first `characters` characters.
std::string_view CutCharacters(std::string_view text, size_t characters);

}  // namespace pchronicle::cli
