#include "pchronicle/lance/encoding/jsonb.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pchronicle::lance {
namespace {

using namespace std::string_literals;

std::string Text(const std::string& bytes) {
  std::string text;
  const Status status =
      AppendJsonbText({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, &text);
  return status.ok() ? text : status.ToString();
}

/// A scalar with one entry.
std::string Scalar(char entry_type, const std::string& body) {
  return "\x20\x00\x00\x00"s + static_cast<char>(entry_type << 4) + "\x00\x00"s +
         static_cast<char>(body.size()) + body;
}

TEST(Jsonb, WritesScalars_LNCE3) {
  EXPECT_EQ(Text(Scalar(0, "")), "null");
  EXPECT_EQ(Text(Scalar(3, "")), "false");
  EXPECT_EQ(Text(Scalar(4, "")), "true");
  EXPECT_EQ(Text(Scalar(1, "a\"b\n\x01\xc3\xa9")), "\"a\\\"b\\n\\u0001\xc3\xa9\"");
  EXPECT_EQ(Text(Scalar(2, "\x00"s)), "0");
  EXPECT_EQ(Text(Scalar(2, "\x40\xff"s)), "-1");
  EXPECT_EQ(Text(Scalar(2, "\x40\x80\x00\x00\x00\x00\x00\x00\x00"s)), "-9223372036854775808");
  EXPECT_EQ(Text(Scalar(2, "\x50\xff\xff\xff\xff\xff\xff\xff\xff"s)), "18446744073709551615");
  EXPECT_EQ(Text(Scalar(2, "\x10"s)), "NaN");
  EXPECT_EQ(Text(Scalar(2, "\x30"s)), "-Infinity");
}

TEST(Jsonb, WritesShortestDoubles_LNCE3) {
  const auto number = [](double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    std::string body = "\x60";
    for (int shift = 56; shift >= 0; shift -= 8) {
      body += static_cast<char>(bits >> shift);
    }
    return Text(Scalar(2, body));
  };
  EXPECT_EQ(number(1.5), "1.5");
  EXPECT_EQ(number(100000), "100000.0");
  EXPECT_EQ(number(1e20), "1e+20");
  EXPECT_EQ(number(1e-7), "1e-7");
  EXPECT_EQ(number(-0.0), "-0.0");
  EXPECT_EQ(number(0.1), "0.1");
}

TEST(Jsonb, WritesContainers_LNCE3) {
  // {"a":[true,null]}
  const std::string array = "\x80\x00\x00\x02\x40\x00\x00\x00\x00\x00\x00\x00"s;
  const std::string object = "\x40\x00\x00\x01\x10\x00\x00\x01\x50\x00\x00\x0c"s + "a" + array;
  EXPECT_EQ(Text(object), "{\"a\":[true,null]}");
  EXPECT_EQ(Text("\x80\x00\x00\x00"s), "[]");
  EXPECT_EQ(Text("\x40\x00\x00\x00"s), "{}");
}

TEST(Jsonb, RefusesDamageAndDepth_LNCE3) {
  EXPECT_EQ(Text(""), "corruption: jsonb: no header");
  EXPECT_EQ(Text("\x80\x00\x00\x02\x40\x00\x00\x00"s), "corruption: jsonb: entries beyond the end");
  EXPECT_EQ(Text("\x20\x00\x00\x00\x10\x00\x00\x05"
                 "ab"s),
            "corruption: jsonb: a value beyond the end");
  EXPECT_EQ(Text("\x60\x00\x00\x00"s), "unsupported: jsonb header 0x60000000");
  std::string nested = "\x80\x00\x00\x00"s;
  for (int i = 0; i < 70; ++i) {
    std::string outer = "\x80\x00\x00\x01\x50"s;
    for (int shift = 16; shift >= 0; shift -= 8) {
      outer += static_cast<char>(nested.size() >> shift);
    }
    nested = outer + nested;
  }
  EXPECT_EQ(Text(nested), "corruption: jsonb: nested too deeply");
}

}  // namespace
}  // namespace pchronicle::lance
