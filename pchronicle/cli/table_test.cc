#include "pchronicle/cli/table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace pchronicle::cli {
namespace {

TEST(PlainTable, PadsByCharactersWithoutTrailingBlanks) {
  Table table({{"name"}, {"text"}});
  table.AddRow({"日本", "a"});
  table.AddRow({"x", ""});
  EXPECT_EQ(table.Render(Table::Style::kPlain), "name  text\n日本    a\nx\n");
}

TEST(PlainTable, NoColumnsSayZeroRows) {
  EXPECT_EQ(Table({}).Render(Table::Style::kPlain), "(0 rows)\n");
}

TEST(PlainTable, CellsAreCutTo80CharactersAndStayOnALine) {
  Table table({{"a"}});
  table.AddRow({std::string(81, 'x')});
  table.AddRow({std::string(80, 'y')});
  table.AddRow({"one\ntwo\r\tthree"});
  EXPECT_EQ(table.Render(Table::Style::kPlain),
            "a\n" + std::string(79, 'x') + "…\n" + std::string(80, 'y') + "\none two  three\n");
}

TEST(PlainTable, KeepsControlCharactersForPipes_BR51) {
  Table table({{"a"}});
  table.AddRow({"\x1b[2J"});
  EXPECT_EQ(table.Render(Table::Style::kPlain), "a\n\x1b[2J\n");
}

TEST(BoxTable, DrawsLinesAlignsNumbersRightAndCountsWideCharacters) {
  Table table({{"name"}, {"n", true}});
  table.AddRow({"日本", "7"});
  table.AddRow({"abc", "1234"});
  EXPECT_EQ(table.Render(Table::Style::kBox),
            "┌──────┬──────┐\n"
            "│ name │    n │\n"
            "├──────┼──────┤\n"
            "│ 日本 │    7 │\n"
            "│ abc  │ 1234 │\n"
            "└──────┴──────┘\n");
}

TEST(BoxTable, DataCannotControlTheTerminal_BR51) {
  Table table({{"a"}});
  table.AddRow({"\x1b]52;c;\x07\u202e"});
  const std::string text = table.Render(Table::Style::kBox);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_NE(text.find("\\u001b]52;c;\\u0007\\u202e"), std::string::npos);
}

RC_GTEST_PROP(BoxTable, NoDataMakesControlBytes_BR51, (const std::string& data)) {
  Table table({{"a"}});
  table.AddRow({data});
  for (const char c : table.Render(Table::Style::kBox, 60)) {
    RC_ASSERT(c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
  }
}

TEST(BoxTable, WidestColumnsNarrowToTheTerminal) {
  Table table({{"a"}, {"b"}});
  table.AddRow({std::string(60, 'x'), "short"});
  const std::string text = table.Render(Table::Style::kBox, 40);
  EXPECT_NE(text.find("…"), std::string::npos);
  EXPECT_NE(text.find("short"), std::string::npos);
  EXPECT_EQ(text.substr(0, text.find('\n')).size() / 3, 40U);  // box characters take three bytes
}

TEST(BoxTable, IdsAreNeverCut_FND16) {
  Table table({{"id", false, SIZE_MAX, true}, {"text"}});
  const std::string id(200, 'i');
  table.AddRow({id, std::string(60, 'x')});
  const std::string text = table.Render(Table::Style::kBox, 40);
  EXPECT_NE(text.find(id), std::string::npos);
  EXPECT_NE(text.find("xxxxxxx…"), std::string::npos) << "the other column is as narrow as it gets";
}

}  // namespace
}  // namespace pchronicle::cli
