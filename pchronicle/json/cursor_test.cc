#include "pchronicle/json/cursor.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pchronicle/json/json_test_support.h"

namespace pchronicle::json {
namespace {

struct Outcome {
  Status status;
  uint64_t offset = 0;
  bool truncated = false;
};

Outcome CaptureAll(std::string_view text, CursorOptions options = {}) {
  Cursor cursor(text, 0, options);
  Raw raw;
  cursor.Capture(&raw);
  return {cursor.status(), cursor.error_offset(), cursor.truncated()};
}

Outcome SkipAll(std::string_view text, CursorOptions options = {}) {
  Cursor cursor(text, 0, options);
  cursor.Skip();
  return {cursor.status(), cursor.error_offset(), cursor.truncated()};
}

TEST(Cursor, WalksObjectsAndArrays) {
  Cursor c(R"( {"a" : 1, "b\n":[true , "x\u0041", {}, []], "c":null} )");
  ASSERT_EQ(c.Peek(), Kind::kObject);
  ASSERT_TRUE(c.BeginObject());
  EXPECT_EQ(c.depth(), 1u);
  std::string_view key;
  ASSERT_TRUE(c.NextKey(&key));
  EXPECT_EQ(key, "a");
  Raw raw;
  ASSERT_TRUE(c.Capture(&raw));
  EXPECT_EQ(raw.text, "1");
  EXPECT_EQ(raw.kind, Kind::kNumber);
  ASSERT_TRUE(c.NextKey(&key));
  EXPECT_EQ(key, "b\n");
  ASSERT_EQ(c.Peek(), Kind::kArray);
  ASSERT_TRUE(c.BeginArray());
  ASSERT_TRUE(c.NextElement());
  EXPECT_EQ(c.Peek(), Kind::kBool);
  ASSERT_TRUE(c.Skip());
  ASSERT_TRUE(c.NextElement());
  std::string_view text;
  ASSERT_TRUE(c.ReadString(&text));
  EXPECT_EQ(text, "xA");
  ASSERT_TRUE(c.NextElement());
  ASSERT_TRUE(c.Skip());
  ASSERT_TRUE(c.NextElement());
  ASSERT_TRUE(c.Capture(&raw));
  EXPECT_EQ(raw.text, "[]");
  EXPECT_FALSE(c.NextElement());
  ASSERT_TRUE(c.NextKey(&key));
  EXPECT_EQ(c.Peek(), Kind::kNull);
  ASSERT_TRUE(c.Skip());
  EXPECT_FALSE(c.NextKey(&key));
  EXPECT_TRUE(c.ok()) << c.status().ToString();
  EXPECT_EQ(c.depth(), 0u);
  EXPECT_TRUE(c.AtEnd());
  EXPECT_EQ(c.Peek(), Kind::kAbsent);
  EXPECT_TRUE(c.ok());
}

TEST(Cursor, SkipToDepthLeavesOpenContainers) {
  Cursor c(R"({"a":[[1,{"b":"]}"}],2],"z":3})");
  std::string_view key;
  ASSERT_TRUE(c.BeginObject());
  ASSERT_TRUE(c.NextKey(&key));
  const uint32_t depth = c.depth();
  ASSERT_TRUE(c.BeginArray() && c.NextElement() && c.BeginArray() && c.NextElement());
  ASSERT_TRUE(c.SkipToDepth(depth));
  ASSERT_TRUE(c.NextKey(&key));
  EXPECT_EQ(key, "z");
}

TEST(Cursor, CaptureSetsFlags) {
  const auto flags = [](std::string_view text) {
    Cursor c(text);
    Raw raw;
    EXPECT_TRUE(c.Capture(&raw)) << text << c.status().ToString();
    return int{raw.flags};
  };
  EXPECT_EQ(flags(R"({"a":[1,"b"]})"), 0);
  EXPECT_EQ(flags(R"({"a": 1})"), kHasBlanks);
  EXPECT_EQ(flags(R"("a  b")"), 0);
  EXPECT_EQ(flags(R"(["\n"])"), kHasEscapes);
  EXPECT_EQ(flags(R"(["\ud83d"])"), kHasEscapes | kHasLoneSurrogate);
  EXPECT_EQ(flags(R"(["\ud83d\ude00"])"), kHasEscapes);
  EXPECT_EQ(flags(R"(["\ude00\ud83d"])"), kHasEscapes | kHasLoneSurrogate);
  EXPECT_EQ(flags(R"([NaN,-Infinity,Infinity])"), kHasNonFinite);
}

