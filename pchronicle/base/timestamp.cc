#include "pchronicle/base/timestamp.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

namespace pchronicle {
namespace {

// Wider than any product below, so range is checked once at the end.
using Wide = __int128;

constexpr int64_t kNanosPerSecond = 1'000'000'000;

Status NotATimestamp() {
  return Status::InvalidArgument("timestamp must be an RFC3339 string or Unix-seconds number");
}
Status TooFine() {
  return Status::InvalidArgument("timestamp has precision finer than one nanosecond");
}
Status OutOfRange() { return Status::InvalidArgument("timestamp is outside nanosecond range"); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool AllDigits(std::string_view text) { return std::all_of(text.begin(), text.end(), IsDigit); }

Result<int64_t> Narrow(Wide nanos) {
  if (nanos < std::numeric_limits<int64_t>::min() || nanos > std::numeric_limits<int64_t>::max()) {
    return OutOfRange();
  }
  return static_cast<int64_t>(nanos);
}

/// Exact value of `digits` x 10^`exponent` in nanoseconds, where the value is in seconds.
Result<int64_t> DecimalSeconds(bool negative, std::string_view whole, std::string_view fraction,
                               int64_t exponent) {
  const size_t total = whole.size() + fraction.size();
  const auto digit = [&](size_t i) {
    return i < whole.size() ? whole[i] : fraction[i - whole.size()];
  };
  size_t first = 0;
  while (first < total && digit(first) == '0') {
    ++first;
  }
  size_t last = total;
  while (last > first && digit(last - 1) == '0') {
    --last;
  }
  if (first == last) {
    return int64_t{0};
  }
  // Place of the last significant digit as a power of ten of one nanosecond.
  const int64_t place =
      exponent + 9 + static_cast<int64_t>(whole.size()) - static_cast<int64_t>(last);
  if (place < 0) {
    return TooFine();
  }
  if (place > 19 || last - first + static_cast<size_t>(place) > 19) {
    return OutOfRange();
  }
  Wide value = 0;
  for (size_t i = first; i < last; ++i) {
    value = value * 10 + (digit(i) - '0');
  }
  for (int64_t i = 0; i < place; ++i) {
    value *= 10;
  }
  return Narrow(negative ? -value : value);
}

/// Takes fixed-width pieces from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}
  bool Number(size_t width, int* out) {
    if (rest_.size() < width || !AllDigits(rest_.substr(0, width))) {
      return false;
    }
    *out = 0;
    for (const char c : rest_.substr(0, width)) {
      *out = *out * 10 + (c - '0');
    }
    rest_.remove_prefix(width);
    return true;
  }
  bool OneOf(std::string_view accepted, char* out = nullptr) {
    if (rest_.empty() || accepted.find(rest_.front()) == std::string_view::npos) {
      return false;
    }
    if (out != nullptr) {
      *out = rest_.front();
    }
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view Digits() {
    size_t n = 0;
    while (n < rest_.size() && IsDigit(rest_[n])) {
      ++n;
    }
    const std::string_view digits = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return digits;
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

struct Clock {
  int hour = 0, minute = 0, second = 0;
  std::string_view fraction;
};

bool ScanDate(Scanner& in, std::chrono::sys_days* out) {
  int year = 0, month = 0, day = 0;
  char separator = 0;
  if (!in.Number(4, &year) || !in.OneOf("-/", &separator) || !in.Number(2, &month) ||
      !in.OneOf(std::string_view(&separator, 1)) || !in.Number(2, &day)) {
    return false;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) {
    return false;
  }
  *out = std::chrono::sys_days(date);
  return true;
}

bool ScanClock(Scanner& in, Clock* out) {
  if (!in.Number(2, &out->hour) || !in.OneOf(":") || !in.Number(2, &out->minute) ||
      !in.OneOf(":") || !in.Number(2, &out->second)) {
    return false;
  }
  if (in.OneOf(".")) {
    out->fraction = in.Digits();
    if (out->fraction.empty()) {
      return false;
    }
  }
  // 60 is a leap second; like the clocks that produce it, it counts as the first of the next
  // minute.
  return out->hour < 24 && out->minute < 60 && out->second <= 60;
}

/// Zone offset in seconds; `*zoneless` when the text ends without one.
bool ScanZone(Scanner& in, int* offset, bool* zoneless) {
  *offset = 0;
  *zoneless = in.done();
  if (*zoneless || in.OneOf("Zz")) {
    return in.done();
  }
  char sign = 0;
  int hours = 0, minutes = 0;
  if (!in.OneOf("+-", &sign) || !in.Number(2, &hours)) {
    return false;
  }
  in.OneOf(":");
  if (!in.Number(2, &minutes) || !in.done() || hours > 23 || minutes > 59) {
    return false;
  }
  *offset = (hours * 60 + minutes) * 60 * (sign == '-' ? -1 : 1);
  return true;
}

/// Forms 1a to 1c; nothing when the text has another shape.
std::optional<Result<Instant>> ParseDateTime(std::string_view text) {
  Scanner in(text);
  std::chrono::sys_days date;
  Clock clock;
  Instant instant;
  int offset = 0;
  if (!ScanDate(in, &date) || !in.OneOf("Tt ") || !ScanClock(in, &clock) ||
      !ScanZone(in, &offset, &instant.zoneless)) {
    return std::nullopt;
  }
  int64_t fraction = 0;
  if (!clock.fraction.empty()) {
    const Result<int64_t> nanos = DecimalSeconds(false, "", clock.fraction, 0);
    if (!nanos.ok()) {
      return nanos.status();
    }
    fraction = *nanos;
  }
  const int64_t seconds = int64_t{date.time_since_epoch().count()} * 86'400 + clock.hour * 3'600 +
                          clock.minute * 60 + clock.second - offset;
  const Result<int64_t> nanos = Narrow(Wide{seconds} * kNanosPerSecond + fraction);
  if (!nanos.ok()) {
    return nanos.status();
  }
  instant.nanoseconds = *nanos;
  return instant;
}

/// Forms 1d and 1e.
Result<Instant> ParseDecimalText(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || !AllDigits(whole) || !AllDigits(fraction) ||
      (point != std::string_view::npos && fraction.empty())) {
    return NotATimestamp();
  }
  // An integer says by its size which unit it is in: seconds below 1e11, milliseconds below 1e14.
  int64_t exponent = 0;
  if (point == std::string_view::npos) {
    const size_t zeros = std::min(whole.find_first_not_of('0'), whole.size());
    const size_t digits = whole.size() - zeros;
    exponent = digits <= 11 ? 0 : digits <= 14 ? -3 : -6;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const int64_t nanos,
                              DecimalSeconds(negative, whole, fraction, exponent));
  return Instant{.nanoseconds = nanos};
}

}  // namespace

Result<Instant> ParseTimestampText(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r\f\v";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return NotATimestamp();
  }
  text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
  if (std::optional<Result<Instant>> instant = ParseDateTime(text)) {
    return *std::move(instant);
  }
  return ParseDecimalText(text);
}

Result<Instant> ParseTimestampNumber(std::string_view lexeme) {
  const bool negative = lexeme.starts_with('-');
  Scanner in(negative ? lexeme.substr(1) : lexeme);
  const std::string_view whole = in.Digits();
  std::string_view fraction;
  if (in.OneOf(".")) {
    fraction = in.Digits();
    if (fraction.empty()) {
      return NotATimestamp();
    }
  }
  int64_t exponent = 0;
  if (in.OneOf("eE")) {
    char sign = '+';
    in.OneOf("+-", &sign);
    const std::string_view digits = in.Digits();
    if (digits.empty()) {
      return NotATimestamp();
    }
    // Anything beyond this is out of range or too fine for every lexeme that fits in memory.
    constexpr int64_t kHuge = 1'000'000'000'000;
    for (const char c : digits) {
      exponent = std::min(kHuge, exponent * 10 + (c - '0'));
    }
    exponent = sign == '-' ? -exponent : exponent;
  }
  if (whole.empty() || !in.done()) {
    return NotATimestamp();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const int64_t nanos,
                              DecimalSeconds(negative, whole, fraction, exponent));
  return Instant{.nanoseconds = nanos};
}

std::string FormatTimestamp(int64_t nanoseconds) {
  int64_t seconds = nanoseconds / kNanosPerSecond;
  int64_t fraction = nanoseconds % kNanosPerSecond;
  if (fraction < 0) {
    fraction += kNanosPerSecond;
    --seconds;
  }
  int64_t days = seconds / 86'400;
  int64_t second_of_day = seconds % 86'400;
  if (second_of_day < 0) {
    second_of_day += 86'400;
    --days;
  }
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  std::string out =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  second_of_day / 3'600, second_of_day / 60 % 60, second_of_day % 60);
  if (fraction % 1'000'000 == 0) {
    out += fraction == 0 ? "" : fmt::format(".{:03}", fraction / 1'000'000);
  } else if (fraction % 1'000 == 0) {
    out += fmt::format(".{:06}", fraction / 1'000);
  } else {
    out += fmt::format(".{:09}", fraction);
  }
  return out + "Z";
}

}  // namespace pchronicle
