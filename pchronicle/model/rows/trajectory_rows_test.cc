#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pchronicle/model/rows/rows_test_support.h"

namespace pchronicle::model {
namespace {

using ::testing::AllOf;
using testing::Columns;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::RowTexts;
using testing::ScriptDocument;
using testing::ScriptedWalk;
using testing::Select;
using testing::Where;
using Op = RowPredicate::Op;

constexpr Relation kTrajectories = Relation::kTrajectories;
constexpr int64_t kSecond = 1'000'000'000;

ScriptDocument ToolRun() {
  return {
      .document_id = "d",
      .turns = {
          {.id = 1, .source = "user", .message = R"("do \"it\"")"},
          {.id = 7,
           .source = "agent",
           .message = "null",
           .observation =
               R"({"results":[{"source_call_id":"b","content":"r","is_error":true},{"content":"loose"}]})",
           .calls = {{.id = "a", .function = "ls"},
                     {.id = "b", .function = "cat", .arguments = R"({ "p":1})"}}},
          {.id = 3, .source = "agent", .calls = {{.id = "c", .function = "ls"}}}}};
}

TEST(TrajectoryRows, ListsFollowTheTurnsNotTheStepIds_D10_REL08) {
  EXPECT_THAT(Select(kTrajectories, {"step_count", "step_ids", "step_sources", "messages_value"},
                     {ToolRun()}),
              ElementsAre(R"(3|[1,7,3]|[user,agent,agent]|["do \"it\"",null,"hi"])"));
  EXPECT_THAT(
      Select(kTrajectories,
             {"tool_call_count", "tool_names", "tool_arguments_json", "tool_results_json"},
             {ToolRun()}),
      ElementsAre(
          R"(3|[ls,cat,ls]|[{},{"p":1},{}]|[[],[{"source_call_id":"b","content":"r","is_error":true}],[]])"));
}

TEST(TrajectoryRows, WithoutTurnsCountsAreZeroAndListsNull_REL07) {
  EXPECT_THAT(Select(kTrajectories,
                     {"step_count", "step_ids", "messages_value", "tool_call_count", "tool_names",
                      "own_step_count", "tool_error_count", "distinct_tool_count"},
                     {{.document_id = "d"}}),
              ElementsAre("0|NULL|NULL|0|NULL|0|0|0"));
}

TEST(TrajectoryRows, MessagesAreReadOnlyWhenProjected_REL07) {
  const auto fields = [](std::initializer_list<std::string_view> columns) {
    RowSink::Request request{.relation = kTrajectories};
    request.columns = Columns(kTrajectories, columns);
    return RequiredFields(request);
  };
  EXPECT_FALSE(fields({"step_count", "own_prompt_tokens", "status"}).has(Field::kMessage));
  EXPECT_FALSE(fields({"step_count", "tool_call_count"}).has(Field::kArguments));
  EXPECT_FALSE(fields({"document_id", "session_id"}).has_any(kAnyTurnField));
  EXPECT_TRUE(fields({"messages_value"}).has(Field::kMessage));
}

TEST(TrajectoryRows, ToolCountersCountWhatIsStated) {
  EXPECT_THAT(
      Select(kTrajectories, {"tool_error_count", "distinct_tool_count", "unlinked_result_count"},
             {ToolRun()}),
      ElementsAre("1|2|1"));
}

ScriptDocument Metered(std::string id, std::vector<std::string> metrics, size_t copied = 0) {
  ScriptDocument document{.document_id = std::move(id)};
  for (size_t i = 0; i < metrics.size(); ++i) {
    document.turns.push_back({.id = static_cast<int64_t>(i + 1), .metrics = metrics[i]});
    if (i < copied) {
      document.turns.back().copied = true;
    }
  }
  return document;
}

TEST(TrajectoryRows, CopiedContextCountsInNeitherStepsNorTokens_BR02_D12) {
  const std::vector<std::string> eight(
      8, R"({"prompt_tokens":10,"completion_tokens":2,"cached_tokens":4,"cost_usd":0.5})");
  EXPECT_THAT(Select(kTrajectories,
                     {"step_count", "own_step_count", "copied_step_count", "own_prompt_tokens",
                      "own_completion_tokens", "own_cached_tokens", "own_cost_usd"},
                     {Metered("parent", {eight.begin(), eight.begin() + 5}),
                      Metered("continuation", eight, 5)}),
              ElementsAre("5|5|0|50|10|20|2.5", "8|3|5|30|6|12|1.5"));
}

TEST(TrajectoryRows, OwnAndReportedAreTwoNumbersAndUnknownIsNull_BR03_ADD03) {
  ScriptDocument reported = Metered("a", {R"({"prompt_tokens":10})", "{}"});
  reported.edit = [](Document& out) {
    out.final_metrics =
        json::RawFromText(R"({"total_prompt_tokens":30,"prompt_tokens":99,"total_cost_usd":0.25})");
  };
  EXPECT_THAT(Select(kTrajectories,
                     {"own_prompt_tokens", "reported_prompt_tokens", "own_cost_usd",
                      "reported_cost_usd", "reported_cached_tokens"},
                     {reported}),
              ElementsAre("10|30|NULL|0.25|NULL"));
}

TEST(TrajectoryRows, TheTrialReportsTotalsOnlyWhereTheRunDoesNot_HAR06) {
  static SidecarOutcome sidecar;
  sidecar.prompt_tokens = 77;
  const auto with = [](std::string_view final_metrics) {
    return [=](Document& out) {
      out.sidecar = &sidecar;
      out.final_metrics = json::RawFromText(final_metrics);
    };
  };
  EXPECT_THAT(Select(kTrajectories, {"reported_prompt_tokens"},
                     {{.document_id = "a", .edit = with("")},
                      {.document_id = "b", .edit = with(R"({"total_prompt_tokens":1})")},
                      {.document_id = "c", .edit = with("{}")}}),
              ElementsAre("77", "1", "NULL"));
}

TEST(TrajectoryRows, DurationComesFromTheRunElseFromItsOwnSteps_BR55) {
  ScriptDocument backwards{
      .document_id = "a",
      .turns = {{.copied = true, .timestamp = 1},
                {.timestamp = 9 * kSecond},
                {.timestamp = 4 * kSecond},
                {.edit = [](Turn& turn) { turn.finished_at.nanoseconds = 10 * kSecond; }}}};
  ScriptDocument negative = backwards;
  negative.edit = [](Document& out) { out.started_at.nanoseconds = 100 * kSecond; };
  ScriptDocument extreme{.document_id = "x", .edit = [](Document& out) {
                           out.started_at.nanoseconds = INT64_MIN;
                           out.finished_at.nanoseconds = INT64_MAX;
                         }};
  EXPECT_THAT(
      Select(kTrajectories, {"duration_ms"}, {backwards, negative, {.document_id = "c"}, extreme}),
      ElementsAre("6000", "NULL", "NULL", "18446744073709"));
  const auto sink =
      MakeRowSink({.relation = kTrajectories, .columns = Columns(kTrajectories, {"duration_ms"})});
  ScriptedWalk(*sink).Play(negative);
  ASSERT_EQ(sink->diagnostics().Sorted().size(), 1u);
  EXPECT_EQ(sink->diagnostics().Sorted()[0].code, "negative_duration");
}

TEST(TrajectoryRows, TaskTextIsThePromptElseTheFirstUserMessage) {
  ScriptDocument prompted = ToolRun();
  prompted.edit = [](Document& out) {
    out.prompt = json::RawFromText(R"({"system":"s","user":"pr\u006fmpt"})");
  };
  ScriptDocument odd{.document_id = "o",
                     .turns = {{.source = "user", .message = "{}"}, {.source = "user"}}};
  EXPECT_THAT(Select(kTrajectories, {"task_text"}, {ToolRun(), prompted, odd}),
              ElementsAre("do \"it\"", "prompt", "NULL"));
}

TEST(TrajectoryRows, OutcomeColumnsComeFromTheTask_ADD05) {
  ScriptDocument document = Metered("d", {R"({"finish_reason":"length","is_truncated":true})"});
  document.edit = [](Document& out) {
    out.task = json::RawFromText(R"({"result":{"correct":false,"score":0.5}})");
  };
  EXPECT_THAT(
      Select(kTrajectories, {"status", "success", "score", "termination_reason", "outcome_source"},
             {document}),
      ElementsAre("truncated|false|0.5|length|/task/result/correct"));
  EXPECT_THAT(Select(kTrajectories, {"status", "success", "score", "outcome_source", "error_kind"},
                     {ToolRun()}),
              ElementsAre("unknown|NULL|NULL|NULL|NULL"));
  EXPECT_THAT(Select(kTrajectories, {"document_id"}, {document, ToolRun()},
                     {Where(kTrajectories, "status", Op::kEq, {std::string("truncated")})}),
              ElementsAre("d"));
}

TEST(TrajectoryRows, ContinuedByNamesAFileOrThisOne) {
  const auto continued = [](std::string id, std::string ref) {
    return ScriptDocument{.document_id = std::move(id),
                          .edit = [ref](Document& out) { out.continued_ref = ref; }};
  };
  RowSink::Request request{
      .relation = kTrajectories,
      .columns = Columns(kTrajectories, {"document_id", "continued_by"}),
      .file = "dir/a.jsonl",
      .file_exists = [](std::string_view file) { return file == "dir/b.json" || file == "c.json"; },
      .count_documents = [](std::string_view id) -> uint64_t { return id == "later" ? 1 : 0; }};
  const auto sink = MakeRowSink(std::move(request));
  ScriptedWalk walk(*sink);
  for (const char* ref :
       {"b.json", "../c.json", "../../c.json", "missing.json", "r0", "self", "later"}) {
    walk.Play(continued(
        std::string(ref) == "self" ? "self" : "r" + std::to_string(sink->batch().rows), ref));
  }
  EXPECT_THAT(RowTexts(sink->batch()),
              ElementsAre("r0|dir/b.json", "r1|c.json", "r2|NULL", "r3|NULL", "r4|dir/a.jsonl",
                          "self|NULL", "r6|dir/a.jsonl"));
  EXPECT_EQ(sink->diagnostics().Sorted()[0].code, "unresolved_reference");
  EXPECT_EQ(sink->diagnostics().Sorted()[0].count, 3u);
}

TEST(TrajectoryRows, DiagnosticsHoldEveryCheckOfTheDocument_BR01_BR05) {
  ScriptDocument document = ToolRun();
  document.turns[0].metrics = R"({"prompt_tokens":"12","logprobs":["x"]})";
  const std::vector<std::string> rows =
      Select(kTrajectories, {"diagnostics"}, {document, {.document_id = "clean"}});
  EXPECT_THAT(rows[0],
              AllOf(HasSubstr(R"("code":"bad_value")"), HasSubstr("/steps/0/metrics/prompt_tokens"),
                    HasSubstr(R"("count":2)"), HasSubstr(R"("code":"result_without_call_id")")));
  EXPECT_EQ(rows[1], "[]");
}

TEST(TrajectoryRows, BatchesMayBeTakenWhileADocumentIsOpen) {
  const auto sink = MakeRowSink(
      {.relation = kTrajectories,
       .columns = Columns(kTrajectories, {"messages_value", "tool_names", "task_text"})});
  const Document document = testing::NamedDocument("d");
  sink->OnDocument(document);
  for (int i = 0; i < 3; ++i) {
    sink->OnTurn(document, ScriptedWalk::ToTurn(
                               {.source = "user", .calls = {{.id = "a", .function = "f"}}}, i));
    sink->batch().Clear();
  }
  sink->OnDocumentEnd(document);
  sink->OnRecordEnd();
  EXPECT_THAT(RowTexts(sink->batch()), ElementsAre(R"(["hi","hi","hi"]|[f,f,f]|hi)"));
}

}  // namespace
}  // namespace pchronicle::model
