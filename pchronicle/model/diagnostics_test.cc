#include "pchronicle/model/diagnostics.h"

#include <gtest/gtest.h>

#include <limits>

namespace pchronicle::model {
namespace {

TEST(Diagnostics, CountsByCodeAndKeepsTheFirst) {
  Diagnostics notes;
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(notes.ToJson(), "[]");
  notes.Add("bad_value", "/steps/1/x", "\"a\"");
  notes.Add("bad_value", "/steps/2/x", "\"b\"", 3);
  notes.Add("a_code", "");
  EXPECT_EQ(notes.ToJson(),
            R"([{"code":"a_code","pointer":"","count":1},)"
            R"({"code":"bad_value","pointer":"/steps/1/x","count":4,"example":"\"a\""}])");
}

TEST(Diagnostics, MergeAddsCountsAndSaturates) {
  Diagnostics a, b;
  a.Add("x", "/1");
  b.Add("x", "/2", "", std::numeric_limits<uint64_t>::max());
  b.Add("y", "/3");
  a.Merge(b);
  const std::vector<Diagnostic> sorted = a.Sorted();
  ASSERT_EQ(sorted.size(), 2u);
  EXPECT_EQ(sorted[0].count, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(sorted[0].pointer, "/1");
  EXPECT_EQ(sorted[1].code, "y");
}

TEST(Diagnostics, ExamplesAreCutBetweenCharacters) {
  Diagnostics notes;
  notes.Add("x", "", std::string(79, 'a') + "é and more");
  EXPECT_EQ(notes.Sorted()[0].example, std::string(79, 'a'));
  notes.Add("y", "", std::string(200, 'b'));
  EXPECT_EQ(notes.Sorted()[1].example.size(), 80u);
}

}  // namespace
}  // namespace pchronicle::model
