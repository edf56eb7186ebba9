#include "pchronicle/model/observation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "pchronicle/model/rows/rows_test_support.h"

namespace pchronicle::model {
namespace {

using ::testing::ElementsAre;
using testing::ScriptCall;
using testing::ScriptedWalk;
using testing::ScriptTurn;

/// Parses one turn; keeps what the views point to.
class Parsed {
 public:
  explicit Parsed(ScriptTurn script)
      : script_(std::move(script)), turn_(ScriptedWalk::ToTurn(script_, 0)) {
    parser.Parse(turn_, arena);
  }
  /// `id0` linked by id to call 0, `pos1`, `none`.
  std::vector<std::string> Links() const {
    std::vector<std::string> links;
    for (const ResultView& result : parser.results()) {
      links.push_back(std::string(ResultLinkName(result.link)) +
                      (result.link == ResultLink::kNone ? "" : std::to_string(result.call)));
    }
    return links;
  }
  std::string Results(uint32_t call) {
    std::string out;
    parser.AppendResults(call, arena, out);
    return out;
  }
  std::string Text(uint32_t call) {
    std::string out;
    return parser.AppendText(call, arena, out) ? out : "NULL";
  }
  std::string Extra(size_t result) {
    std::string out;
    AppendExtra(parser.results()[result], arena, out);
    return out;
  }
  CallFacts Facts(uint32_t call) const { return parser.Facts(turn_.calls[call], call); }

  ObservationParser parser;
  Arena arena;

 private:
  ScriptTurn script_;
  Turn turn_;
};

TEST(Observation, ResultsGoToTheCallTheyName_STL035) {
  Parsed parsed(
      {.observation =
           R"({"results":[{"source_call_id":"b","content":"2"},{"tool_call_id":"a","content":"1"},
                                   {"source_call_id":"","tool_call_id":"b"},{"source_call_id":"zz","content":"?"}]})",
       .calls = {{.id = "a"}, {.id = "b"}}});
  EXPECT_THAT(parsed.Links(), ElementsAre("id1", "id0", "id1", "none"));
  EXPECT_EQ(parsed.Results(0), R"([{"tool_call_id":"a","content":"1"}])");
  EXPECT_EQ(parsed.Results(1),
            R"([{"source_call_id":"b","content":"2"},{"source_call_id":"","tool_call_id":"b"}])");
  EXPECT_EQ(parsed.parser.dangling(), 1u);
  EXPECT_EQ(parsed.parser.unlinked(), 1u);
}

TEST(Observation, TheNthResultGoesToTheNthCallOfTheSameId_BR06) {
  Parsed parsed(
      {.observation =
           R"({"results":[{"source_call_id":"call_1","content":"x"},{"source_call_id":"call_1","content":"y"},
                                   {"source_call_id":"call_1","content":"z"}]})",
       .calls = {{.id = "call_1"}, {.id = "other"}, {.id = "call_1"}}});
  EXPECT_THAT(parsed.Links(), ElementsAre("id0", "id2", "id2"));
  EXPECT_EQ(parsed.Text(0), "x");
  EXPECT_EQ(parsed.Text(2), "y\n\nz");
  EXPECT_EQ(parsed.Results(1), "[]");
}

TEST(Observation, WithoutAnyIdEqualCountsAreLinkedByPositionOnly_BR01_D9) {
  Parsed equal({.observation = R"({"results":[{"content":"1"},{"content":"2"}]})",
                .calls = {{.id = "a"}, {.id = "b"}}});
  EXPECT_THAT(equal.Links(), ElementsAre("position0", "position1"));
  EXPECT_EQ(equal.Results(0), "[]") << "a hint never enters tool_calls.results";
  EXPECT_EQ(equal.Facts(0).result_count, 0);
  Parsed fewer(
      {.observation = R"({"results":[{"content":"1"}]})", .calls = {{.id = "a"}, {.id = "b"}}});
  EXPECT_THAT(fewer.Links(), ElementsAre("none"));
  Parsed mixed({.observation = R"({"results":[{"content":"1"},{"source_call_id":"b"}]})",
                .calls = {{.id = "a"}, {.id = "b"}}});
  EXPECT_THAT(mixed.Links(), ElementsAre("none", "id1"));
}

TEST(Observation, AnotherShapeIsOneResultWithTheWholeValue) {
  for (const char* text : {R"("plain")", R"([1,2])", R"({"result":1})", R"({"results":{}})", "7"}) {
    Parsed parsed({.observation = text, .calls = {{.id = "a"}}});
    ASSERT_EQ(parsed.parser.results().size(), 1u) << text;
    EXPECT_EQ(parsed.parser.results()[0].content.text, text);
    EXPECT_THAT(parsed.Links(), ElementsAre("none"));
  }
  EXPECT_TRUE(Parsed({.observation = "null"}).parser.results().empty());
  EXPECT_TRUE(Parsed({.observation = R"({"results":[]})"}).parser.results().empty());
}

