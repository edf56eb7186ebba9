#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"

namespace pchronicle::json {

/// Appends '/' and the token encoded: '~' as ~0, '/' as ~1 (RFC 6901, formats.md 1.5).
void AppendPointerToken(std::string_view token, std::string& pointer);

/// Tokens decoded; "" is the whole document and has none. Errors: `JSON Pointer must be empty or
/// start with '/'`, `JSON Pointer contains an invalid '~' escape`.
Result<std::vector<std::string>> ParsePointer(std::string_view pointer);

/// The index that a token names: decimal digits without leading zeros. False for anything else, or
/// above 2^64 - 1.
bool PointerIndex(std::string_view token, uint64_t* index);

}  // namespace pchronicle::json
