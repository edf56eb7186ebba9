#include "pchronicle/base/timestamp.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <ctime>
#include <limits>

namespace pchronicle {
namespace {

constexpr char kForm[] = "timestamp must be an RFC3339 string or Unix-seconds number";
constexpr char kFine[] = "timestamp has precision finer than one nanosecond";
constexpr char kRange[] = "timestamp is outside nanosecond range";

int64_t Text(std::string_view text) {
  const Result<Instant> instant = ParseTimestampText(text);
  EXPECT_TRUE(instant.ok()) << text << ": " << instant.status().ToString();
  return instant.ok() ? instant->nanoseconds : -77;
}
int64_t Number(std::string_view lexeme) {
  const Result<Instant> instant = ParseTimestampNumber(lexeme);
  EXPECT_TRUE(instant.ok()) << lexeme << ": " << instant.status().ToString();
  return instant.ok() ? instant->nanoseconds : -77;
}
std::string TextError(std::string_view text) {
  const Result<Instant> instant = ParseTimestampText(text);
  return instant.ok() ? "" : instant.status().message();
}
std::string NumberError(std::string_view text) {
  const Result<Instant> instant = ParseTimestampNumber(text);
  return instant.ok() ? "" : instant.status().message();
}

TEST(Timestamp, Rfc3339WithZone_G10) {
  EXPECT_EQ(Text("2026-08-20T08:00:00.123456789+08:00"), 1787184000123456789);
  EXPECT_EQ(Text("2026-01-01T00:00:00Z"), 1767225600000000000);
  EXPECT_EQ(Text("2026-01-01t00:00:00z"), 1767225600000000000);
  EXPECT_EQ(Text(" 2026-01-01 00:00:00+00:00\n"), 1767225600000000000);
  EXPECT_EQ(Text("1969-12-31T23:59:59.5-00:00"), -500000000);
  EXPECT_EQ(Text("2016-12-31T23:59:60Z"), Text("2017-01-01T00:00:00Z"));
}

TEST(Timestamp, SlashesMissingZoneAndZoneWithoutColon_G10) {
  EXPECT_EQ(Text("2026/08/20 00:00:00"), 1787184000000000000);
  EXPECT_TRUE(ParseTimestampText("2026/08/20 00:00:00")->zoneless);
  EXPECT_TRUE(ParseTimestampText("2026-08-20T00:00:00.25")->zoneless);
  EXPECT_FALSE(ParseTimestampText("2026-08-20T00:00:00Z")->zoneless);
  EXPECT_FALSE(ParseTimestampText("1787184000")->zoneless);
  EXPECT_EQ(Text("2026-08-20T08:00:00+0800"), 1787184000000000000);
  EXPECT_EQ(TextError("2026-08/20T08:00:00Z"), kForm);
}

TEST(Timestamp, HostZoneChangesNothing_BR54) {
  const char* before = std::getenv("TZ");
  const std::string saved = before == nullptr ? "" : before;
  for (const char* zone : {"UTC", "Asia/Kathmandu", "America/St_Johns"}) {
    setenv("TZ", zone, 1);
    tzset();
    EXPECT_EQ(Text("2026-08-20 00:00:00"), 1787184000000000000) << zone;
    EXPECT_EQ(FormatTimestamp(1787184000000000000), "2026-08-20T00:00:00Z") << zone;
  }
  before == nullptr ? unsetenv("TZ") : setenv("TZ", saved.c_str(), 1);
  tzset();
}

TEST(Timestamp, DecimalTextPicksItsUnitBySize) {
  EXPECT_EQ(Text("1785578400"), 1785578400000000000);
  EXPECT_EQ(Text("-12"), -12000000000);
  EXPECT_EQ(Text("0"), 0);
  EXPECT_EQ(Text("1785578400123"), 1785578400123000000);
  EXPECT_EQ(Text("100000000000"), 100000000000000000);     // 1e11: milliseconds
  EXPECT_EQ(Text("100000000000000"), 100000000000000000);  // 1e14: microseconds
  EXPECT_EQ(Text("1785578400.25"), 1785578400250000000);
  EXPECT_EQ(Text("-1.250000000000"), -1250000000);
  EXPECT_EQ(TextError("99999999999"), kRange);
  EXPECT_EQ(TextError("99999999999999999999999999"), kRange);
  EXPECT_EQ(TextError("1.0000000001"), kFine);
}

TEST(Timestamp, FractionDigitsBeyondNineMustBeZero) {
  EXPECT_EQ(Text("1970-01-01T00:00:00.1000000000000Z"), 100000000);
  EXPECT_EQ(TextError("1970-01-01T00:00:00.1000000001Z"), kFine);
}

TEST(Timestamp, NumbersAreExactSeconds_G11_G12) {
  EXPECT_EQ(Number("1785578400.25"), 1785578400250000000);
  EXPECT_EQ(Number("-1.25"), -1250000000);
  EXPECT_EQ(Number("1e3"), 1000000000000);
  EXPECT_EQ(Number("15E-1"), 1500000000);
  EXPECT_EQ(Number("0.000000001"), 1);
  EXPECT_EQ(Number("0e5"), 0);
}

TEST(Timestamp, NumberErrors_G11_G12) {
  EXPECT_EQ(NumberError("10000000000"), kRange);
  EXPECT_EQ(NumberError("1.0000000001"), kFine);
  EXPECT_EQ(NumberError("1e999999999999999999999"), kRange);
  EXPECT_EQ(NumberError("1e-999999999999999999999"), kFine);
  EXPECT_EQ(NumberError("true"), kForm);
  EXPECT_EQ(NumberError(""), kForm);
  EXPECT_EQ(NumberError("1."), kForm);
}

TEST(Timestamp, OtherTextsAreRefused) {
  for (const char* text : {"",
                           "   ",
                           "yesterday",
                           "2026-13-01T00:00:00Z",
                           "2026-02-29T00:00:00Z",
                           "2026-01-01T24:00:00Z",
                           "2026-01-01T00:60:00Z",
                           "2026-01-01T00:00:61Z",
                           "2026-01-01",
                           "2026-01-01T00:00Z",
                           "2026-01-01T00:00:00.Z",
                           "2026-01-01T00:00:00+8:00",
                           "2026-01-01T00:00:00+24:00",
                           "2026-01-01T00:00:00Zx",
                           "1e3",
                           "0x10",
                           "1.",
                           ".5",
                           "--1",
                           "NaN",
                           "2026-01-01T00:00:00 Z"}) {
    EXPECT_EQ(TextError(text), kForm) << text;
  }
  EXPECT_EQ(TextError("2263-01-01T00:00:00Z"), kRange);
  EXPECT_EQ(TextError("0001-01-01T00:00:00Z"), kRange);
}

TEST(Timestamp, RangeEndsAreExact) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(FormatTimestamp(kMax), "2262-04-11T23:47:16.854775807Z");
  EXPECT_EQ(FormatTimestamp(kMin), "1677-09-21T00:12:43.145224192Z");
  EXPECT_EQ(Text("2262-04-11T23:47:16.854775807Z"), kMax);
  EXPECT_EQ(TextError("2262-04-11T23:47:16.854775808Z"), kRange);
  EXPECT_EQ(Number("-9223372036.854775808"), kMin);
  EXPECT_EQ(NumberError("-9223372036.854775809"), kRange);
}

TEST(Timestamp, CanonicalTextUsesTheFewestDigits) {
  EXPECT_EQ(FormatTimestamp(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatTimestamp(500000000), "1970-01-01T00:00:00.500Z");
  EXPECT_EQ(FormatTimestamp(-1000), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(FormatTimestamp(1), "1970-01-01T00:00:00.000000001Z");
}

TEST(Timestamp, CanonicalTextReadsBack) {
  EXPECT_TRUE(rc::check("format then parse", [](int64_t nanos) {
    const Result<Instant> instant = ParseTimestampText(FormatTimestamp(nanos));
    RC_ASSERT(instant.ok());
    RC_ASSERT(instant->nanoseconds == nanos);
    RC_ASSERT(!instant->zoneless);
  }));
}

TEST(Timestamp, NumberLexemesReadBack) {
  EXPECT_TRUE(rc::check("seconds with nine digits", [](int64_t nanos) {
    const bool negative = nanos < 0;
    const uint64_t magnitude =
        negative ? 0 - static_cast<uint64_t>(nanos) : static_cast<uint64_t>(nanos);
    const std::string lexeme = fmt::format("{}{}.{:09}", negative ? "-" : "",
                                           magnitude / 1000000000, magnitude % 1000000000);
    const Result<Instant> instant = ParseTimestampNumber(lexeme);
    RC_ASSERT(instant.ok());
    RC_ASSERT(instant->nanoseconds == nanos);
  }));
}

TEST(Timestamp, AnyBytesAreRefusedOrRead) {
  EXPECT_TRUE(rc::check("no crash", [](const std::string& text) {
    (void)ParseTimestampText(text).ok();
    (void)ParseTimestampNumber(text).ok();
  }));
}

}  // namespace
}  // namespace pchronicle