TEST(Observation, InlineResultsComeAfterTheObservationAndAreLinkedById) {
  Parsed parsed({.observation = R"({"results":[{"source_call_id":"b","content":"o"}]})",
                 .calls = {{.id = "a", .result = R"({"is_error":true,"exit_code":3})"},
                           {.id = "b", .result = R"("in")"}}});
  EXPECT_THAT(parsed.Links(), ElementsAre("id1", "id0", "id1"));
  EXPECT_TRUE(parsed.parser.results()[1].is_inline);
  EXPECT_EQ(parsed.Results(1), R"([{"source_call_id":"b","content":"o"}])");
  EXPECT_EQ(parsed.Facts(1).result_count, 2);
  EXPECT_EQ(parsed.Text(1), "o\n\nin");
  EXPECT_EQ(parsed.Facts(0).is_error, true);
  EXPECT_EQ(parsed.Facts(0).exit_code, 3);
}

TEST(Observation, ErrorsAndExitCodesAreOnlyWhatTheSourceStates) {
  Parsed silent({.observation = R"({"results":[{"source_call_id":"a","content":"Error: exit 1"}]})",
                 .calls = {{.id = "a"}}});
  EXPECT_EQ(silent.Facts(0).is_error, std::nullopt);
  EXPECT_EQ(silent.Facts(0).exit_code, std::nullopt);
  Parsed stated(
      {.observation = R"({"results":[{"source_call_id":"a","is_error":false,"exit_code":"1"},
                                   {"source_call_id":"a","extra":{"is_error":true,"exit_code":2}}]})",
       .calls = {{.id = "a"}}});
  EXPECT_EQ(stated.Facts(0).is_error, true) << "any true wins";
  EXPECT_EQ(stated.Facts(0).exit_code, 2) << "the first integer";
  Parsed response(
      {.observation = R"({"results":[{"source_call_id":"a","exit_code":9}]})",
       .calls = {{.id = "a", .extra = R"({"is_error":false})", .response = R"({"exit_code":0})"}}});
  EXPECT_EQ(response.Facts(0).is_error, false);
  EXPECT_EQ(response.Facts(0).exit_code, 0);
}

TEST(Observation, ExtraTakesInEveryMemberThatNoColumnHolds) {
  Parsed parsed({.observation = R"({ "results" : [
      {"source_call_id":"a","content":"c","is_error":"maybe","vendor": {"x": 1.50},"extra":{"k": "v"}},
      {"content":"c","extra":{"is_error":true}},
      {"content":"c","extra":[1],"exit_code":1.5},
      {"source_call_id":7,"tool_call_id":"a"},
      {"content":null} ] })",
                 .calls = {{.id = "a"}}});
  EXPECT_EQ(parsed.Extra(0), R"({"k":"v","is_error":"maybe","vendor":{"x":1.50}})");
  EXPECT_EQ(parsed.Extra(1), R"({"is_error":true})");
  EXPECT_EQ(parsed.Extra(2), R"({"extra":[1],"exit_code":1.5})");
  EXPECT_EQ(parsed.Extra(3), R"({"source_call_id":7})");
  EXPECT_EQ(parsed.Extra(4), "");
  EXPECT_FALSE(parsed.parser.results()[4].content.present());
}

TEST(Observation, KeysWithEscapesAndRepeatedKeysAreReadLikeAnyOther) {
  Parsed parsed(
      {.observation =
           R"({"results":[1],"result\u0073":[{"source_c\u0061ll_id":"z","source_call_id":"a\u0062"}]})",
       .calls = {{.id = "ab"}}});
  EXPECT_THAT(parsed.Links(), ElementsAre("id0"));
}

TEST(Observation, ManyCallsAndResultsLinkInOneSweep) {
  ScriptTurn turn;
  turn.observation = R"({"results":[)";
  for (int i = 0; i < 20000; ++i) {
    turn.calls.push_back({.id = "same"});
    turn.observation +=
        std::string(i > 0 ? "," : "") + R"({"source_call_id":"same","content":"r"})";
  }
  turn.observation += "]}";
  Parsed parsed(std::move(turn));
  int64_t linked = 0;
  for (uint32_t i = 0; i < 20000; ++i) {
    linked += parsed.Facts(i).result_count;
  }
  EXPECT_EQ(linked, 20000);
}

}  // namespace
}  // namespace pchronicle::model