TEST(Cursor, BareNonFiniteCountsAsNull) {
  for (const char* text : {"NaN", "Infinity", "-Infinity"}) {
    Cursor c((std::string_view(text)));
    EXPECT_EQ(c.Peek(), Kind::kNull);
    Raw raw;
    ASSERT_TRUE(c.Capture(&raw));
    EXPECT_EQ(raw.kind, Kind::kNull);
    EXPECT_EQ(raw.flags, kHasNonFinite);
  }
  EXPECT_EQ(CaptureAll("[NaNx]").offset, 4u);
  EXPECT_EQ(CaptureAll("[-Info]").offset, 5u);
}

TEST(Cursor, ErrorsNameTheExactByte) {
  struct Case {
    std::string text;
    uint64_t offset;
    std::string_view part;
  };
  const Case cases[] = {
      {"[\"ab\xe6\x87\"]", 4, "0xe6"},
      {"[\"\xff\"]", 2, "0xff"},
      {R"(["a\qb"])", 4, "'q'"},
      {R"(["a\u12g4"])", 7, "'g'"},
      {"[\"a\nb\"]", 3, "0x0a"},
      {R"([1 2])", 3, "','"},
      {R"({"a":1 "b":2})", 7, "','"},
      {R"({"a" 1})", 5, "':'"},
      {R"({1:2})", 1, "key"},
      {R"({"a":1,})", 7, "key after ','"},
      {R"([1,])", 3, "after ','"},
      {R"([01])", 2, "leading 0"},
      {R"([1.])", 3, "digit"},
      {R"([-x])", 2, "digit"},
      {R"([1e+])", 4, "digit"},
      {R"([truth])", 4, "'t'"},
      {R"([nul])", 4, "']'"},
      {R"([}])", 1, "'}'"},
      {R"({"a":]})", 5, "value"},
      {R"([1})", 2, "']'"},
      {"[\xc3\xa9]", 1, "0xc3"},
      {std::string(128, '[') + "[" + std::string(129, ']'), 128, "128"},
  };
  for (const Case& item : cases) {
    const Outcome outcome = CaptureAll(item.text);
    EXPECT_FALSE(outcome.status.ok()) << item.text;
    EXPECT_EQ(outcome.offset, item.offset) << item.text << " " << outcome.status.ToString();
    EXPECT_FALSE(outcome.truncated) << item.text;
    EXPECT_NE(outcome.status.message().find(item.part), std::string::npos)
        << outcome.status.ToString();
  }
}

TEST(Cursor, InputThatEndsInsideAValueIsTruncated_BR11) {
  for (const std::string_view text :
       {"{", "[", "\"abc", "\"ab\\", "\"\\u12", "{\"a", "{\"a\"", "{\"a\":", "[1,", "[1", "-", "1.",
        "tru", "\"\xe6\x87", "\"\\ud83d\\u"}) {
    const Outcome capture = CaptureAll(text);
    EXPECT_TRUE(capture.truncated) << text << " " << capture.status.ToString();
    EXPECT_EQ(capture.offset, text.size()) << text;
    if (text != "-" && text != "1." && text != "tru") {
      const Outcome skip = SkipAll(text);
      EXPECT_TRUE(skip.truncated) << text << " " << skip.status.ToString();
      EXPECT_EQ(skip.offset, text.size()) << text;
    }
  }
}

TEST(Cursor, SkipChecksStructureOnly_STL112) {
  EXPECT_TRUE(SkipAll("[\"\xff\", 01, \"\\q\"]").status.ok());
  const Outcome kind = SkipAll(R"([{"a":1]])");
  EXPECT_EQ(kind.offset, 7u);
  EXPECT_NE(kind.status.message().find("'}'"), std::string::npos);
  EXPECT_EQ(SkipAll(R"({"a":"]"])").offset, 8u);
  EXPECT_TRUE(SkipAll(R"(["\\\"]"])").status.ok());
  EXPECT_EQ(SkipAll(std::string(129, '[') + std::string(129, ']')).offset, 128u);
  EXPECT_TRUE(SkipAll(std::string(128, '[') + std::string(128, ']')).status.ok());
  EXPECT_EQ(SkipAll("12x:").offset, 3u);
}

