#include "pchronicle/json/raw.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "pchronicle/json/utf8.h"

namespace pchronicle::json {
namespace {

TEST(Raw, CellIsTheTextItselfWhereNothingChanges_D6) {
  Arena arena;
  const std::string_view text = R"({"b":1.50,"a":"x \n y"})";
  const Raw raw = RawFromText(text);
  EXPECT_EQ(CellText(raw, Surrogates::kReplace, arena).data(), text.data());
  EXPECT_EQ(arena.bytes(), 0u);
}

TEST(Raw, CellDropsBlanksAndBareNonFinite_STL115) {
  Arena arena;
  const auto cell = [&](std::string_view text, Surrogates rule = Surrogates::kKeep) {
    return std::string(CellText(RawFromText(text), rule, arena));
  };
  EXPECT_EQ(cell("{ \"b\" : 1.50,\r\n\t\"a b\" : [ \" x \\\" \" , 2 ] }"),
            R"({"b":1.50,"a b":[" x \" ",2]})");
  EXPECT_EQ(cell("[NaN, -Infinity,Infinity,\"NaN -Infinity\"]"),
            R"([null,null,null,"NaN -Infinity"])");
  EXPECT_EQ(cell("-Infinity"), "null");
  EXPECT_EQ(cell("[-Infinity,-1]"), "[null,-1]");
  const std::string lone =
      R"(["\ud83d","\ud83d\ude00","\ude00\ud83d","\\ud83d","\ud83d\ud83d\ude00"])";
  EXPECT_EQ(cell(lone), lone);
  EXPECT_EQ(cell(lone, Surrogates::kReplace),
            R"(["\ufffd","\ud83d\ude00","\ufffd\ufffd","\\ud83d","\ufffd\ud83d\ude00"])");
}

TEST(Raw, StringsDecode_BR13_BR14) {
  Arena arena;
  const auto decode = [&](std::string_view text) {
    return std::string(DecodeString(RawFromText(text), arena));
  };
  EXPECT_EQ(decode(R"("a\u0000b")"), std::string("a\0b", 3));
  EXPECT_EQ(decode(R"("\"\\\/\b\f\n\r\t\u00e9\u4f60\ud83d\ude00")"),
            "\"\\/\b\f\n\r\t\u00e9\u4f60\U0001f600");
  EXPECT_EQ(decode(R"("\ud83d")"), "\ufffd");
  EXPECT_EQ(decode(R"("\ud83dx\ude00\ud83d\n")"), "\ufffdx\ufffd\ufffd\n");
  EXPECT_EQ(decode(R"("\ud83d\ud83d\ude00")"), "\ufffd\U0001f600");
  EXPECT_EQ(decode(R"("plain")"), "plain");
  EXPECT_EQ(decode(R"("")"), "");
}

TEST(Raw, FromTextFindsKindAndFlags) {
  EXPECT_FALSE(RawFromText("").present());
  EXPECT_FALSE(RawFromText("[1,]").present());
  EXPECT_FALSE(RawFromText("\"\xff\"").present());
  EXPECT_FALSE(RawFromText("1 2").present());
  EXPECT_EQ(RawFromText(" [ ] ").text, "[ ]");
  EXPECT_EQ(RawFromText("null").kind, Kind::kNull);
  EXPECT_EQ(RawFromText("NaN").kind, Kind::kNull);
  EXPECT_EQ(RawFromText("-1").kind, Kind::kNumber);
  EXPECT_EQ(RawFromText("true").kind, Kind::kBool);
}

TEST(Raw, NumbersConvertStrictly) {
  int64_t i = 0;
  double d = 0;
  EXPECT_TRUE(ToInt64(RawFromText("-9223372036854775808"), &i));
  EXPECT_EQ(i, std::numeric_limits<int64_t>::min());
  for (const char* text : {"9223372036854775808", "1.0", "1e3", "\"1\"", "null"}) {
    EXPECT_FALSE(ToInt64(RawFromText(text), &i)) << text;
  }
  EXPECT_TRUE(ToDouble(RawFromText("1.5e3"), &d));
  EXPECT_EQ(d, 1500);
  for (const char* text : {"1e999", "-1e999", "10000e400", "1e99999999999999999999", "true"}) {
    EXPECT_FALSE(ToDouble(RawFromText(text), &d)) << text;
  }
  for (const char* text :
       {"1e-999", "0.0001e-400", "1e-99999999999999999999", "0e999", "0.0e99999999999999999999"}) {
    d = 1;
    EXPECT_TRUE(ToDouble(RawFromText(text), &d)) << text;
    EXPECT_EQ(d, 0) << text;
  }
}

TEST(Raw, QuotingUsesShortEscapesAndRawText_G09) {
  std::string out;
  AppendQuoted(std::string("\u4f60/\b\f\n\r\t\"\\\x01\x1f\0", 14) + "\x7f", out);
  EXPECT_EQ(out, "\"\u4f60/\\b\\f\\n\\r\\t\\\"\\\\\\u0001\\u001f\\u0000\x7f\"");
}

RC_GTEST_PROP(RawProperty, DecodingAQuotedTextGivesItBack,
              (const std::vector<uint32_t>& code_points)) {
  std::string bytes;
  for (const uint32_t code_point : code_points) {
    const uint32_t kept = code_point % 0x110000;
    char utf8[4];
    bytes.append(utf8, EncodeUtf8(kept / 0x800 == 0x1b ? kept % 0x80
                                  : code_point % 3     ? kept % 0x80
                                                       : kept,
                                  utf8));
  }
  std::string quoted;
  AppendQuoted(bytes, quoted);
  const Raw raw = RawFromText(quoted);
  RC_ASSERT(raw.is_string());
  Arena arena;
  RC_ASSERT(DecodeString(raw, arena) == bytes);
}

TEST(Utf8, FindsTheFirstIllFormedSequence) {
  EXPECT_EQ(FindInvalidUtf8("a\u00e9\u4f60\U0001f600"), std::string_view::npos);
  for (const auto& [text, at] : {std::pair<std::string_view, size_t>{"a\x80", 1},
                                 {"\xc0\xaf", 0},
                                 {"\xe0\x80\x80", 0},
                                 {"\xed\xa0\x80", 0},
                                 {"\xf4\x90\x80\x80", 0},
                                 {"ab\xe6\x87", 2},
                                 {"\xff", 0}}) {
    EXPECT_EQ(FindInvalidUtf8(text), at);
    EXPECT_FALSE(IsValidUtf8(text));
  }
  EXPECT_EQ(FindInvalidUtf8("ab\xe6\x87", true), std::string_view::npos);
}

}  // namespace
}  // namespace pchronicle::json
