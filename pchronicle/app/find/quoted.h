#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::app {

inline bool IsQuote(char c) { return c == '"' || c == '\''; }

/// Reads the quoted text that starts at `*at` and moves `*at` behind its last quote: in double
/// quotes with the escapes of JSON, in single quotes as it is. On an error `*at` is where it
/// stands.
Result<std::string> ParseQuoted(std::string_view text, size_t* at);

}  // namespace pchronicle::app
