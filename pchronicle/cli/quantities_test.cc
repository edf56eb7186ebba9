#include "pchronicle/cli/quantities.h"

#include <gtest/gtest.h>

namespace pchronicle::cli {
namespace {

TEST(Durations, UnitsAndBareSeconds) {
  EXPECT_EQ(ParseDuration("30s")->count(), 30);
  EXPECT_EQ(ParseDuration("30")->count(), 30);
  EXPECT_EQ(ParseDuration("5m")->count(), 300);
  EXPECT_EQ(ParseDuration("2h")->count(), 7200);
}

TEST(Durations, SubSecondValuesRoundUp) {
  EXPECT_EQ(ParseDuration("1ms")->count(), 1);
  EXPECT_EQ(ParseDuration("1000ms")->count(), 1);
  EXPECT_EQ(ParseDuration("1001ms")->count(), 2);
}

TEST(Durations, ZeroRubbishAndOverflowAreRefused) {
  for (const char* text :
       {"0", "0ms", "0h", "", "s", "-1s", "1.5s", "3d", "3 s", "+3", "18446744073709551616",
        "18446744073709551615", "18446744073709551615h"}) {
    const auto result = ParseDuration(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(ByteSizes, Units) {
  EXPECT_EQ(*ParseByteSize("1"), 1U);
  EXPECT_EQ(*ParseByteSize("64KiB"), 65536U);
  EXPECT_EQ(*ParseByteSize("16MiB"), 16U << 20);
  EXPECT_EQ(*ParseByteSize("3GiB"), 3ULL << 30);
}

TEST(ByteSizes, ZeroOnlyWhereALimitCanBeOff) {
  EXPECT_FALSE(ParseByteSize("0").ok());
  EXPECT_EQ(*ParseByteSize("0", true), 0U);
}

TEST(ByteSizes, RubbishAndOverflowAreRefused) {
  for (const char* text : {"", "KiB", "1KB", "1 MiB", "-1", "1.5MiB", "1mib", "17179869184GiB",
                           "18446744073709551616"}) {
    EXPECT_FALSE(ParseByteSize(text, true).ok()) << text;
  }
}

TEST(ByteSizes, PrintedWithOneDecimal) {
  EXPECT_EQ(FormatByteSize(0), "0 B");
  EXPECT_EQ(FormatByteSize(1023), "1023 B");
  EXPECT_EQ(FormatByteSize(1024), "1.0 KiB");
  EXPECT_EQ(FormatByteSize((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(FormatByteSize(1288490189), "1.2 GiB");
  EXPECT_EQ(FormatByteSize(UINT64_MAX), "16777216.0 TiB");
}

}  // namespace
}  // namespace pchronicle::cli
