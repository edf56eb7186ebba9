#pragma once

#include <string>
#include <string_view>

#include "pchronicle/json/kernels.h"

namespace pchronicle::json::internal {

/// Name of the byte at `at` for messages: 'x', or 0x1f where it would not print.
std::string ByteName(char byte);

/// What was expected and what stands there. `found` is the offending byte.
std::string FaultText(Fault fault, char found, uint32_t max_depth);

/// What was left unfinished when the input (or line) ended.
std::string TruncatedText(bool line, std::string_view inside);

}  // namespace pchronicle::json::internal
