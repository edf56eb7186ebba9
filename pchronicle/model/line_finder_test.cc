#include "pchronicle/model/line_finder.h"

#include <gtest/gtest.h>

namespace pchronicle::model {
namespace {

TEST(LineFinder, CountsPhysicalLinesForwardAndBack) {
  const json::MemoryInput input("a\n\nbc\r\n\nd");
  LineFinder lines(input);
  EXPECT_EQ(lines.LineAt(0), 1u);
  EXPECT_EQ(lines.LineAt(1), 1u);
  EXPECT_EQ(lines.LineAt(3), 3u);
  EXPECT_EQ(lines.LineAt(8), 5u);
  EXPECT_EQ(lines.LineAt(2), 2u);
  EXPECT_EQ(lines.LineAt(1000), 5u);
}

TEST(LineFinder, PlacesARecord) {
  const json::MemoryInput input("{}\n\n{}\n");
  LineFinder lines(input);
  EXPECT_EQ(lines.Location(json::Container::kLines, {.ordinal = 1, .offset = 4}), "line 3");
  EXPECT_EQ(
      lines.Location(json::Container::kDocument, {.ordinal = 1, .offset = 4, .in_array = true}),
      "array element 1");
  EXPECT_EQ(lines.Location(json::Container::kDocument, {.ordinal = 1, .offset = 4}), "");
}

}  // namespace
}  // namespace pchronicle::model
