#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pchronicle/model/rows/rows_test_support.h"

namespace pchronicle::model {
namespace {

using ::testing::ElementsAre;
using testing::ScriptDocument;
using testing::Select;
using testing::Where;
using Op = RowPredicate::Op;

constexpr Relation kCalls = Relation::kToolCalls;
constexpr Relation kResults = Relation::kObservationResults;

TEST(CallRows, ArgumentsOfAnyTypeAreOneJsonColumn_BR34) {
  EXPECT_THAT(
      Select(kCalls, {"call_index", "tool_call_id", "function_name", "arguments"},
             {{.document_id = "d",
               .turns = {{.calls = {{.id = "a", .arguments = R"({ "x": 1 })"},
                                    {.id = "b", .arguments = R"("{\"x\":1}")"},
                                    {.id = "c", .arguments = "null"},
                                    {.id = "d", .arguments = ""}}}}}}),
      ElementsAre(R"(0|a|run|{"x":1})", R"(1|b|run|"{\"x\":1}")", "2|c|run|null", "3|d|run|null"));
}

TEST(CallRows, RepeatedCallIdsAreAllRowsWithTheirOwnResults_BR06) {
  const ScriptDocument document{
      .document_id = "d",
      .turns = {
          {.observation =
               R"({"results":[{"source_call_id":"call_1","content":"x"},{"source_call_id":"call_1","content":"y"}]})",
           .calls = {{.id = "call_1"}, {.id = "call_1"}}},
          {.observation = R"({"results":[{"source_call_id":"call_1","content":"z"}]})",
           .calls = {{.id = "call_1"}}}}};
  EXPECT_THAT(
      Select(kCalls, {"turn_ordinal", "call_index", "results", "result_text", "result_count"},
             {document}),
      ElementsAre(R"(0|0|[{"source_call_id":"call_1","content":"x"}]|x|1)",
                  R"(0|1|[{"source_call_id":"call_1","content":"y"}]|y|1)",
                  R"(1|0|[{"source_call_id":"call_1","content":"z"}]|z|1)"));
}

TEST(CallRows, FlagsStateOnlyWhatTheSourceStates) {
  EXPECT_THAT(
      Select(
          kCalls, {"is_error", "exit_code", "result_count", "result_text", "result", "response"},
          {{.document_id = "d",
            .turns =
                {{.observation =
                      R"({"results":[{"source_call_id":"a","is_error":true,"extra":{"exit_code":2}}]})",
                  .calls = {{.id = "a"},
                            {.id = "b",
                             .result = R"("done")",
                             .response = R"({"status":"ok","exit_code":0})"},
                            {.id = "c"}}}}}}),
      ElementsAre("true|2|1|NULL|NULL|NULL",
                  R"(NULL|0|1|done|"done"|{"status":"ok","exit_code":0})",
                  "NULL|NULL|0|NULL|NULL|NULL"));
}

TEST(CallRows, PredicatesWorkOnColumnsOutsideTheProjection) {
  const ScriptDocument document{
      .document_id = "d",
      .turns = {{.observation = R"({"results":[{"source_call_id":"b","is_error":true}]})",
                 .calls = {{.id = "a", .function = "ls"},
                           {.id = "b", .function = "cat", .arguments = R"({"p": "x y"})"}}}}};
  EXPECT_THAT(Select(kCalls, {"tool_call_id"}, {document},
                     {Where(kCalls, "function_name", Op::kIn, {std::string("ls")})}),
              ElementsAre("a"));
  EXPECT_THAT(Select(kCalls, {"tool_call_id"}, {document},
                     {Where(kCalls, "is_error", Op::kEq, {int64_t{1}})}),
              ElementsAre("b"));
  EXPECT_THAT(Select(kCalls, {"tool_call_id"}, {document},
                     {Where(kCalls, "arguments", Op::kContains, {std::string(R"("p":"x y")")})}),
              ElementsAre("b"));
}

TEST(CallRows, CountingNeedsNoCell_STL121) {
  const auto sink = MakeRowSink({.relation = kCalls});
  testing::ScriptedWalk(*sink).Play(
      {.document_id = "d", .turns = {{.calls = {{.id = "a"}, {.id = "b"}}}, {}}});
  EXPECT_EQ(sink->batch().rows, 2u);
  EXPECT_EQ(sink->batch().text->bytes(), 0u);
}

/// BR-01: three calls, four results without ids, one of them on a step without calls.
ScriptDocument WithoutIds() {
  return {
      .document_id = "d",
      .turns = {
          {.id = 1,
           .observation = R"({"results":[{"content":"1"},{"content":"2"}]})",
           .calls = {{.id = "a"}, {.id = "b"}}},
          {.id = 2, .observation = R"({"results":[{"content":"3"}]})"},
          {.id = 3, .observation = R"({"results":[{"content":"4"}]})", .calls = {{.id = "c"}}}}};
}

TEST(ResultRows, EveryResultIsARowAndNoCallIsGuessedInSilence_BR01) {
  EXPECT_THAT(
      Select(kResults,
             {"step_id", "result_index", "link", "tool_call_id", "call_index", "content_text"},
             {WithoutIds()}),
      ElementsAre("1|0|position|a|0|1", "1|1|position|b|1|2", "2|0|none|NULL|NULL|3",
                  "3|0|position|c|0|4"));
  EXPECT_THAT(Select(kCalls, {"results"}, {WithoutIds()}), ElementsAre("[]", "[]", "[]"));
}

TEST(ResultRows, LinkedInlineAndOddResultsKeepWhatTheyHold_D9) {
  EXPECT_THAT(
      Select(
          kResults,
          {"link", "origin", "function_name", "source_call_id", "content", "content_text", "extra"},
          {{.document_id = "d",
            .turns =
                {{.observation =
                      R"({"results":[{"source_call_id":"a","content":[ {"text":"p"} ],"more":1},{"tool_call_id":"zz","content":null}]})",
                  .calls = {{.id = "a", .function = "f", .result = R"({"o": 1})"}}},
                 {.observation = R"("whole")"}}}}),
      ElementsAre(R"(id|observation|f|a|[{"text":"p"}]|p|{"more":1})",
                  "none|observation|NULL|zz|NULL|NULL|NULL",
                  R"(id|inline|f|NULL|{"o":1}|NULL|NULL)",
                  R"(none|observation|NULL|NULL|"whole"|whole|NULL)"));
}

TEST(ResultRows, ContentOfAnyTypeIsOneJsonColumn_BR34) {
  EXPECT_THAT(
      Select(
          kResults, {"content"},
          {{.document_id = "d",
            .turns =
                {{.observation =
                      R"({"results":[{"content":"s"},{"content":[1, 2]},{"content":{"a": 1}},7]})"}}}}),
      ElementsAre(R"("s")", "[1,2]", R"({"a":1})", "7"));
}

TEST(ResultRows, CountsAndFilters_STL121) {
  const auto sink = MakeRowSink({.relation = kResults});
  testing::ScriptedWalk(*sink).Play(WithoutIds());
  EXPECT_EQ(sink->batch().rows, 4u);
  EXPECT_THAT(Select(kResults, {"content_text"}, {WithoutIds()},
                     {Where(kResults, "link", Op::kEq, {std::string("none")})}),
              ElementsAre("3"));
  EXPECT_THAT(Select(kResults, {"content_text"}, {WithoutIds()},
                     {Where(kResults, "step_id", Op::kGt, {int64_t{2}})}),
              ElementsAre("4"));
}

}  // namespace
}  // namespace pchronicle::model
