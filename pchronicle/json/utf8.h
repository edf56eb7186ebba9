#pragma once

#include <cstddef>
#include <string_view>

namespace pchronicle::json {

/// True when `text` is well-formed UTF-8 (no surrogates, no overlong forms, nothing above
/// U+10FFFF).
bool IsValidUtf8(std::string_view text);

/// Place of the first byte of the first ill-formed sequence, or npos. With `cut_end` a sequence
/// that only lacks its last bytes at the end of `text` is no fault.
size_t FindInvalidUtf8(std::string_view text, bool cut_end = false);

/// Appends the UTF-8 form of a code point (at most 0x10ffff, no surrogate); returns the byte behind
/// it.
char* EncodeUtf8(char32_t code_point, char* out);

}  // namespace pchronicle::json
