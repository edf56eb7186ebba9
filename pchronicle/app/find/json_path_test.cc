#include "pchronicle/app/find/json_path.h"

#include <gtest/gtest.h>

namespace pchronicle::app {
namespace {

Result<JsonPath> Parse(std::string_view text) {
  size_t at = 0;
  Result<JsonPath> path = ParseJsonPath(text, &at);
  if (path.ok() && at != text.size()) {
    return Status::InvalidArgument("ends at {}", at);
  }
  return path;
}

std::string Found(std::string_view json, std::string_view path) {
  const Result<JsonPath> parsed = Parse(path);
  EXPECT_TRUE(parsed.ok()) << path << ": " << parsed.status().ToString();
  return parsed.ok() ? std::string(Lookup(json, *parsed).text) : "";
}

TEST(JsonPath, WritesItselfOneWay_FND15) {
  EXPECT_EQ(Parse("$")->ToString(), "$");
  EXPECT_EQ(Parse("$.a['b'][\"c d\"][12].e_1")->ToString(), "$.a.b[\"c d\"][12].e_1");
  EXPECT_EQ(Parse("$.größe.x-y")->ToString(), "$[\"größe\"][\"x-y\"]");
  EXPECT_EQ(Parse(R"($["a\"b"]["\u0041"])")->ToString(), R"($["a\"b"].A)");
}

TEST(JsonPath, RefusesWhatItCannotRead_FND07) {
  for (const char* text : {"", "a", "$.", "$..a", "$[", "$[]", "$[a]", "$[-1]", "$['a'", "$['a",
                           "$[1", "$.a[*]", "$.*", "$[99999999999999999999]", "$[\"\\x\"]"}) {
    EXPECT_FALSE(Parse(text).ok()) << text;
  }
}

TEST(JsonPath, FindsMembersAndElements_FND07) {
  const std::string_view json =
      R"({"a":{"b":[10,{"c d":"x"},null]},"é":true,"n":12345678901234567890})";
  EXPECT_EQ(Found(json, "$.a.b[0]"), "10");
  EXPECT_EQ(Found(json, "$.a.b[1]['c d']"), "\"x\"");
  EXPECT_EQ(Found(json, "$.a.b[2]"), "null");
  EXPECT_EQ(Found(json, "$.é"), "true");
  EXPECT_EQ(Found(json, "$.n"), "12345678901234567890");
  EXPECT_EQ(Found(json, "$.a"), R"({"b":[10,{"c d":"x"},null]})");
  EXPECT_EQ(Found("[1]", "$"), "[1]");
  for (const char* path : {"$.b", "$.a.b[3]", "$.a[0]", "$.a.b.c", "$.n.x", "$.é[0]"}) {
    EXPECT_EQ(Found(json, path), "") << path;
  }
}

TEST(JsonPath, TakesTheLastOfDuplicates_FND07) {
  EXPECT_EQ(Found(R"({"a":1,"\u0061":2})", "$.a"), "2");
}

}  // namespace
}  // namespace pchronicle::app
