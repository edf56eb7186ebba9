#include "pchronicle/model/actf/walker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "pchronicle/model/actf/actf_test_support.h"
#include "pchronicle/model/actf/record_bytes.h"

namespace pchronicle::model {
namespace {

using actf::testing_support::Attempt;
using actf::testing_support::kTimes;
using actf::testing_support::OneAttempt;
using actf::testing_support::Step;
using actf::testing_support::Steps;
using actf::testing_support::Task;
using actf::testing_support::Walked;
using actf::testing_support::WalkText;
using actf::testing_support::WalkWith;
using actf::testing_support::Wire;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

WalkOptions Strict() {
  WalkOptions options;
  options.strict = true;
  return options;
}

WalkOptions Lines() {
  WalkOptions options;
  options.container = json::Container::kLines;
  return options;
}

std::string FirstProblem(const Walked& walked) {
  return walked.problems.empty() ? "none" : walked.problems.front().status.message();
}

TEST(ActfReader, OneAttemptBecomesAStoryline_G60) {
  const std::string text =
      R"({"task_id":"t","category":"cat","k":1,"correct":false,"attempts_tried":1,"solved_at":null,"attempts":{"1":)"
      R"({"correct":false,"trajectory":{"schema_version":"ACTF_v1.0","steps":[{"step_id":1,"assistant_content":)"
      R"({"content":"done"},"metric":{"llm_infer_ms":3.5,"env_action_ms":4.5},"system_prompt":"sys","user_content":)"
      R"("task","tools":[{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"pwd"}}],"observation":)"
      R"([{"tool_use_id":"c1","content":"/proj"}],)" +
      kTimes + "}]," + kTimes +
      R"(},"status":"completed","error":null,"score":0,"final_answer":""}}})";
  const Walked walked = WalkText(text);
  ASSERT_THAT(walked.problems, IsEmpty());
  ASSERT_THAT(walked.stories, SizeIs(1));
  const std::string wire = Wire(walked.stories[0]);
  for (const std::string part :
       {R"("session":"t")",
        R"("run":"t")",
        R"("attempt_id":"1")",
        R"("agent":{"id":"actf-agent","name":"ACTF Agent"})",
        R"("prompt":{"system":"sys","user":"task"})",
        R"("started_at":"2026-01-01 00:00:00+00:00")",
        R"("task":{"llm":{"k":1},"result":{)",
        R"("task_correct":false)",
        R"("category":"cat")",
        R"("score":0)",
        R"("status":"completed")",
        R"("kind":"autonomous")",
        R"("nllm":1)",
        R"("msg":"done")",
        R"("latency_ms":3)",
        R"("llm_infer_ms":3.5,"env_action_ms":4.5,"prompt_tokens_len":null)",
        R"("tcid":"c1","fn":"Bash","args":{"command":"pwd"})",
        R"("duration_ms":4)",
        R"("kind":"tool_use")",
        R"({"results":[{"tool_use_id":"c1","content":"/proj","source_call_id":"c1"}]})"}) {
    EXPECT_THAT(wire, HasSubstr(part));
  }
  EXPECT_THAT(wire, Not(HasSubstr("\"error\"")));
  EXPECT_THAT(wire, Not(HasSubstr("final_answer")));
  const Turn& turn = walked.stories[0].turns[0];
  EXPECT_FALSE(turn.prompt.present());
  EXPECT_FALSE(turn.reasoning.has_value());
  EXPECT_EQ(walked.stories[0].document.outcome_pointer, "/attempts/1/correct");
}

TEST(ActfReader, TaskIsComposedInTableOrder) {
  const Walked walked = WalkText(
      R"({"retry_counts": {"a" : 1},"task_id":"t","category":"cat","k":3,"correct":true,"attempts_tried":1,)"
      R"("solved_at":"x","retry_count":2,"attempts":{"1":)" +
      Attempt(Steps({Step(1)}),
              R"(,"artifacts":{"f":[1, 2]},"error":"e","status":"s","max_score":1.0,"score":1e0)"
              R"(,"ground_truth":5,"final_answer":"fa","analysis_result":{})") +
      "}}");
  ASSERT_THAT(walked.problems, IsEmpty());
  EXPECT_EQ(
      walked.stories[0].document.task.text,
      R"({"llm":{"k":3},"result":{"task_correct":true,"category":"cat","attempts_tried":1,"solved_at":"x",)"
      R"("retry_count":2,"retry_counts":{"a":1},"correct":false,"score":1e0,"max_score":1.0,"status":"s",)"
      R"("error":"e","final_answer":"fa","ground_truth":5,"artifacts":{"f":[1,2]}}})");
  EXPECT_EQ(
      walked.stories[0].document.final_metrics.text,
      R"({"analysis_result":{},"task_correct":true,"correct":false,"status":"s","score":1e0,"max_score":1.0})");
}

TEST(ActfReader, AttemptsComeInCodePointOrder_G61) {
  const Walked walked = WalkText(
      Task(R"("2":)" + Attempt(Steps({Step(1)})) + R"(,"10":)" + Attempt(Steps({Step(1)})), 2, 2));
  ASSERT_THAT(walked.stories, SizeIs(2));
  EXPECT_EQ(walked.stories[0].document.session_id, "t#attempt-10");
  EXPECT_EQ(*walked.stories[0].document.attempt_id, "10");
  EXPECT_EQ(walked.stories[0].document.ordinal, 0);
  EXPECT_EQ(walked.stories[1].document.session_id, "t#attempt-2");
}

TEST(ActfReader, PromptPairsHaveABaselineAChangeAndAClear_G62) {
  const auto pair = [](const std::string& system, const std::string& user) {
    return R"(,"system_prompt":")" + system + R"(","user_content":")" + user + "\"";
  };
  const Walked walked = WalkText(
      OneAttempt({Step(1, pair("", "")), Step(2, pair("s", "u")), Step(3, pair("s", "\\u0075")),
                  Step(4, pair("", "v")), Step(5, pair("", ""))}));
  ASSERT_THAT(walked.stories, SizeIs(1));
  EXPECT_EQ(walked.stories[0].document.prompt.text, R"({"system":"s","user":"u"})");
  const std::vector<Turn>& turns = walked.stories[0].turns;
  ASSERT_THAT(turns, SizeIs(5));
  EXPECT_EQ(turns[0].prompt.text, R"({"system":"","user":""})");
  EXPECT_FALSE(turns[1].prompt.present());
  EXPECT_FALSE(turns[2].prompt.present());
  EXPECT_EQ(turns[3].prompt.text, R"({"user":"v"})");
  EXPECT_EQ(turns[4].prompt.text, R"({"system":"","user":""})");
}

TEST(ActfReader, WithoutAnyPromptTextThereIsNoPrompt) {
  const Walked walked =
      WalkText(OneAttempt({Step(1), Step(2, R"(,"system_prompt":null,"user_content":"")")}));
  EXPECT_FALSE(walked.stories[0].document.prompt.present());
  EXPECT_FALSE(walked.stories[0].turns[0].prompt.present());
  EXPECT_FALSE(walked.stories[0].turns[1].prompt.present());
}

TEST(ActfReader, CommandExecutionAndMissingIds_G63) {
  const Walked walked = WalkText(OneAttempt({Step(
      1,
      R"(,"tools":[{"type":"command_execution","command":"ls","aggregated_output":"a\n","exit_code":0,)"
      R"("status":"completed"},{"name":"f","arguments":{"x":1}},{"vendor": [1], "id":" "}])")}));
  ASSERT_THAT(walked.stories, SizeIs(1));
  const std::vector<ToolCall>& calls = walked.stories[0].turns[0].calls;
  ASSERT_THAT(calls, SizeIs(3));
  EXPECT_EQ(calls[0].id, "step-1-tool-0");
  EXPECT_EQ(calls[0].function, "command_execution");
  EXPECT_EQ(calls[0].arguments.text, R"({"command":"ls"})");
  EXPECT_EQ(calls[0].result.text, R"("a\n")");
  EXPECT_EQ(calls[0].response.text, R"({"status":"completed","exit_code":0})");
  EXPECT_EQ(calls[1].id, "step-1-tool-1");
  EXPECT_EQ(calls[1].function, "f");
  EXPECT_EQ(calls[1].arguments.text, R"({"x":1})");
  EXPECT_FALSE(calls[1].kind.has_value());
  EXPECT_FALSE(calls[1].response.present());
  EXPECT_EQ(calls[2].function, "unknown_tool");
  EXPECT_EQ(calls[2].arguments.text, R"({"vendor":[1]})");
}

TEST(ActfReader, FunctionArgumentsComeBeforeTheCommand) {
  const Walked walked = WalkText(OneAttempt({Step(
      1,
      R"(,"tools":[{"id":"a","type":"function","function":{"name":"g","arguments":"{}"},"command":"x"}])")}));
  const ToolCall& call = walked.stories[0].turns[0].calls[0];
  EXPECT_EQ(call.function, "g");
  EXPECT_EQ(*call.kind, "function");
  EXPECT_EQ(call.arguments.text, R"("{}")");
}

TEST(ActfReader, CallsOfTheAssistantContentCountWhenToolsIsEmpty) {
  const std::string text = OneAttempt(
      {R"({"step_id":1,"assistant_content":{"content":null,"tool_calls":[{"id":"a","name":"f","input":{"x":1},"v":2}]},)"
       R"("tools":[],"metric":{"env_action_ms":9},)" +
       kTimes + "}"});
  for (const FieldMask fields :
       {FieldMask::All(), FieldMask(Field::kCalls) | Field::kArguments | Field::kMessage}) {
    WalkOptions options;
    options.fields = fields;
    const Walked walked = WalkText(text, options);
    ASSERT_THAT(walked.stories, SizeIs(1));
    const Turn& turn = walked.stories[0].turns[0];
    ASSERT_THAT(turn.calls, SizeIs(1));
    EXPECT_EQ(turn.calls[0].function, "f");
    EXPECT_EQ(turn.calls[0].arguments.text, R"({"x":1})");
    EXPECT_EQ(turn.message.text, "\"\"");
  }
  const Walked all = WalkText(text);
  ASSERT_THAT(all.stories[0].document.unknown, SizeIs(1));
  EXPECT_EQ(all.stories[0].document.unknown[0].fields[0].pointer,
            "/attempts/1/trajectory/steps/0/assistant_content/tool_calls/0/v");
  EXPECT_EQ(all.stories[0].turns[0].calls[0].duration_ms, 9);
}

TEST(ActfReader, StrictValidationRefusesWhatAReaderNotes_G64_G65_G66) {
  const std::string mismatch = Task(R"("1":)" + Attempt(Steps({Step(1)})), 2, 2);
  EXPECT_EQ(FirstProblem(WalkText(mismatch, Strict())),
            "ACTF attempts_tried=2 does not match attempts length 1");
  EXPECT_TRUE(WalkText(mismatch).notes.contains("attempts_tried_mismatch"));
  EXPECT_THAT(WalkText(mismatch).stories, SizeIs(1));

  const std::string repeats = OneAttempt({Step(2), Step(2)});
  EXPECT_EQ(FirstProblem(WalkText(repeats, Strict())), "ACTF step_id 2 is not strictly increasing");
  EXPECT_TRUE(WalkText(repeats).notes.contains("duplicate_step_id"));
  EXPECT_THAT(WalkText(repeats).stories[0].turns, SizeIs(2));

  const std::string dangling = OneAttempt({Step(
      1,
      R"(,"tools":[{"type":"tool_use","id":"c1","name":"B","input":{}}],"observation":[{"id":"nope"}])")});
  EXPECT_EQ(FirstProblem(WalkText(dangling, Strict())),
            "ACTF step 1 observation references unknown tool id 'nope'");
  const Walked lenient = WalkText(dangling);
  EXPECT_TRUE(lenient.notes.contains("unlinked_observation_result"));
  EXPECT_EQ(lenient.stories[0].turns[0].observation.text,
            R"({"results":[{"id":"nope","source_call_id":"nope"}]})");

  const std::string twice =
      OneAttempt({Step(1, R"(,"tools":[{"id":"c","name":"f"},{"id":"c","name":"g"}])")});
  EXPECT_EQ(FirstProblem(WalkText(twice, Strict())), "duplicate ACTF tool call id 'c'");
}

TEST(ActfReader, RepeatedCallIdsStayAsGiven_BR06) {
  const std::string tool = R"(,"tools":[{"id":"c1","name":"f","input":{}}])";
  const Walked walked = WalkText(OneAttempt({Step(1, tool), Step(2, tool)}));
  ASSERT_THAT(walked.problems, IsEmpty());
  EXPECT_EQ(walked.stories[0].turns[0].calls[0].id, "c1");
  EXPECT_EQ(walked.stories[0].turns[1].calls[0].id, "c1");
  EXPECT_EQ(walked.notes.at("duplicate_tool_call_id").count, 1U);
  EXPECT_THAT(WalkText(OneAttempt({Step(1, tool), Step(2, tool)}), Strict()).problems, IsEmpty());
}

TEST(ActfReader, MetricsOfTheWrongTypeCostOnlyTheirValue_BR05) {
  const Walked text = WalkText(OneAttempt(
      {R"({"step_id":1,"assistant_content":{"content":"c"},"metric":"abc",)" + kTimes + "}",
       Step(2)}));
  ASSERT_THAT(text.problems, IsEmpty());
  EXPECT_EQ(text.stories[0].turns[0].metrics.text, "\"abc\"");
  EXPECT_TRUE(text.notes.contains("bad_value"));

  const Walked number = WalkText(OneAttempt(
      {R"({"step_id":1,"assistant_content":{"content":"c"},"metric":{"llm_infer_ms":"12","prompt_tokens_len":1e400},)" +
       kTimes + "}"}));
  ASSERT_THAT(number.problems, IsEmpty());
  const Turn& turn = number.stories[0].turns[0];
  EXPECT_FALSE(turn.latency_ms.has_value());
  EXPECT_THAT(turn.metrics.text, HasSubstr(R"("llm_infer_ms":"12","prompt_tokens_len":1e400)"));
  EXPECT_EQ(number.notes.at("bad_value").pointer, "/attempts/1/trajectory/steps/0/metric");
}

TEST(ActfReader, ANonFiniteScoreIsNull_STL126) {
  const Walked walked = WalkText(OneAttempt({Step(1)}, R"(,"score": NaN,"max_score":Infinity)"));
  ASSERT_THAT(walked.problems, IsEmpty());
  EXPECT_THAT(Wire(walked.stories[0]), Not(HasSubstr("NaN")));
  EXPECT_THAT(std::string(walked.stories[0].document.task.text), Not(HasSubstr("score")));
}

TEST(ActfReader, OneBadAttemptCostsThatAttempt_BR08) {
  const std::string bad_step =
      R"({"step_id":"x","assistant_content":{"content":"c"},"metric":{},)" + kTimes + "}";
  const Walked walked =
      WalkText(Task(R"("1":)" + Attempt(Steps({Step(1), bad_step})) + R"(,"2":)" +
                        Attempt(Steps({Step(1)})) + R"(,"3":{"correct":true})" + R"(,"4":5)",
                    4, 4));
  ASSERT_THAT(walked.stories, SizeIs(1));
  EXPECT_EQ(*walked.stories[0].document.attempt_id, "2");
  EXPECT_EQ(walked.stories[0].document.session_id, "t#attempt-2");
  ASSERT_THAT(walked.problems, SizeIs(3));
  EXPECT_EQ(walked.problems[0].location, "attempts.1.trajectory");
  EXPECT_EQ(walked.problems[0].pointer, "/attempts/1/trajectory/steps/1/step_id");
  EXPECT_EQ(walked.problems[0].status.message(), "ACTF step_id must be an integer");
  EXPECT_EQ(walked.problems[1].status.message(), "ACTF trajectory is required");
  EXPECT_FALSE(walked.problems[0].whole_source);
  EXPECT_THAT(walked.source_notes.lost_documents, testing::UnorderedElementsAre(0U, 2U, 3U));
}

TEST(ActfReader, ASecondPassKeepsALostAttemptSilentAndTellsItAgain_STL127) {
  const std::string bad_step = R"({"step_id":1,"assistant_content":5,"metric":{},)" + kTimes + "}";
  const json::MemoryInput input(
      Task(R"("1":)" + Attempt(Steps({Step(1), bad_step})) + R"(,"2":)" + Attempt(Steps({Step(1)})),
           2, 2));
  const Walked first = WalkWith(Format::kActf, input);
  class Announced final : public DocumentSink {
   public:
    Wish OnDocument(const Document& document) override {
      ids.emplace_back(document.document_id);
      return Wish::kTurns;
    }
    void OnTurn(const Document&, const Turn&) override {}
    void OnDocumentEnd(const Document&) override {}
    void OnRecordEnd() override {}
    void OnDocumentLost(const Document&) override { ++lost; }
    bool OnProblem(Problem problem) override {
      problems.push_back(problem.status.message());
      return true;
    }
    void OnDiagnostic(const Document*, std::string_view, std::string_view,
                      std::string_view) override {}
    std::vector<std::string> ids;
    std::vector<std::string> problems;
    int lost = 0;
  } sink;
  WalkOptions narrow;
  narrow.fields = Field::kDocumentId | Field::kTurnKind;
  const std::unique_ptr<Walker> second = MakeActfWalker(input, narrow, first.source_notes, sink);
  while (second->Advance()) {
  }
  EXPECT_THAT(sink.ids, ElementsAre("t#attempt-2"));
  EXPECT_THAT(sink.problems, ElementsAre(first.problems[0].status.message()));
  EXPECT_EQ(sink.lost, 0);
}

TEST(ActfReader, RootRequirementsAreErrorsOfTheDocument) {
  const std::string attempts = R"("attempts":{"1":)" + Attempt(Steps({Step(1)})) + "}";
  const std::string rest = R"("correct":false,"attempts_tried":1,)" + attempts + "}";
  EXPECT_EQ(FirstProblem(WalkText(R"({"category":"c","k":1,)" + rest)), "ACTF task_id is required");
  EXPECT_EQ(FirstProblem(WalkText(R"({"task_id":"t","category":" ","k":1,)" + rest)),
            "ACTF category is required");
  EXPECT_EQ(FirstProblem(WalkText(R"({"task_id":"t","category":"c","k":0,)" + rest)),
            "ACTF k must be positive");
  EXPECT_EQ(
      FirstProblem(WalkText(
          R"({"task_id":"t","category":"c","k":1,"correct":false,"attempts_tried":0,"attempts":{}})")),
      "ACTF attempts must not be empty");
  EXPECT_EQ(FirstProblem(WalkText(R"({"task_id":"t","task_id":"u","category":"c","k":1,)" + rest)),
            "duplicate key 'task_id'");
  EXPECT_EQ(FirstProblem(WalkText(OneAttempt({}))), "ACTF trajectory steps must not be empty");
  EXPECT_EQ(FirstProblem(WalkText(Task(
                R"("1":{"correct":true,"trajectory":{"schema_version":"ACTF_v2.0","steps":[1],)" +
                kTimes + "}}"))),
            "unsupported ACTF schema_version 'ACTF_v2.0'; expected ACTF_v1.0");
  EXPECT_EQ(FirstProblem(WalkText("[]")), "ACTF document cannot be empty");
  EXPECT_EQ(FirstProblem(WalkText(R"({"task_id":"t","category":"c","k":"3",)" + rest)), "none");
}

TEST(ActfReader, TwoAttemptsUnderOneKeyAreNotGuessedBetween) {
  const Walked walked =
      WalkText(Task(R"("1":)" + Attempt(Steps({Step(1)})) + R"(,"1":)" + Attempt(Steps({Step(2)})) +
                        R"(,"2":)" + Attempt(Steps({Step(1)})),
                    2, 2));
  ASSERT_THAT(walked.stories, SizeIs(1));
  EXPECT_EQ(FirstProblem(walked), "duplicate key '1'");
}

TEST(ActfReader, ReadsArraysAndLines_STL110) {
  const std::string one = OneAttempt({Step(1)});
  const Walked array = WalkText("[" + one + ",{\"task_id\":1}," + one + "]");
  ASSERT_THAT(array.stories, SizeIs(2));
  EXPECT_EQ(array.stories[1].document.document_id, "t~2");
  EXPECT_EQ(array.stories[1].document.session_id, "t");
  EXPECT_TRUE(array.notes.contains("duplicate_document_id"));
  ASSERT_THAT(array.problems, SizeIs(1));
  EXPECT_EQ(array.problems[0].location, "array element 1");

  const Walked lines = WalkText(one + "\n\n{\"task_id\n" + one + "\n" + one.substr(0, 40), Lines());
  EXPECT_THAT(lines.stories, SizeIs(2));
  ASSERT_THAT(lines.problems, SizeIs(1));
  EXPECT_EQ(lines.problems[0].location, "line 3");
  EXPECT_TRUE(lines.open_tail);
}

TEST(ActfReader, ASyntaxErrorCostsTheWholeDocumentFile) {
  const std::string one = OneAttempt({Step(1)});
  const Walked walked = WalkText("[" + one + ",{]");
  ASSERT_THAT(walked.problems, SizeIs(1));
  EXPECT_TRUE(walked.problems[0].whole_source);
  EXPECT_TRUE(walked.source_notes.lost_source);
}

TEST(ActfReader, EventLogTrajectoryFoldsResults_G68) {
  const std::string text =
      R"({"task_id":"t","category":"c","k":1,"correct":false,"attempts_tried":1,"attempts":{"1":{"correct":false,)"
      R"("status":"run_error","trajectory":[{"type":"session","id":"S","timestamp":"2026-06-17T07:26:27.170Z","cwd":"/proj"},)"
      R"({"type":"model_change","modelId":"m1"},)"
      R"({"type":"message","timestamp":"2026-06-17T07:26:28Z","message":{"role":"user","content":[{"type":"text","text":"go"}]}},)"
      R"({"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"p"},)"
      R"({"type":"text","text":"run"},{"type":"text","text":"now"},{"type":"toolCall","id":"c1","name":"exec","arguments":{"command":"ls"}}]}},)"
      R"({"type":"message","message":{"role":"toolResult","toolCallId":"c1","toolName":"exec","content":[{"type":"text","text":"out"}],)"
      R"("details":{"exitCode":0,"durationMs":9}}},{"type":"message","message":{"role":"assistant","content":"bye"}},)"
      R"({"type":"message","message":{"role":"toolResult","toolCallId":"zz","content":"lost"}}]}}})";
  const Walked walked = WalkText(text);
  ASSERT_THAT(walked.problems, IsEmpty());
  ASSERT_THAT(walked.stories, SizeIs(1));
  const std::string wire = Wire(walked.stories[0]);
  EXPECT_THAT(wire, HasSubstr(R"("env":{"id":"S","state":{"cwd":"/proj"}})"));
  EXPECT_THAT(wire, HasSubstr(R"("model":"m1")"));
  const std::vector<Turn>& turns = walked.stories[0].turns;
  ASSERT_THAT(turns, SizeIs(4));
  EXPECT_EQ(turns[0].source, "user");
  EXPECT_EQ(turns[0].message.text, "\"go\"");
  EXPECT_EQ(turns[1].id, 2);
  EXPECT_EQ(turns[1].message.text, R"("run\nnow")");
  EXPECT_EQ(*turns[1].reasoning, "p");
  EXPECT_EQ(turns[1].calls[0].result.text, "\"out\"");
  EXPECT_EQ(turns[1].calls[0].duration_ms, 9);
  EXPECT_EQ(turns[1].calls[0].response.text, R"({"exit_code":0})");
  EXPECT_EQ(
      turns[1].observation.text,
      R"({"results":[{"content":"out","tool_use_id":"c1","source_call_id":"c1","name":"exec","exit_code":0,"duration_ms":9}]})");
  EXPECT_EQ(turns[2].id, 4);
  EXPECT_EQ(turns[2].message.text, "\"bye\"");
  EXPECT_EQ(turns[3].extra.text, R"({"openclaw_role":"toolResult","toolCallId":"zz"})");
  EXPECT_EQ(walked.stories[0].document.started_at.scalar.text, R"("2026-06-17T07:26:27.170Z")");
  EXPECT_EQ(walked.stories[0].document.finished_at.scalar.text, R"("2026-06-17T07:26:28Z")");
}

