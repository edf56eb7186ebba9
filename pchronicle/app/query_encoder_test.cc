#include "pchronicle/app/query_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pchronicle::app {
namespace {

using testing::HasSubstr;

/// Cells given as text; "\0" stands for NULL. Numbers are JSON as they are, everything else is a
/// string.
class TextChunk : public sql::ResultChunk {
 public:
  explicit TextChunk(std::vector<std::vector<std::string>> rows) : rows_(std::move(rows)) {}
  size_t rows() const override { return rows_.size(); }
  bool IsNull(size_t column, size_t row) const override { return rows_[row][column] == kNull; }
  void AppendCell(size_t column, size_t row, sql::CellStyle style,
                  std::string* out) const override {
    const std::string& cell = rows_[row][column];
    if (cell == kNull) {
      *out += style == sql::CellStyle::kJson ? "null" : "";
    } else {
      *out += style == sql::CellStyle::kJson ? "\"" + cell + "\"" : cell;
    }
  }
  static inline const std::string kNull{'\0'};

 private:
  const std::vector<std::vector<std::string>> rows_;
};

Result<std::string> Encode(const EncoderOptions& options, std::vector<std::string> names,
                           std::vector<std::vector<std::string>> rows, bool numeric = false) {
  Spool spool;
  const auto encoder = MakeEncoder(options, spool);
  std::vector<sql::ResultColumn> columns;
  for (std::string& name : names) {
    columns.push_back({std::move(name), "VARCHAR", numeric});
  }
  PCHRONICLE_RETURN_IF_ERROR(encoder->Begin(columns));
  for (auto& row : rows) {
    PCHRONICLE_RETURN_IF_ERROR(encoder->Rows(TextChunk({row})));
  }
  PCHRONICLE_RETURN_IF_ERROR(encoder->Finish());
  std::string text;
  PCHRONICLE_RETURN_IF_ERROR(spool.ForEach([&](std::string_view piece) {
    text += piece;
    return Status::Ok();
  }));
  return text;
}

std::string Text(const EncoderOptions& options, std::vector<std::string> names,
                 std::vector<std::vector<std::string>> rows, bool numeric = false) {
  auto text = Encode(options, std::move(names), std::move(rows), numeric);
  EXPECT_TRUE(text.ok()) << text.status().ToString();
  return text.ok() ? *text : "";
}

const std::string& kNull = TextChunk::kNull;

TEST(JsonLines, KeysInOrderAndNullsKept) {
  EXPECT_EQ(Text({.format = QueryFormat::kJsonl}, {"b", "a\"\n"}, {{"1", kNull}, {"2", "x"}}),
            "{\"b\":\"1\",\"a\\\"\\u000a\":null}\n{\"b\":\"2\",\"a\\\"\\u000a\":\"x\"}\n");
  EXPECT_EQ(Text({.format = QueryFormat::kJsonl}, {"a"}, {}), "");
}

TEST(Csv, QuotesOnlyWhereNeededAndAlwaysHasAHeader) {
  EXPECT_EQ(Text({.format = QueryFormat::kCsv}, {"a", "b,c"},
                 {{"x y", "q\"q"}, {kNull, "l\nl"}, {"\r", "1,2"}}),
            "a,\"b,c\"\nx y,\"q\"\"q\"\n,\"l\nl\"\n\"\r\",\"1,2\"\n");
  EXPECT_EQ(Text({.format = QueryFormat::kCsv}, {"a", "b"}, {}), "a,b\n");
}

TEST(Csv, TerminalGetsNoControlCharacters_BR51) {
  EXPECT_EQ(Text({.format = QueryFormat::kCsv, .terminal = true}, {"a"}, {{"\x1b[2J"}}),
            "a\n\\u001b[2J\n");
  EXPECT_EQ(Text({.format = QueryFormat::kCsv}, {"a"}, {{"\x1b[2J"}}), "a\n\x1b[2J\n");
}

TEST(PlainTable, PadsByCharactersWithoutTrailingBlanks) {
  EXPECT_EQ(Text({.format = QueryFormat::kTable}, {"name", "n"},
                 {{"h\xc3\xa9", "10"}, {"longer", kNull}}),
            "name    n\nh\xc3\xa9      10\nlonger\n");
  EXPECT_EQ(Text({.format = QueryFormat::kTable}, {"a", "b"}, {}), "a  b\n");
  EXPECT_EQ(Text({.format = QueryFormat::kTable}, {}, {}), "(0 rows)\n");
}

TEST(PlainTable, CutsCellsAtEightyCharacters) {
  const std::string text = Text({.format = QueryFormat::kTable}, {"a"},
                                {{std::string(81, 'x')}, {std::string(80, 'y')}});
  EXPECT_EQ(text, "a\n" + std::string(79, 'x') + "…\n" + std::string(80, 'y') + "\n");
}

TEST(PlainTable, LineBreaksDoNotTearRows) {
  EXPECT_EQ(Text({.format = QueryFormat::kTable}, {"a"}, {{"x\ny\tz"}}), "a\nx y z\n");
}

TEST(BoxTable, AlignsNumbersRightAndWideCharactersByWidth) {
  EXPECT_EQ(Text({.format = QueryFormat::kBox}, {"n"}, {{"5"}, {"123"}}, true),
            "┌─────┐\n│   n │\n├─────┤\n│   5 │\n│ 123 │\n└─────┘\n");
  EXPECT_EQ(Text({.format = QueryFormat::kBox}, {"c"}, {{"日本"}, {"x"}}),
            "┌──────┐\n│ c    │\n├──────┤\n│ 日本 │\n│ x    │\n└──────┘\n");
}

TEST(BoxTable, FitsTheTerminalByNarrowingTheWidestColumn) {
  const std::string text = Text({.format = QueryFormat::kBox, .width = 40}, {"a", "b"},
                                {{std::string(60, 'x'), "short"}});
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    size_t characters = 0;
    for (size_t i = at; i < end; ++i) {
      characters += (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    }
    EXPECT_LE(characters, 40u);
    at = end + 1;
  }
  EXPECT_THAT(text, HasSubstr("short"));
}

TEST(BoxTable, DataCannotControlTheTerminal_BR51) {
  const std::string text = Text({.format = QueryFormat::kBox, .terminal = true}, {"a\x07"},
                                {{"\x1b]52;c;AAAA\x07\xe2\x80\xae"}});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("\\u001b]52;c;AAAA\\u0007\\u202e"));
}

