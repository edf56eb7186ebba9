#include "pchronicle/json/record_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pchronicle::json {
namespace {

struct Reading {
  std::vector<std::string> values;  // text, or "! message @offset" of a record that was lost
  std::vector<uint64_t> offsets;
  Status status;
  uint64_t error_offset = 0;
  bool open_tail = false;
};

Reading ReadAll(const std::string& text, Container container, RecordRange range = {},
                CursorOptions options = {}) {
  Reading reading;
  MemoryInput input(text);
  auto stream = RecordStream::Open(input, container, range, options);
  if (!stream.ok()) {
    reading.status = stream.status();
    return reading;
  }
  RecordStream& s = **stream;
  uint64_t ordinal = 0;
  for (Record record; s.Next(&record);) {
    EXPECT_EQ(record.ordinal, ordinal++);
    Raw raw;
    s.cursor().Capture(&raw);
    std::string value(raw.text);
    const Status end = s.Finish();
    if (!end.ok()) {
      value = fmt::format("! {} @{}", end.message(), s.error_offset());
    }
    if (!s.open_tail()) {
      reading.values.push_back(value);
      reading.offsets.push_back(record.offset);
    }
    s.cursor().ReleaseViews();
    if (!end.ok() && !s.Abandon()) {
      break;
    }
  }
  reading.status = s.status();
  reading.error_offset = s.error_offset();
  reading.open_tail = s.open_tail();
  return reading;
}

using Values = std::vector<std::string>;

TEST(RecordStream, LinesWithBlankLinesCrLfAndNoLastLineFeed_BR17) {
  const Reading r = ReadAll("{\"a\":1}\r\n\r\n  \n {\"b\":2} \r\n[3]", Container::kLines);
  EXPECT_EQ(r.values, (Values{"{\"a\":1}", "{\"b\":2}", "[3]"}));
  EXPECT_EQ(r.offsets, (std::vector<uint64_t>{0, 15, 25}));
  EXPECT_TRUE(r.status.ok());
  EXPECT_FALSE(r.open_tail);
}

TEST(RecordStream, ABadLineCostsOnlyItself_BR10) {
  const Reading r =
      ReadAll("{\"a\":1}\n{\"a\":\"x\n{\"a\":2} junk\n{\"a\" 3}\n{\"a\":4}\n", Container::kLines);
  ASSERT_EQ(r.values.size(), 5u);
  EXPECT_EQ(r.values[0], "{\"a\":1}");
  EXPECT_EQ(r.values[1], "! line ends inside a string @15");
  EXPECT_EQ(r.values[2], "! trailing data after JSON document @24");
  EXPECT_EQ(r.values[3], "! expected ':' after an object key, found '3' @34");
  EXPECT_EQ(r.values[4], "{\"a\":4}");
  EXPECT_TRUE(r.status.ok());
}

TEST(RecordStream, InvalidUtf8IsTheErrorOfItsLine_BR12) {
  const Reading r = ReadAll("{\"a\":1}\n{\"a\":\"\xe6\x87\"}\n{\"a\":2}\n\xff", Container::kLines);
  ASSERT_EQ(r.values.size(), 3u);
  EXPECT_EQ(r.values[1], "! expected UTF-8 in a string, found invalid byte 0xe6 @14");
  EXPECT_EQ(r.values[2], "{\"a\":2}");
  EXPECT_TRUE(r.open_tail);
}

TEST(RecordStream, CutLastLineIsOpenNotAnError_BR11) {
  for (const size_t window : {64u, 1u << 18}) {
    for (const std::string& tail : {std::string("{\"a\":\"cut"), std::string("{\"a\":\"\xe6\x87"),
                                    "{\"long\":\"" + std::string(300, 'x')}) {
      const Reading r =
          ReadAll("{\"a\":1}\n" + tail, Container::kLines, {}, {.window_bytes = window});
      EXPECT_EQ(r.values, (Values{"{\"a\":1}"})) << tail;
      EXPECT_TRUE(r.open_tail);
      EXPECT_TRUE(r.status.ok());
    }
  }
  EXPECT_FALSE(ReadAll("{\"a\":1}\n{\"a\":", Container::kDocument).status.ok());
}

/// Looks at `key` of every record only: `value`, "-" without it, "!" for an error. Nothing for an
/// open tail.
std::vector<std::string> ReadKey(const std::string& text, std::string_view wanted,
                                 CursorOptions options, bool* open_tail) {
  std::vector<std::string> seen;
  MemoryInput input(text);
  const auto stream = RecordStream::Open(input, Container::kLines, {}, options);
  for (Record record; (*stream)->Next(&record);) {
    Cursor& cursor = (*stream)->cursor();
    std::string value = "-";
    bool good = cursor.BeginObject();
    for (std::string_view key; good && cursor.NextKey(&key);) {
      Raw raw;
      if (key == wanted) {
        good = cursor.Capture(&raw);
        value = raw.text;
      } else {
        good = cursor.Skip();
      }
    }
    if (!(*stream)->Finish().ok()) {
      value = "!";
      (*stream)->Abandon();
    }
    if (!(*stream)->open_tail()) {
      seen.push_back(value);
    }
    cursor.ReleaseViews();
  }
  *open_tail = (*stream)->open_tail();
  return seen;
}

TEST(RecordStream, ALastLineIsJudgedTheSameInEveryWindow_BR11_SRC25) {
  const std::string pad(300, ' ');
  struct Case {
    std::string tail;
    bool is_open;
    Values seen;  // of the last line
  };
  const Case cases[] = {
      {R"({"a":1,"b":"\q"})", false, {"1"}},           // a bad value that nobody asks for
      {R"({"b":"\q","a":1})" + pad, false, {"1"}},     //
      {R"({"a":"\q","b":1})" + pad, true, {}},         // one that somebody does
      {R"({"a":1})" + pad + "x", true, {}},            // more behind the value
      {R"([1,2])" + pad, false, {"!"}},                // whole, but means nothing
      {R"([1,2])" + pad + "]", true, {}},              //
      {R"([1,{"a":")" + pad, true, {}},                // means nothing, and is cut
      {R"({"a":")" + pad, true, {}},                   // cut
      {R"({"b":[)" + pad + R"(],"a":1}})", true, {}},  // a bracket too many
      {R"({"a":")" + pad + R"("})", false, {"!"}},     // too large a value, but whole
      {R"({"a":")" + pad + R"(","b":[)", true, {}},    // too large a value, and cut
      {"\xff" + pad, true, {}},
  };
  for (const Case& c : cases) {
    for (const size_t window : {64u, 100u, 300u, 1000u, 1u << 18}) {
      bool open_tail = false;
      Values expected{"0"};
      expected.insert(expected.end(), c.seen.begin(), c.seen.end());
      EXPECT_EQ(ReadKey("{\"a\":0}\n" + c.tail, "a",
                        {.window_bytes = window, .max_record_bytes = 200}, &open_tail),
                expected)
          << c.tail << " in " << window;
      EXPECT_EQ(open_tail, c.is_open) << c.tail << " in " << window;
    }
  }
}

TEST(RecordStream, ByteOrderMarkIsSkippedAndUtf16Named_BR16) {
  const Reading lines = ReadAll("\xef\xbb\xbf{\"a\":1}\n{\"a\":2}\n", Container::kLines);
  EXPECT_EQ(lines.values, (Values{"{\"a\":1}", "{\"a\":2}"}));
  EXPECT_EQ(lines.offsets, (std::vector<uint64_t>{3, 11}));
  EXPECT_EQ(ReadAll("\xef\xbb\xbf[1]", Container::kDocument).values, Values{"1"});
  for (const std::string& text :
       {std::string("\xff\xfe{\0", 4), std::string("\xfe\xff\0{", 4), std::string("{\0\"\0", 4)}) {
    EXPECT_EQ(ReadAll(text, Container::kDocument).status.message(),
              "UTF-16 text; convert it to UTF-8");
  }
}

TEST(RecordStream, DocumentShapes_STL110) {
  EXPECT_EQ(ReadAll(" {\"a\":1} ", Container::kDocument).values, Values{"{\"a\":1}"});
  EXPECT_EQ(ReadAll("{\"a\":1}\n{\"a\":2}{\"a\":3}", Container::kDocument).values.size(), 3u);
  EXPECT_EQ(ReadAll("[{\"a\":1}, [2] ,3]\n", Container::kDocument).values,
            (Values{"{\"a\":1}", "[2]", "3"}));
  EXPECT_EQ(ReadAll("[]", Container::kDocument).values.size(), 0u);
  EXPECT_TRUE(ReadAll("[]", Container::kDocument).status.ok());
  EXPECT_TRUE(ReadAll(" \n ", Container::kDocument).status.ok());
  EXPECT_TRUE(ReadAll("", Container::kDocument).status.ok());
  const Reading start = ReadAll("\n\"x\"", Container::kDocument);
  EXPECT_EQ(start.status.message(), "unsupported JSON stream start byte 0x22");
  EXPECT_EQ(start.error_offset, 1u);
  for (const std::string& text :
       {std::string("{\"a\":1} x"), std::string("[1]    {}"), std::string("{\"a\":1}[1]")}) {
    const Reading r = ReadAll(text, Container::kDocument);
    EXPECT_EQ(r.values.size(), 1u);
    EXPECT_EQ(r.status.message(), "trailing data after JSON document") << text;
  }
  EXPECT_EQ(ReadAll("{\"a\":1} x", Container::kDocument).error_offset, 8u);
}

TEST(RecordStream, SyntaxErrorInADocumentIsFatal) {
  const Reading r = ReadAll("[{\"a\":1},{\"a\" 2},{\"a\":3}]", Container::kDocument);
  ASSERT_EQ(r.values.size(), 2u);
  EXPECT_FALSE(r.status.ok());
  EXPECT_EQ(r.error_offset, 14u);
}

TEST(RecordStream, AbandonedElementCostsItself) {
  MemoryInput input("[{\"a\":{\"b\":[1,2]}},7,{\"c\":1}]");
  auto stream = std::move(RecordStream::Open(input, Container::kDocument)).value();
  Record record;
  ASSERT_TRUE(stream->Next(&record));
  Cursor& c = stream->cursor();
  std::string_view key;
  ASSERT_TRUE(c.BeginObject() && c.NextKey(&key) && c.BeginObject() && c.NextKey(&key) &&
              c.BeginArray());
  c.Fail(Status::InvalidArgument("no such agent"), c.offset());
  EXPECT_EQ(stream->Finish().message(), "no such agent");
  ASSERT_TRUE(stream->Abandon());
  ASSERT_TRUE(stream->Next(&record));
  EXPECT_FALSE(c.BeginObject());
  EXPECT_EQ(stream->Finish().message(), "expected an object, found a number");
  ASSERT_TRUE(stream->Abandon());
  ASSERT_TRUE(stream->Next(&record));
  EXPECT_EQ(record.ordinal, 2u);
  EXPECT_TRUE(record.in_array);
  ASSERT_TRUE(stream->Abandon());
  EXPECT_FALSE(stream->Next(&record));
  EXPECT_TRUE(stream->status().ok());
}

TEST(RecordStream, ReopenGivesASecondLook) {
  MemoryInput input("{\"a\":1}\n{\"a\":2}\n");
  auto stream = std::move(RecordStream::Open(input, Container::kLines)).value();
  Record record;
  ASSERT_TRUE(stream->Next(&record) && stream->Abandon() && stream->Next(&record));
  auto second = std::move(stream->Reopen()).value();
  Raw raw;
  ASSERT_TRUE(second->Capture(&raw));
  EXPECT_EQ(raw.text, "{\"a\":2}");
  EXPECT_TRUE(second->AtEnd());
}

TEST(RecordStream, RangesOfALineFileCoverEveryLineOnce_STL128) {
  for (const std::string& text :
       {std::string("{\"a\":1}\n\n  {\"b\":22}\r\n{\"c\":3}\n{\"d\":4}"),
        std::string("\xef\xbb\xbf{\"a\":1}\n{\"b\":2}\n"), std::string("\n\n1\n2")}) {
    const Reading whole = ReadAll(text, Container::kLines);
    for (uint64_t cut = 0; cut <= text.size(); ++cut) {
      for (uint64_t second = cut; second <= text.size(); ++second) {
        Values values;
        std::vector<uint64_t> offsets;
        for (const RecordRange range :
             {RecordRange{0, cut}, RecordRange{cut, second}, RecordRange{second, kToEnd}}) {
          const Reading part = ReadAll(text, Container::kLines, range, {.window_bytes = 64});
          values.insert(values.end(), part.values.begin(), part.values.end());
          offsets.insert(offsets.end(), part.offsets.begin(), part.offsets.end());
        }
        ASSERT_EQ(values, whole.values) << cut << " " << second;
        ASSERT_EQ(offsets, whole.offsets);
      }
    }
  }
}

TEST(RecordStream, LineLongerThanTheLimitCostsItself) {
  const std::string text = "[1]\n[\"" + std::string(500, 'x') + "\"]\n[2]\n";
  const Reading r =
      ReadAll(text, Container::kLines, {}, {.window_bytes = 64, .max_record_bytes = 100});
  ASSERT_EQ(r.values.size(), 3u);
  EXPECT_EQ(r.values[1], "! JSON line exceeded max_record_bytes 100 @4");
  EXPECT_EQ(r.values[2], "[2]");
}

TEST(RecordStream, ARangeInsideOneGiantLineReadsOnlyItself_BR18) {
  const std::string text = "[1]\n[\"" + std::string(4 << 20, 'x') + "\"]\n[2]\n";
  MemoryInput input(text);
  uint64_t bytes_read = 0;
  Values values;
  constexpr uint64_t kRange = 256 << 10;
  for (uint64_t begin = 0; begin < text.size(); begin += kRange) {
    auto stream = RecordStream::Open(input, Container::kLines, {begin, begin + kRange}, {});
    ASSERT_TRUE(stream.ok());
    for (Record record; (*stream)->Next(&record);) {
      Raw raw;
      (*stream)->cursor().Capture(&raw);
      values.emplace_back(raw.text.substr(0, 3));
      ASSERT_TRUE((*stream)->Finish().ok());
      (*stream)->cursor().ReleaseViews();
    }
    bytes_read += (*stream)->bytes_read();
  }
  EXPECT_EQ(values, (Values{"[1]", "[\"x", "[2]"}));
  EXPECT_LT(bytes_read, 3 * text.size());
}

TEST(Locate, FindsLineAndPointer) {
  const std::string text = "{}\n\n{\"a\":[1,{\"b/c\":[true,\"x\"]}],\n \"d\":nul}";
  MemoryInput input(text);
  const auto at = [&](size_t offset) {
    const Place place = std::move(Locate(input, 4, offset)).value();
    EXPECT_EQ(place.byte_offset, offset);
    return fmt::format("{}:{}", place.line, place.pointer);
  };
  EXPECT_EQ(at(4), "3:");
  EXPECT_EQ(at(text.find("[1")), "3:/a");
  EXPECT_EQ(at(text.find("1,")), "3:/a/0");
  EXPECT_EQ(at(text.find("true")), "3:/a/1/b~1c/0");
  EXPECT_EQ(at(text.find("\"x\"") + 1), "3:/a/1/b~1c/1");
  EXPECT_EQ(at(text.find("nul") + 3), "4:/d");
}

}  // namespace
}  // namespace pchronicle::json