TEST(ActfReader, UnknownMembersAreResiduals_G67) {
  const Walked walked = WalkText(
      Task(R"("a/b":)" +
               Attempt(Steps({Step(1, R"(,"vs":null,"tools":[{"name":"f","input":1,"vt":2}])")}),
                       R"(,"va":[1])"),
           1, 1, R"(,"v/r":7)"));
  ASSERT_THAT(walked.stories, SizeIs(1));
  ASSERT_THAT(walked.stories[0].document.unknown, SizeIs(1));
  const UnknownSource& source = walked.stories[0].document.unknown[0];
  EXPECT_EQ(source.format, "actf");
  EXPECT_EQ(source.source_document_id, "t");
  std::vector<std::string> pointers;
  for (const UnknownField& field : source.fields) {
    pointers.emplace_back(field.pointer);
  }
  EXPECT_THAT(pointers,
              ElementsAre("/attempts/a~1b/trajectory/steps/0/tools/0/vt",
                          "/attempts/a~1b/trajectory/steps/0/vs", "/attempts/a~1b/va", "/v~1r"));
}

TEST(ActfReader, CountingRunsReadsNoStepAndEachByteOnce_STL121) {
  const std::string big(6 << 20, 'x');
  const json::MemoryInput input(Task(R"("1":)" +
                                         Attempt(Steps({Step(1, R"(,"v":")" + big + "\"")})) +
                                         R"(,"2":)" + Attempt(Steps({"5"})),
                                     2, 2));
  WalkOptions options;
  options.fields = FieldMask();
  const Walked walked = WalkWith(Format::kActf, input, options);
  EXPECT_THAT(walked.stories, SizeIs(2));
  EXPECT_EQ(walked.bytes_read, *input.size());
}

