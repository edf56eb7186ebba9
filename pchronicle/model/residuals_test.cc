#include "pchronicle/model/residuals.h"

#include <gtest/gtest.h>

namespace pchronicle::model {
namespace {

TEST(Residuals, OnlyTheSchemasArrayPositionsAreStarred_G18) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"atif", "/steps/0/v", "/steps/*/v"},
      {"atif", "/steps/0/0", "/steps/*/0"},
      {"atif", "/steps/01/v", "/steps/01/v"},
      {"atif", "/steps/3/tool_calls/4/v", "/steps/*/tool_calls/*/v"},
      {"atif", "/steps/3/extra/tool_calls/4", "/steps/*/extra/tool_calls/4"},
      {"atif", "/subagent_trajectories/0/subagent_trajectories/12/steps/3/v",
       "/subagent_trajectories/*/subagent_trajectories/*/steps/*/v"},
      {"atif", "/extra/steps/0", "/extra/steps/0"},
      {"atif", "/a~1b/0", "/a~1b/0"},
      {"atif", "", ""},
      {"actf", "/attempts/1/trajectory/steps/2/tools/3/v",
       "/attempts/1/trajectory/steps/*/tools/*/v"},
      {"actf", "/attempts/1/trajectory/steps/2/observation/3",
       "/attempts/1/trajectory/steps/*/observation/*"},
      {"actf", "/attempts/1/trajectory/steps/2/assistant_content/tool_calls/3/v",
       "/attempts/1/trajectory/steps/*/assistant_content/tool_calls/*/v"},
      {"actf", "/attempts/1/steps/2", "/attempts/1/steps/2"},
      {"openai-msg", "/session_steps/2/messages/0/tool_calls/1/v",
       "/session_steps/*/messages/*/tool_calls/*/v"},
      {"openai-msg", "/session_steps/2/response/tool_calls/1/v",
       "/session_steps/*/response/tool_calls/*/v"},
      {"openai-msg", "/session_steps/2/meta_json/3", "/session_steps/*/meta_json/3"},
      {"agenticmd", "/blocks/7/header/0", "/blocks/*/header/0"},
      {"vendor", "/steps/0", "/steps/0"},
  };
  for (const auto& [format, pointer, expected] : cases) {
    EXPECT_EQ(NormalizePointer(format, pointer), expected) << format;
  }
}

TEST(Residuals, BuilderSortsAndKeepsTheLastOfEqualPointers) {
  Arena arena;
  ResidualBuilder builder(arena);
  EXPECT_TRUE(builder.Finish("atif", "d").empty());
  builder.Add("/b", json::RawFromText("{ \"x\" : NaN }"));
  builder.Add("/a", json::RawFromText("1"));
  builder.Add("/b", json::RawFromText("null"));
  const std::vector<UnknownSource> sources = builder.Finish("atif", "d");
  EXPECT_EQ(UnknownFieldsJson(sources),
            R"({"sources":{"atif":{"source_document_id":"d","fields":{"/a":1,"/b":null}}}})");
  EXPECT_EQ(UnknownKeyCountsJson(CountUnknownKeys(sources)), R"({"atif":{"/a":1,"/b":1}})");
  EXPECT_EQ(ResidualBytes(sources), 1u + 2 + 1 + 2 + 4);
  EXPECT_TRUE(builder.empty());
}

TEST(Residuals, OnlyLoneSurrogatesAreKeptAsWritten) {
  Arena arena;
  ResidualBuilder builder(arena);
  builder.AddIfLoneSurrogate("/a", json::RawFromText(R"("plain\u00e9")"));
  builder.AddIfLoneSurrogate("/b", json::RawFromText(R"(["\ud800"])"));
  EXPECT_TRUE(builder.empty());
  builder.AddIfLoneSurrogate("/c", json::RawFromText(R"("x\ud800")"));
  EXPECT_EQ(builder.Finish("atif", "d")[0].fields[0].value.text, R"("x\ud800")");
}

TEST(Residuals, MergeAcceptsEqualAndRefusesOtherValues) {
  Arena arena;
  const auto make = [&](std::string_view id, std::string_view value) {
    ResidualBuilder builder(arena);
    builder.Add("/p", json::RawFromText(value));
    return builder.Finish("atif", id);
  };
  std::vector<UnknownSource> into = make("d", "1");
  EXPECT_TRUE(MergeUnknown(make("d", "1"), into).ok());
  EXPECT_EQ(into[0].fields.size(), 1u);
  EXPECT_EQ(MergeUnknown(make("d", "2"), into).message(),
            "unknown fields source 'atif' has conflicting values at '/p'");
  EXPECT_EQ(MergeUnknown(make("e", "1"), into).message(),
            "unknown fields source 'atif' cannot change source_document_id");
}

TEST(Residuals, SourcesAreClosedAndTheirPointersChecked_G20) {
  Arena arena;
  const auto error = [&](std::string_view text) {
    const auto parsed = ParseUnknownSources(json::RawFromText(text), arena);
    return parsed.ok() ? "" : parsed.status().message();
  };
  EXPECT_EQ(error(R"({"a":{"source_document_id":"","fields":{}}})"), "");
  EXPECT_EQ(error(R"({"a":{"source_document_id":"","fields":{"/~2":1}}})"),
            "JSON Pointer contains an invalid '~' escape");
  EXPECT_EQ(error(R"({"a":{"source_document_id":"","fields":{"x":1}}})"),
            "JSON Pointer must be empty or start with '/'");
  EXPECT_EQ(error(R"({"a":{"source_document_id":"","fields":{},"more":1}})"),
            "unknown field 'more'");
  EXPECT_EQ(error(R"({"a":{"fields":{}}})"), "source 'a' requires source_document_id");
  EXPECT_EQ(error(R"({"a":{"source_document_id":""}})"), "source 'a' requires fields");
  EXPECT_NE(error(R"({"a":null})"), "");
  EXPECT_NE(error("[]"), "");
}

}  // namespace
}  // namespace pchronicle::model