TEST(Encoders, PlansArePrintedAsTheyAre) {
  EXPECT_EQ(Text({.format = QueryFormat::kTable}, {"explain_key", "explain_value"},
                 {{"physical_plan", "A\n  b: 1\n"}}),
            "A\n  b: 1\n");
}

TEST(Encoders, ByteLimitIsNamedWithItsValue_LIM02_SQL05) {
  for (const QueryFormat format :
       {QueryFormat::kJsonl, QueryFormat::kCsv, QueryFormat::kTable, QueryFormat::kBox}) {
    const std::vector<std::vector<std::string>> rows(100, {"0123456789"});
    EncoderOptions options{.format = format};
    options.max_bytes = Text(options, {"a"}, rows).size();
    if (format == QueryFormat::kTable || format == QueryFormat::kBox) {
      options.max_bytes += 10'000;  // what is held counts too
    }
    EXPECT_TRUE(Encode(options, {"a"}, rows).ok());
    options.max_bytes = 500;
    const Status status = Encode(options, {"a"}, rows).status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(status.message(), HasSubstr("max_output_bytes 500"));
  }
}

TEST(Encoders, LargeTablesGoThroughTheSpool) {
  std::vector<std::vector<std::string>> rows;
  std::string expected = "a      b\n";
  for (int i = 0; i < 40'000; ++i) {
    rows.push_back({fmt::format("v{:05}", i), "xyzxyzxyzxyzxyzxyz"});
    expected += rows.back()[0] + " " + " " + rows.back()[1] + "\n";
  }
  expected.replace(0, 9, "a       b\n");
  EXPECT_EQ(Text({.format = QueryFormat::kTable}, {"a", "b"}, rows), expected);
}

}  // namespace
}  // namespace pchronicle::app
