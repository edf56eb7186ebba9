#include "pchronicle/cli/quantities.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace pchronicle::cli {
namespace {

// Splits `12MiB` into 12 and `MiB`; false without leading digits or when the number does not fit.
bool SplitNumber(std::string_view text, uint64_t* number, std::string_view* unit) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *number);
  if (error != std::errc() || rest == text.data()) {
    return false;
  }
  *unit = std::string_view(rest, static_cast<size_t>(end - rest));
  return true;
}

}  // namespace

Result<std::chrono::seconds> ParseDuration(std::string_view text) {
  uint64_t number = 0;
  std::string_view unit;
  if (!SplitNumber(text, &number, &unit)) {
    return Status::InvalidArgument("'{}' is no duration; write for example 500ms, 30s, 5m or 1h",
                                   text);
  }
  uint64_t factor = 1;
  if (unit == "m") {
    factor = 60;
  } else if (unit == "h") {
    factor = 3600;
  } else if (unit == "ms") {
    number = number / 1000 + (number % 1000 != 0 ? 1 : 0);
  } else if (!unit.empty() && unit != "s") {
    return Status::InvalidArgument("'{}' has no known unit of time; use ms, s, m or h", text);
  }
  // A century is beyond every use and keeps deadlines inside the clock's range.
  constexpr uint64_t kMaxSeconds = 100ULL * 366 * 24 * 3600;
  if (number == 0) {
    return Status::InvalidArgument("duration '{}' must not be zero", text);
  }
  if (number > kMaxSeconds / factor) {
    return Status::InvalidArgument("duration '{}' is too long", text);
  }
  return std::chrono::seconds(number * factor);
}

Result<uint64_t> ParseByteSize(std::string_view text, bool zero_allowed) {
  uint64_t number = 0;
  std::string_view unit;
  if (!SplitNumber(text, &number, &unit)) {
    return Status::InvalidArgument(
        "'{}' is no byte size; write for example 4096, 64KiB, 16MiB or 1GiB", text);
  }
  int shift = 0;
  if (unit == "KiB") {
    shift = 10;
  } else if (unit == "MiB") {
    shift = 20;
  } else if (unit == "GiB") {
    shift = 30;
  } else if (!unit.empty()) {
    return Status::InvalidArgument("'{}' has no known unit of size; use KiB, MiB or GiB", text);
  }
  if (number == 0 && !zero_allowed) {
    return Status::InvalidArgument("byte size '{}' must not be zero", text);
  }
  if (number > (std::numeric_limits<uint64_t>::max() >> shift)) {
    return Status::InvalidArgument("byte size '{}' is too large", text);
  }
  return number << shift;
}

std::string FormatByteSize(uint64_t bytes) {
  if (bytes < 1024) {
    return fmt::format("{} B", bytes);
  }
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  // 1023.95 would print as 1024.0, so the switch comes where rounding does.
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string FormatDuration(std::chrono::seconds duration) {
  const int64_t seconds = duration.count();
  if (seconds % 3600 == 0) {
    return fmt::format("{}h", seconds / 3600);
  }
  if (seconds % 60 == 0) {
    return fmt::format("{}m", seconds / 60);
  }
  return fmt::format("{}s", seconds);
}

}  // namespace pchronicle::cli
