#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle {

/// An instant and how it was written (formats.md 1.6).
struct Instant {
  int64_t nanoseconds = 0;  // since the Unix epoch, UTC
  bool zoneless = false;    // text without a zone, read as UTC: diagnostic `timestamp_without_zone`
};

/// Reads the content of a JSON string: RFC 3339, its variants, or decimal epoch text (forms 1a-1e).
/// Exact, and independent of the host's time zone. Errors (kInvalidArgument): `timestamp must be an
/// RFC3339 string or Unix-seconds number`, `timestamp has precision finer than one nanosecond`,
/// `timestamp is outside nanosecond range`.
Result<Instant> ParseTimestampText(std::string_view text);

/// Reads the lexeme of a JSON number: Unix seconds, exponents allowed (form 2). Same errors.
Result<Instant> ParseTimestampNumber(std::string_view lexeme);

/// UTC with `Z` and 0, 3, 6 or 9 fraction digits, the fewest that are exact:
/// `2026-08-20T01:02:03.500Z`.
std::string FormatTimestamp(int64_t nanoseconds);

}  // namespace pchronicle
