#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::cli {

/// `500ms`, `30s`, `5m`, `2h`; a bare integer means seconds. Rounded up to whole seconds; zero and
/// overflow are kInvalidArgument (cli.md 3.3).
Result<std::chrono::seconds> ParseDuration(std::string_view text);

/// Integer, or integer with KiB, MiB or GiB. Zero is kInvalidArgument unless `zero_allowed` (limits
/// that can be off).
Result<uint64_t> ParseByteSize(std::string_view text, bool zero_allowed = false);

/// `1.2 GiB` style text with one decimal above one KiB: `812 B`, `1.0 KiB`.
std::string FormatByteSize(uint64_t bytes);

/// `30s`, `5m`, `2h`: the largest unit that divides.
std::string FormatDuration(std::chrono::seconds duration);

}  // namespace pchronicle::cli
