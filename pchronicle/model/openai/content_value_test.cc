#include "pchronicle/model/openai/content_value.h"

#include <gtest/gtest.h>

#include <string_view>

namespace pchronicle::model::openai {
namespace {

bool Has(std::string_view text) { return HasValue(json::RawFromText(text)); }

TEST(ContentValue, HasValueFollowsTheTable) {
  for (const std::string_view empty : {"null", "\"\"", "[]", "{}", R"([""])", R"([null,[]])",
                                       R"({"text":""})", R"({"text":null,"x":1})"}) {
    EXPECT_FALSE(Has(empty)) << empty;
  }
  for (const std::string_view full :
       {"0", "false", "\"x\"", R"(["",1])", R"({"x":null})", R"({"text":"a"})"}) {
    EXPECT_TRUE(Has(full)) << full;
  }
  EXPECT_FALSE(HasValue({}));
}

TEST(ContentValue, OnlyPartsOfKnownTypesAreTakenOutOfText) {
  Arena arena;
  const auto decode = [&arena](std::string_view text) {
    return DecodeContent(json::RawFromText(text), arena).text;
  };
  EXPECT_EQ(decode(R"(" [{\"type\":\"image_url\"}]")"), R"([{"type":"image_url"}])");
  EXPECT_EQ(decode(R"("{\"type\":\"text\",\"text\":\"a\"}")"), R"({"type":"text","text":"a"})");
  for (const std::string_view kept :
       {R"("[]")", R"("[1]")", R"("[{\"type\":\"odd\"}]")", R"("{\"a\":1}")",
        R"("[{\"type\":\"text\"}")", R"("plain")", R"([{"type":"text"}])"}) {
    EXPECT_EQ(decode(kept), kept);
  }
}

TEST(ContentValue, ArgumentsThatParseAreTheirValue) {
  Arena arena;
  const auto decode = [&arena](std::string_view text) {
    return DecodeArguments(json::RawFromText(text), arena).text;
  };
  EXPECT_EQ(decode(R"("{\"a\":1}")"), R"({"a":1})");
  EXPECT_EQ(decode(R"("\"x\"")"), R"("x")");
  EXPECT_EQ(decode(R"("not json")"), R"("not json")");
  EXPECT_EQ(decode(R"("{} {}")"), R"("{} {}")");
  EXPECT_EQ(decode(R"("")"), R"("")");
  EXPECT_EQ(decode(R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(decode(""), "null");
}

TEST(ContentValue, TextOfPartsIsJoinedByLineFeeds) {
  Arena arena;
  EXPECT_EQ(ContentText(json::RawFromText(R"([{"text":"a"},{"x":1},"b"])"), arena), "a\nb");
  EXPECT_EQ(ContentText(json::RawFromText(R"({"text":"a\n"})"), arena), "a\n");
  EXPECT_EQ(ContentText(json::RawFromText("7"), arena), "");
}

}  // namespace
}  // namespace pchronicle::model::openai