TEST(Cursor, ValueLargerThanTheLimitNamesIt_D14) {
  const std::string text = "[\"" + std::string(100, 'x') + "\"]";
  EXPECT_TRUE(CaptureAll(text, {.max_record_bytes = text.size()}).status.ok());
  const Outcome outcome = CaptureAll(text, {.max_record_bytes = text.size() - 1});
  EXPECT_EQ(outcome.status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(outcome.status.message(), "JSON array record exceeded max_record_bytes 103");
  EXPECT_EQ(outcome.offset, 0u);
  EXPECT_TRUE(SkipAll(text, {.max_record_bytes = 4}).status.ok());
}

TEST(Cursor, SkippingAGiantValueKeepsMemoryFlat_BR18) {
  std::string text = "{\"big\":[";
  while (text.size() < (8u << 20)) {
    text += R"({"k":"some text [ { \" and more"},)";
  }
  text += "0],\"x\":\"after\"}";
  MemoryInput input(text);
  Cursor c(std::move(input.Open(0, kToEnd)).value(), 0);
  std::string_view key, value;
  ASSERT_TRUE(c.BeginObject() && c.NextKey(&key) && c.Skip() && c.NextKey(&key) &&
              c.ReadString(&value));
  EXPECT_EQ(value, "after");
  EXPECT_LE(c.buffer_peak_bytes(), 256u << 10);
  EXPECT_EQ(c.bytes_read(), text.size());
}

TEST(Cursor, CapturedViewsSurviveRefills) {
  std::string text = "[";
  for (int i = 0; i < 2000; ++i) {
    text += (i ? ",\"" : "\"") + std::to_string(i) + "\"";
  }
  text += "]";
  for (const size_t window : {64u, 100u, 4096u}) {
    Cursor c(std::make_unique<testing_support::ChunkedSource>(text, 7), 0,
             {.window_bytes = window});
    std::vector<Raw> values;
    ASSERT_TRUE(c.BeginArray());
    while (c.NextElement()) {
      ASSERT_TRUE(c.Capture(&values.emplace_back()));
    }
    ASSERT_TRUE(c.ok());
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i].text, "\"" + std::to_string(i) + "\"");
    }
    c.ReleaseViews();
  }
}

TEST(Cursor, LineModeEndsAtTheLineFeed) {
  Cursor c("{\"a\":1}\n[2]\n\"cut\nlast");
  c.EnterLine();
  ASSERT_TRUE(c.Skip());
  EXPECT_TRUE(c.AtEnd());
  EXPECT_EQ(c.Peek(), Kind::kAbsent);
  bool line_feed = false;
  ASSERT_TRUE(c.LeaveLine(&line_feed));
  EXPECT_TRUE(line_feed);
  EXPECT_EQ(c.offset(), 8u);
  c.EnterLine();
  ASSERT_TRUE(c.Skip());
  ASSERT_TRUE(c.LeaveLine(&line_feed));
  c.EnterLine();
  EXPECT_FALSE(c.Skip());
  EXPECT_EQ(c.error_offset(), 16u);
  EXPECT_TRUE(c.truncated());
  ASSERT_TRUE(c.LeaveLine(&line_feed));
  EXPECT_TRUE(c.ok());
  c.EnterLine();
  EXPECT_FALSE(c.LeaveLine(&line_feed));
  EXPECT_FALSE(line_feed);
}

TEST(Cursor, AnotherKindThanAskedForIsNamed) {
  Cursor c("[1]");
  EXPECT_FALSE(c.BeginObject());
  EXPECT_EQ(c.status().message(), "expected an object, found an array");
  Cursor d("12");
  std::string_view text;
  EXPECT_FALSE(d.ReadString(&text));
  EXPECT_EQ(d.status().message(), "expected a string, found a number");
}

TEST(Cursor, ReadErrorsAreNotTruncation) {
  Cursor c(std::make_unique<testing_support::FailingSource>("{\"a\":[1,"), 0);
  EXPECT_FALSE(c.Skip());
  EXPECT_EQ(c.status().code(), StatusCode::kIo);
  EXPECT_FALSE(c.truncated());
}

}  // namespace
}  // namespace pchronicle::json