TEST(ActfReader, AGiantDocumentCostsFlatMemory_D14) {
  std::string steps;
  const std::string big(1 << 20, 'x');
  for (int i = 1; i <= 12; ++i) {
    steps += (i > 1 ? "," : "") +
             Step(i, R"(,"tools":[{"id":"c","name":"f","input":{"x":")" + big + R"("}}])");
  }
  const json::MemoryInput input(Task(R"("1":)" + Attempt("[" + steps + "]")));
  ASSERT_GT(*input.size(), actf::RecordBytes::kHoldBytes);
  WalkOptions options;
  options.fields = Field::kCalls | Field::kDocumentId;
  const Walked walked = WalkWith(Format::kActf, input, options);
  ASSERT_THAT(walked.problems, IsEmpty());
  EXPECT_THAT(walked.stories[0].turns, SizeIs(12));
  EXPECT_EQ(walked.stories[0].turns[11].calls[0].function, "f");
  EXPECT_LT(walked.buffer_peak_bytes, 2U << 20);
}

TEST(ActfReader, TheTerminalStateOfARunIsKeptAsWritten_BR49) {
  for (const std::string status : {"max_steps", "timeout", "run_error", "aborted"}) {
    const Walked walked =
        WalkText(OneAttempt({Step(1)}, R"(,"status":")" + status + R"(","error":"why")"));
    EXPECT_THAT(std::string(walked.stories[0].document.task.text),
                HasSubstr(R"("status":")" + status + R"(","error":"why")"));
  }
}

