#include "pchronicle/base/arena.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pchronicle {
namespace {

TEST(Arena, ViewsStayValidWhileItGrowsAndMoves) {
  Arena arena(64);
  std::vector<std::pair<std::string, std::string_view>> kept;
  for (size_t i = 0; i < 200; ++i) {
    std::string text(i, static_cast<char>('a' + i % 26));
    kept.emplace_back(text, arena.Copy(text));
  }
  Arena moved = std::move(arena);
  for (const auto& [text, view] : kept) {
    EXPECT_EQ(view, text);
  }
  EXPECT_GE(moved.bytes(), 200U * 199 / 2);
}

TEST(Arena, ShrinkGivesTheTailBack) {
  Arena arena(64);
  char* first = arena.Allocate(32);
  arena.Shrink(32, 8);
  EXPECT_EQ(arena.Allocate(1), first + 8);
}

TEST(Arena, ResetKeepsOneBlockForReuse) {
  Arena arena(64);
  arena.Allocate(64);
  arena.Allocate(1000);
  arena.Reset();
  EXPECT_EQ(arena.bytes(), 64U);
  arena.Allocate(64);
  EXPECT_EQ(arena.bytes(), 64U);
}

TEST(Arena, ResetWithoutAStandardBlockHoldsNothing) {
  Arena arena(64);
  arena.Allocate(1000);
  arena.Reset();
  EXPECT_EQ(arena.bytes(), 0U);
  EXPECT_EQ(arena.Copy("x"), "x");
}

}  // namespace
}  // namespace pchronicle