/// Whatever is projected, the turns that come are those of the full read.
TEST(ActfReader, AProjectionSeesTheSameTurns_STL125) {
  const std::string text = OneAttempt(
      {Step(
           1,
           R"(,"tools":[{"id":"a","name":"f","input":{"x":1}}],"observation":[{"id":"a","content":"r"}])"),
       Step(2, R"(,"user_content":"u")"), Step(3)});
  const Walked full = WalkText(text);
  for (int bit = 0; bit < 40; ++bit) {
    WalkOptions options;
    options.fields = FieldMask(static_cast<Field>(bit)) | Field::kTurnKind;
    const Walked part = WalkText(text, options);
    ASSERT_THAT(part.problems, IsEmpty()) << bit;
    ASSERT_THAT(part.stories[0].turns, SizeIs(3)) << bit;
    for (size_t i = 0; i < 3; ++i) {
      const Turn& got = part.stories[0].turns[i];
      const Turn& want = full.stories[0].turns[i];
      EXPECT_EQ(got.id, want.id);
      EXPECT_EQ(got.had_tool_calls, want.had_tool_calls) << bit;
      EXPECT_EQ(got.had_observation, want.had_observation) << bit;
      EXPECT_EQ(got.call_count, want.call_count) << bit;
      if (got.prompt.present()) {
        EXPECT_EQ(got.prompt.text, want.prompt.text) << bit;
      }
    }
  }
}

}  // namespace
}  // namespace pchronicle::model
