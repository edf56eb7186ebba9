#include "pchronicle/model/openai/walker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pchronicle/model/openai/openai_test_support.h"

namespace pchronicle::model::openai {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(OpenAiReader, OneRowMakesRequestAndResponse_G46) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":1,"messages":[{"role":"user","content":"hi"}],)"
      R"("response":{"role":"assistant","content":"yo"},"agent_model":"m","created_at":1700000001}])");
  ASSERT_EQ(read.storylines.size(), 1u);
  const Storyline& story = read.at(0);
  EXPECT_EQ(story.document.session_id, "s");
  EXPECT_EQ(story.document.agent_id, "m");
  EXPECT_EQ(story.document.agent_model, "m");
  EXPECT_EQ(story.document.origin_format, "openai-msg");
  EXPECT_EQ(story.document.origin_document_id, "in.json");
  EXPECT_THAT(Turns(story),
              ElementsAre(R"(1 user llm.request "hi")", R"(2 agent llm.response "yo")"));
  EXPECT_EQ(story.turns[0].timestamp.scalar.text, "1700000001");
  EXPECT_EQ(story.turns[1].timestamp.nanoseconds, 1700000001000000000);
  EXPECT_EQ(story.turns[1].llm_calls, 1);
  EXPECT_FALSE(story.turns[0].llm_calls.has_value());
  EXPECT_EQ(story.turns[1].model, "m");
  EXPECT_THAT(Unknown(story), IsEmpty());
}

TEST(OpenAiReader, ContextComesOnceAndRowsAreSortedByStep_G47) {
  const ReadBack read = Read(
      R"({"session_steps":[{"session_id":"s","step_id":3,"messages":[{"role":"system","content":"p"},)"
      R"({"role":"user","content":"q0"},{"role":"user","content":"q1"},{"role":"assistant","content":"a1"},)"
      R"({"role":"user","content":"q2"}],"response":{"role":"assistant","content":"a2"}},)"
      R"({"session_id":"s","step_id":1,"messages":[{"role":"system","content":"p"},)"
      R"({"role":"user","content":"q0"},{"role":"user","content":"q1"}],)"
      R"("response":{"role":"assistant","content":"a1"}}]})");
  ASSERT_EQ(read.storylines.size(), 1u);
  EXPECT_THAT(Turns(read.at(0)),
              ElementsAre(R"(1 system context "p")", R"(2 user llm.request "q0")",
                          R"(3 user llm.request "q1")", R"(4 agent llm.response "a1")",
                          R"(7 user llm.request "q2")", R"(8 agent llm.response "a2")"));
  EXPECT_EQ(read.at(0).turns[1].copied, true);
  EXPECT_FALSE(read.at(0).turns[2].copied.has_value());
}

constexpr std::string_view kToolRows =
    R"([{"session_id":"s","step_id":1,"messages":[{"role":"user","content":"go"}],)"
    R"("response":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",)"
    R"("function":{"name":"f","arguments":"{\"x\": 1}"}}]}},)"
    R"({"session_id":"s","step_id":2,"messages":[{"role":"user","content":"go"},)"
    R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",)"
    R"("function":{"name":"f","arguments":"{\"x\": 1}"}}]},)"
    R"({"role":"tool","tool_call_id":"c1","content":"r"},)"
    R"({"role":"tool","tool_call_id":"zz","content":"lost"}],)"
    R"("response":{"role":"assistant","content":"end"}},)"
    R"({"session_id":"s","step_id":3,"messages":[{"role":"user","content":"go"},)"
    R"({"role":"tool","tool_call_id":"c1","content":"r"},)"
    R"({"role":"tool","tool_call_id":"zz","content":"lost"}],)"
    R"("response":{"role":"assistant","content":"more"}}])";

TEST(OpenAiReader, ToolResultsAttachToTheIssuingTurnAndRepeatsAddNothing_G48) {
  const ReadBack read = Read(kToolRows);
  const Storyline& story = read.at(0);
  ASSERT_EQ(story.turns.size(), 6u);
  EXPECT_EQ(story.turns[1].kind, "autonomous");
  EXPECT_EQ(story.turns[1].message.text, "null");
  ASSERT_EQ(story.turns[1].calls.size(), 1u);
  EXPECT_EQ(story.turns[1].calls[0].arguments.text, R"({"x":1})");
  EXPECT_EQ(story.turns[1].observation.text,
            R"({"results":[{"source_call_id":"c1","content":"r"}]})");
  EXPECT_EQ(story.turns[3].observation.text,
            R"({"results":[{"source_call_id":"zz","content":"lost"}]})");
  EXPECT_FALSE(story.turns[5].observation.present());
  EXPECT_THAT(Unknown(story), IsEmpty());
}

TEST(OpenAiReader, ResultsOfARepeatedCallIdGoToTheirOwnTurn_BR06) {
  const std::string call =
      R"({"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]})";
  const std::string result = R"({"role":"tool","tool_call_id":"c","content":"ok"})";
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":1,"messages":[{"role":"user","content":"q"}],"response":)" +
      call + R"(},{"session_id":"s","step_id":2,"messages":[{"role":"user","content":"q"},)" +
      call + "," + result + R"(],"response":)" + call +
      R"(},{"session_id":"s","step_id":3,"messages":[{"role":"user","content":"q"},)" + call + "," +
      result + "," + call + "," + result +
      R"(],"response":{"role":"assistant","content":"end"}}])");
  const Storyline& story = read.at(0);
  ASSERT_EQ(story.turns.size(), 6u);
  const std::string_view one = R"({"results":[{"source_call_id":"c","content":"ok"}]})";
  EXPECT_EQ(story.turns[1].observation.text, one);
  EXPECT_EQ(story.turns[3].observation.text, one);
  EXPECT_FALSE(story.turns[5].observation.present());
  EXPECT_EQ(read.count("duplicate_tool_call_id"), 1u);
}

TEST(OpenAiReader, RefusalServesOnlyWithoutContent_G49) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":1,"messages":[],"response":{"content":"","refusal":"no"}},)"
      R"({"session_id":"s","step_id":2,"messages":[],"response":{"content":"yes","refusal":"no"}}])");
  EXPECT_THAT(Turns(read.at(0)),
              ElementsAre(R"(2 agent llm.response "no")", R"(4 agent llm.response "yes")"));
  EXPECT_THAT(Unknown(read.at(0)), ElementsAre(R"(/session_steps/1/response/refusal="no")"));
}

constexpr std::string_view kNoOutput =
    R"([{"session_id":"s","step_id":1,"messages":[{"role":"user","content":"x"}],)"
    R"("response":{"role":"assistant","content":""}}])";

TEST(OpenAiReader, ARowWithoutOutputIsAnErrorOnlyWhenStrict_G50) {
  const ReadBack strict = Read(kNoOutput, Strict());
  EXPECT_THAT(strict.error(), HasSubstr("OpenAI corpus row has no assistant output"));
  EXPECT_EQ(strict.problems[0].location, "rows[0]");
  EXPECT_THAT(strict.storylines, IsEmpty());
  const ReadBack read = Read(kNoOutput);
  EXPECT_THAT(Turns(read.at(0)),
              ElementsAre(R"(1 user llm.request "x")", R"(2 agent llm.response "")"));
  EXPECT_EQ(read.count("no_output"), 1u);
}

constexpr std::string_view kRepeatedStep =
    R"([{"session_id":"s","step_id":1,"messages":[],"response":{"role":"assistant","content":"a"}},)"
    R"({"session_id":"t","step_id":1,"messages":[],"response":{"role":"assistant","content":"b"}},)"
    R"({"session_id":"s","step_id":1,"messages":[],"response":{"role":"assistant","content":"c"}}])";

TEST(OpenAiReader, RepeatedStepIdsKeepBothRowsUnlessStrict_G51) {
  const ReadBack strict = Read(kRepeatedStep, Strict());
  EXPECT_THAT(strict.error(), HasSubstr("duplicate step_id 1"));
  ASSERT_EQ(strict.storylines.size(), 1u);
  EXPECT_EQ(strict.at(0).document.session_id, "t");
  const ReadBack read = Read(kRepeatedStep);
  EXPECT_THAT(Turns(read.at(0)),
              ElementsAre(R"(2 agent llm.response "a")", R"(2 agent llm.response "c")"));
  EXPECT_EQ(read.count("duplicate_step_id"), 1u);
}

TEST(OpenAiReader, SessionsComeByFirstAppearanceWithTheRootResidual_G52_REL14) {
  const std::string_view rows =
      R"("session_steps":[{"session_id":"b","step_id":1,"messages":[],"response":{"role":"assistant","content":"1"}},)"
      R"({"session_id":"a","step_id":1,"messages":[],"response":{"role":"assistant","content":"2"}},)"
      R"({"session_id":"b","step_id":2,"messages":[],"response":{"role":"assistant","content":"3"}}])";
  for (const std::string& text :
       {R"({"v":1,)" + std::string(rows) + "}", "{" + std::string(rows) + R"(, "v" : 1 })"}) {
    const ReadBack read = Read(text);
    ASSERT_EQ(read.storylines.size(), 2u);
    EXPECT_EQ(read.at(0).document.session_id, "b");
    EXPECT_EQ(read.at(0).document.ordinal, 0);
    EXPECT_EQ(read.at(1).document.session_id, "a");
    EXPECT_EQ(read.at(1).document.ordinal, 1);
    EXPECT_THAT(Unknown(read.at(0)), ElementsAre("/v=1"));
    EXPECT_THAT(Unknown(read.at(1)), ElementsAre("/v=1"));
  }
}

TEST(OpenAiReader, MetricsEnvironmentAndMetaJsonAsText_G53) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":1,"messages":[],"response":{"role":"assistant","content":"a"},)"
      R"("reward":null,"env_name":"e","id":"r1","meta_json":"{\"source\":\"src\",\"group_id\":9,)"
      R"(\"env_state\":{\"total_latency_ms\":10.7,\"is_truncated\":true,\"endpoint\":\"E\",)"
      R"(\"session_id\":\"s\",\"zz\":1}}"},)"
      R"({"session_id":"s","step_id":2,"messages":[],"response":{"role":"assistant","content":"b"},)"
      R"("env_name":"e2","is_truncated":false,)"
      R"("meta_json":{"env_state":"{\"is_truncated\":true,\"request_id\":\"q\"}"}}])");
  const Storyline& story = read.at(0);
  EXPECT_EQ(story.document.agent_id, "src");
  EXPECT_EQ(story.document.task.text,
            R"({"env":{"name":"e","endpoint":"E","state":{"group_id":9}}})");
  EXPECT_EQ(story.turns[0].metrics.text,
            R"({"reward":null,"total_latency_ms":10.7,"is_truncated":true})");
  EXPECT_EQ(story.turns[0].latency_ms, 10);
  EXPECT_EQ(story.turns[0].env.text, R"({"id":"r1"})");
  EXPECT_EQ(story.turns[1].metrics.text, R"({"is_truncated":false})");
  EXPECT_EQ(story.turns[1].env.text, R"({"name":"e2","request_id":"q"})");
  EXPECT_EQ(story.document.final_metrics.text, R"({"is_truncated":false})");
  EXPECT_THAT(Unknown(story), ElementsAre("/session_steps/0/meta_json/env_state/zz=1"));
}

TEST(OpenAiReader, ConflictingRunsCostTheSession_G54) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":1,"messages":[],"response":{"content":"a"},"job_id":"j"},)"
      R"({"session_id":"s","step_id":2,"messages":[],"response":{"content":"b"},"run_id":"k"},)"
      R"({"session_id":"t","step_id":1,"messages":[],"response":{"content":"b"},"run_bucket":"B"}])");
  EXPECT_THAT(read.error(), HasSubstr("OpenAI corpus session has conflicting run ids"));
  EXPECT_EQ(read.problems.size(), 1u);
  ASSERT_EQ(read.storylines.size(), 1u);
  EXPECT_EQ(read.at(0).document.run_id, "B");
}

TEST(OpenAiReader, EmbeddedTextCall_G55) {
  const ReadBack read =
      Read(R"([{"session_id":"s","step_id":7,"messages":[],"response":{"role":"assistant",)"
           R"x("content":"<tool_call>run\n<parameter=code>print(1)</parameter>"}}])x");
  const Turn& turn = read.at(0).turns[0];
  EXPECT_EQ(turn.id, 14);
  EXPECT_EQ(turn.kind, "autonomous");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.calls[0].id, "embedded-7-run");
  EXPECT_EQ(turn.calls[0].function, "run");
  EXPECT_EQ(turn.calls[0].arguments.text, R"x({"code":"print(1)"})x");
  EXPECT_EQ(turn.message.text, R"x("<tool_call>run\n<parameter=code>print(1)</parameter>")x");
}

TEST(OpenAiReader, StringifiedPartsAreDecodedOtherJsonTextIsNot_G56_BR34) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":1,"messages":[{"role":"user",)"
      R"("content":"[{\"type\":\"text\", \"text\":\"q\"}]"}],"response":{"role":"assistant","content":"[1,2]"}}])");
  EXPECT_THAT(Turns(read.at(0)), ElementsAre(R"(1 user llm.request [{"type":"text","text":"q"}])",
                                             R"(2 agent llm.response "[1,2]")"));
}

TEST(OpenAiReader, EmptyAndForeignRootsAreErrorsOfTheSource_G59) {
  EXPECT_EQ(Read(R"({"session_steps":[]})").error(), "OpenAI corpus cannot be empty");
  EXPECT_EQ(Read("[]").error(), "OpenAI corpus cannot be empty");
  EXPECT_EQ(Read("\n\n", Lines()).error(), "OpenAI corpus cannot be empty");
  EXPECT_EQ(Read(R"({"a":1})").error(), "OpenAI corpus object requires a session_steps array");
  EXPECT_EQ(Read(R"({"session_steps":{}})").error(),
            "OpenAI corpus object requires a session_steps array");
  EXPECT_EQ(Read(R"("x")").error(), "OpenAI corpus must be a JSON array or session_steps object");
  EXPECT_TRUE(Read(R"("x")").problems[0].whole_source);
  EXPECT_EQ(Read("[3]").error(), "OpenAI corpus row must be an object");
}

std::string Row(std::string_view session, int step, std::string_view more = "") {
  return R"({"session_id":")" + std::string(session) + R"(","step_id":)" + std::to_string(step) +
         R"(,"messages":[{"role":"user","content":"q"}],"response":{"role":"assistant","content":"a"})" +
         std::string(more) + "}";
}

TEST(OpenAiReader, EachLineIsARowAndABadLineCostsItsSession) {
  const ReadBack read = Read(Row("a", 1) + "\n" + Row("b", 1) + "\n\r\n" +
                                 R"({"session_id":"a","step_id":2,"messages":[}])" + "\n" +
                                 Row("c", 1) + "\nnot json\n" + Row("b", 2) + "\n",
                             Lines());
  ASSERT_EQ(read.problems.size(), 2u);
  ASSERT_EQ(read.storylines.size(), 2u);
  EXPECT_EQ(read.at(0).document.session_id, "b");
  EXPECT_EQ(read.at(0).turns.size(), 4u);
  EXPECT_EQ(read.at(0).document.ordinal, 1);
  EXPECT_EQ(read.at(1).document.session_id, "c");
  EXPECT_FALSE(read.open_tail);
}

TEST(OpenAiReader, ACutLastLineIsNoError_BR11) {
  const ReadBack read =
      Read(Row("a", 1) + "\n" + R"({"session_id":"a","step_id":2,"mess)", Lines());
  EXPECT_TRUE(read.open_tail);
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_EQ(read.storylines.size(), 1u);
  EXPECT_EQ(read.at(0).turns.size(), 2u);
}

TEST(OpenAiReader, AnEnvelopeOnALineGivesAllItsRows) {
  const ReadBack read =
      Read(R"({"session_steps":[)" + Row("a", 1) + "," + Row("a", 2) + "]}\n" + Row("b", 1) + "\n",
           Lines());
  ASSERT_EQ(read.storylines.size(), 2u);
  EXPECT_EQ(read.at(0).turns.size(), 4u);
}

TEST(OpenAiReader, RequiredMembersAreCheckedWhateverIsProjected_STL116) {
  WalkOptions narrow = Options();
  narrow.fields = FieldMask();
  for (const WalkOptions& options : {Options(), narrow}) {
    const ReadBack read =
        Read("[" + Row("a", 1) + R"(,{"step_id":1},{"session_id":"","step_id":1},)" +
                 R"({"session_id":"b","step_id":0},{"session_id":"c"},)" +
                 R"({"session_id":"d","step_id":1.0},)" + Row("b", 2) + "]",
             options);
    ASSERT_EQ(read.problems.size(), 5u);
    EXPECT_EQ(read.problems[0].location, "rows[1].session_id");
    EXPECT_EQ(read.problems[0].status.message(), "OpenAI corpus row requires non-empty session_id");
    EXPECT_EQ(read.problems[1].pointer, "/session_steps/2/session_id");
    EXPECT_EQ(read.problems[2].status.message(),
              "OpenAI corpus row requires positive integer step_id");
    EXPECT_EQ(read.problems[2].location, "rows[3].step_id");
    ASSERT_EQ(read.storylines.size(), 1u);
    EXPECT_EQ(read.at(0).document.session_id, "a");
  }
}

TEST(OpenAiReader, StepIdAsTextIsReadWithANote_BR32) {
  const ReadBack read =
      Read(R"([{"session_id":"s","step_id":"4","messages":[],"response":{"content":"a"}}])");
  EXPECT_THAT(Turns(read.at(0)), ElementsAre(R"(8 agent llm.response "a")"));
  EXPECT_EQ(read.count("number_as_text"), 1u);
}

TEST(OpenAiReader, StepIdsThatOverflowAreErrors) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":9223372036854775807,"messages":[],"response":{"content":"a"}},)"
      R"({"session_id":"t","step_id":4611686018427387903,"messages":[{"role":"system","content":"p"},)"
      R"({"role":"system","content":"p"},{"role":"user","content":"p"}],"response":{"content":"a"}}])");
  ASSERT_EQ(read.problems.size(), 2u);
  EXPECT_EQ(read.error(), "OpenAI corpus step_id overflows Storyline turn id");
  EXPECT_EQ(read.problems[1].status.message(), "OpenAI corpus step_id overflows Storyline turn id");
}

TEST(OpenAiReader, DuplicateIdentityIsAnErrorOtherDuplicatesANote) {
  const ReadBack read = Read(
      R"([{"session_id":"s","session_id":"t","step_id":1},)"
      R"({"session_id":"u","step_id":1,"messages":[],"response":{"content":"x","content":"a"},"reward":1,"reward":2}])");
  EXPECT_EQ(read.error(), "duplicate key 'session_id'");
  ASSERT_EQ(read.storylines.size(), 1u);
  EXPECT_EQ(read.at(0).turns[0].message.text, R"("a")");
  EXPECT_EQ(read.at(0).turns[0].metrics.text, R"({"reward":2})");
  EXPECT_EQ(read.count("duplicate_key"), 2u);
}

TEST(OpenAiReader, MembersGivenAsJsonTextAreDecoded_BR37) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":1,"messages":"[{\"role\":\"user\",\"content\":\"q\",\"vm\":1}]",)"
      R"("response":"{\"role\":\"assistant\",\"content\":\"a\"}","tools":"[{\"name\": \"f\"}]"},)"
      R"({"session_id":"s","step_id":2,"messages_json":"[{\"role\":\"user\",\"content\":\"q2\"}]",)"
      R"("response_json":"{\"content\":\"a2\"}"}])");
  EXPECT_THAT(Turns(read.at(0)),
              ElementsAre(R"(1 user llm.request "q")", R"(2 agent llm.response "a")",
                          R"(3 user llm.request "q2")", R"(4 agent llm.response "a2")"));
  EXPECT_EQ(read.count("json_in_text"), 3u);
  EXPECT_THAT(Unknown(read.at(0)), ElementsAre("/session_steps/0/messages/0/vm=1",
                                               R"(/session_steps/0/tools=[{"name":"f"}])"));
}

TEST(OpenAiReader, BadValuesCostNoNeighbour_BR05) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":1,"messages":"abc","response":{"content":"a"},"created_at":{"x":1},)"
      R"("agent_model":7,"llm_model":"m","run_id":3,"meta_json":"nope","reward":"abc"}])");
  const Storyline& story = read.at(0);
  EXPECT_THAT(Turns(story), ElementsAre(R"(2 agent llm.response "a")"));
  EXPECT_EQ(story.turns[0].model, "m");
  EXPECT_FALSE(story.turns[0].timestamp.nanoseconds.has_value());
  EXPECT_FALSE(story.document.run_id.has_value());
  EXPECT_EQ(story.turns[0].metrics.text, R"({"reward":"abc"})");
  EXPECT_THAT(
      Unknown(story),
      ElementsAre("/session_steps/0/agent_model=7", R"(/session_steps/0/created_at={"x":1})",
                  R"(/session_steps/0/messages="abc")", R"(/session_steps/0/meta_json="nope")",
                  "/session_steps/0/run_id=3"));
  EXPECT_EQ(read.count("bad_value"), 5u);
}

TEST(OpenAiReader, TimestampsKeepTheirScalar_BR54_X03) {
  const ReadBack read = Read("[" + Row("a", 1, R"(,"created_at":1700000001.123456)") + "," +
                             Row("a", 2, R"(,"created_at":"2026-01-01T00:00:00.123456789+08:00")") +
                             "," + Row("a", 3, R"(,"created_at":"2026-01-01 00:00:00")") + "]");
  const auto& turns = read.at(0).turns;
  EXPECT_EQ(turns[1].timestamp.scalar.text, "1700000001.123456");
  EXPECT_EQ(turns[1].timestamp.nanoseconds, 1700000001123456000);
  EXPECT_EQ(turns[3].timestamp.scalar.text, R"("2026-01-01T00:00:00.123456789+08:00")");
  EXPECT_EQ(read.count("timestamp_without_zone"), 1u);
}

TEST(OpenAiReader, LoneSurrogatesAndNulSurvive_BR13_BR14) {
  const ReadBack read = Read(
      R"([{"session_id":"s\u0000t","step_id":1,"messages":[{"role":"user","content":"a\u0000b"}],)"
      R"("response":{"content":"\ud83d","reasoning_content":"x\ud83d"}}])");
  const Storyline& story = read.at(0);
  EXPECT_EQ(story.document.session_id, std::string_view("s\0t", 3));
  EXPECT_EQ(story.turns[0].message.text, R"("a\u0000b")");
  EXPECT_EQ(story.turns[1].message.text, R"("\ud83d")");
  EXPECT_EQ(story.turns[1].reasoning, "x\xEF\xBF\xBD");
  EXPECT_THAT(Unknown(story),
              ElementsAre(R"(/session_steps/0/response/reasoning_content="x\ud83d")"));
  EXPECT_GE(read.count("lone_surrogate"), 2u);
}

TEST(OpenAiReader, ConsumedMembersLeaveNoResidual) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":2,"messages":[{"role":"user","content":"q","name":null,"tool_calls":[]}],)"
      R"("response":{"role":"assistant","content":"a","refusal":null,"name":"","tool_call_id":null,"tool_calls":null},)"
      R"("env_id":"s","run_id":"r","job_id":"r","agent_id":"A","agent_model":"m","llm_model":"m",)"
      R"("blob_manifest":[],"chosen_response":null,"rejected_response":{},"dt":"d","dataset_type":"TEST",)"
      R"("meta_json":{"source":"A","env_state":{"session_id":"s","requested_model":"m","llm_step_index":2}}}])");
  EXPECT_THAT(Unknown(read.at(0)), IsEmpty());
  EXPECT_EQ(read.at(0).document.run_id, "r");
}

TEST(OpenAiReader, WhatIsNotConsumedIsRecordedAtItsPointer) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":1,"messages":[{"role":"developer","content":"d","z":1},7,)"
      R"({"role":"tool","content":"no id"},{"role":"user","content":"q","v/~m":null}],)"
      R"("response":{"role":"assistant","content":"a","x":[1, 2],"tool_calls":[{"id":"","k":1},null,5,)"
      R"({"id":"c","type":"custom","function":{"name":"f","arguments":"{}","strict":true},"idx":0}]},)"
      R"("llm_model":"m2","agent_model":"m","run_id":"R","run_bucket":"B","env_id":"other","agent_id":"",)"
      R"("blob_manifest":["b"],"meta_json":{"source":"src","k":{"a": 1},"env_state":{"requested_model":"zz"}}}])");
  EXPECT_THAT(
      Unknown(read.at(0)),
      ElementsAre(
          R"(/session_steps/0/agent_id="")", R"(/session_steps/0/blob_manifest=["b"])",
          R"(/session_steps/0/env_id="other")", R"(/session_steps/0/llm_model="m2")",
          R"(/session_steps/0/messages/0/content="d")",
          R"(/session_steps/0/messages/0/role="developer")", "/session_steps/0/messages/0/z=1",
          "/session_steps/0/messages/1=7", R"(/session_steps/0/messages/2/content="no id")",
          R"(/session_steps/0/messages/2/role="tool")", "/session_steps/0/messages/3/v~1~0m=null",
          R"(/session_steps/0/meta_json/env_state/requested_model="zz")",
          R"(/session_steps/0/meta_json/k={"a":1})",
          R"(/session_steps/0/response/tool_calls/0/id="")",
          "/session_steps/0/response/tool_calls/0/k=1", "/session_steps/0/response/tool_calls/2=5",
          "/session_steps/0/response/tool_calls/3/function/strict=true",
          "/session_steps/0/response/tool_calls/3/idx=0",
          R"(/session_steps/0/response/tool_calls/3/type="custom")",
          "/session_steps/0/response/x=[1,2]", R"(/session_steps/0/run_bucket="B")"));
  EXPECT_EQ(read.at(0).document.agent_id, "src");
  EXPECT_EQ(read.at(0).turns[1].calls.size(), 1u);
}

TEST(OpenAiReader, ARowWithoutAnyAnswerHasNoResponseTurn) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":1,"messages":[{"role":"user","content":"q"}],"reward":1,"id":"x"}])");
  EXPECT_THAT(Turns(read.at(0)), ElementsAre(R"(1 user llm.request "q")"));
  EXPECT_THAT(Unknown(read.at(0)),
              ElementsAre(R"(/session_steps/0/id="x")", "/session_steps/0/reward=1"));
}

TEST(OpenAiReader, AnAnswerInTheMessagesServesWhenResponseSaysNothing) {
  const ReadBack read = Read(
      R"([{"session_id":"s","step_id":1,"messages":[{"role":"user","content":"q"},)"
      R"({"role":"assistant","content":"from messages","reasoning_content":"why"}],"response":null}])");
  EXPECT_THAT(Turns(read.at(0)),
              ElementsAre(R"(1 user llm.request "q")", R"(2 agent llm.response "from messages")"));
  EXPECT_EQ(read.at(0).turns[1].reasoning, "why");
}

TEST(OpenAiReader, CutByTheStepCapIsToldInTheMetrics_BR49) {
  const ReadBack read = Read("[" + Row("a", 1, R"(,"is_terminal":true,"is_truncated":true)") + "]");
  EXPECT_EQ(read.at(0).document.final_metrics.text, R"({"is_terminal":true,"is_truncated":true})");
}

TEST(OpenAiReader, OneSessionIdIsOneRunOfItsFile_BR31) {
  const ReadBack read = Read("[" + Row("a", 1) + "," + Row("a", 2) + "]");
  ASSERT_EQ(read.storylines.size(), 1u);
  EXPECT_EQ(read.at(0).document.document_id, "a");
}

TEST(OpenAiReader, SourcePathMustBeSafe) {
  WalkOptions options = Options();
  options.source_path = "/abs";
  EXPECT_EQ(Read("[]", options).error(), "source path must be non-empty and relative");
  options.source_path = "a/../b";
  EXPECT_EQ(Read("[]", options).error(), "source path contains unsafe components");
}

TEST(OpenAiReader, BadTextInAValueCostsItsSessionAndNothingElse) {
  const std::string bad = Row("b", 1, ",\"dt\":\"\xff\"");
  const std::string text = "[" + Row("a", 1) + "," + bad + "," + Row("c", 1) + "]";
  const ReadBack read = Read(text);
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_EQ(read.problems[0].offset, text.find('\xff'));
  EXPECT_FALSE(read.problems[0].whole_source);
  ASSERT_EQ(read.storylines.size(), 2u);
}

TEST(OpenAiReader, ASyntaxErrorInADocumentCostsTheFile) {
  const ReadBack read = Read("[" + Row("a", 1) + "," + Row("b", 1));
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_TRUE(read.problems[0].whole_source);
  EXPECT_THAT(read.storylines, IsEmpty());
}

/// Counts what it is given and asks for nothing more.
class CountSink final : public DocumentSink {
 public:
  explicit CountSink(Wish wish) : wish_(wish) {}
  Wish OnDocument(const Document&) override {
    ++documents;
    return wish_;
  }
  void OnTurn(const Document&, const Turn& turn) override {
    ++turns;
    calls += turn.call_count;
    observations += turn.had_observation ? 1 : 0;
  }
  void OnDocumentEnd(const Document&) override {}
  void OnRecordEnd() override {}
  void OnDocumentLost(const Document&) override {}
  bool OnProblem(Problem) override { return false; }
  void OnDiagnostic(const Document*, std::string_view, std::string_view,
                    std::string_view) override {}

  uint64_t documents = 0, turns = 0, calls = 0, observations = 0;

 private:
  Wish wish_;
};

uint64_t WalkAll(const std::string& text, FieldMask fields, CountSink& sink,
                 uint64_t* peak = nullptr) {
  const json::MemoryInput input{text};
  WalkOptions options = Options();
  options.fields = fields;
  const auto walker = MakeOpenAiWalker(input, options, {}, sink);
  while (walker->Advance()) {
  }
  if (peak != nullptr) {
    *peak = walker->buffer_peak_bytes();
  }
  return walker->bytes_read();
}

/// Rows that repeat the whole conversation so far.
std::string GrowingSession(int steps, size_t message_bytes) {
  std::string text = "[";
  std::string history = R"({"role":"system","content":"p"})";
  for (int i = 1; i <= steps; ++i) {
    const std::string filler(message_bytes, static_cast<char>('a' + i % 26));
    const std::string id = "c" + std::to_string(i);
    history += R"(,{"role":"user","content":")" + filler + R"("})";
    const std::string answer = R"({"role":"assistant","content":"ok","tool_calls":[{"id":")" + id +
                               R"(","function":{"name":"f","arguments":"{}"}}]})";
    text += i == 1 ? "" : ",\n";
    text += R"({"session_id":"s","step_id":)" + std::to_string(i) + R"(,"messages":[)" + history +
            R"(],"response":)" + answer + "}";
    history += "," + answer + R"(,{"role":"tool","tool_call_id":")" + id + R"(","content":")" +
               filler + R"("})";
  }
  return text + "]";
}

TEST(OpenAiReader, CountingRunsNeedsOnePass_STL129) {
  const std::string text = GrowingSession(20, 1000);
  CountSink runs(DocumentSink::Wish::kSkip);
  EXPECT_LE(WalkAll(text, Field::kDocumentId | Field::kRunId, runs), text.size());
  EXPECT_EQ(runs.documents, 1u);
  CountSink steps(DocumentSink::Wish::kTurns);
  WalkAll(text, Field::kTurns, steps);
  EXPECT_EQ(steps.turns, 41u);
  EXPECT_EQ(steps.calls, 20u);
  EXPECT_EQ(steps.observations, 19u);
}

TEST(OpenAiReader, RepeatedHistoryIsDropped_STL129) {
  constexpr int kSteps = 60;
  constexpr size_t kMessage = 20000;
  const std::string text = GrowingSession(kSteps, kMessage);
  ASSERT_GT(text.size(), 60u << 20);
  CountSink sink(DocumentSink::Wish::kTurns);
  uint64_t peak = 0;
  WalkAll(text, Field::kMessage | Field::kObservation | Field::kArguments, sink, &peak);
  EXPECT_EQ(sink.turns, 1u + 2 * kSteps);
  EXPECT_EQ(sink.observations, static_cast<uint64_t>(kSteps - 1));
  // New text of the session three times over (message, result, observation) and the buffers, not
  // the 70 MB of history.
  EXPECT_LT(peak, 8u << 20);
}

TEST(OpenAiReader, ARowThatIsNotHeldWholeGivesTheSameTurns_STL117) {
  const std::string text = GrowingSession(8, 20000);
  WalkOptions windowed = Options();
  windowed.cursor.max_record_bytes = 30000;  // less than a row, more than a value
  windowed.cursor.window_bytes = 4096;
  const ReadBack held = Read(text);
  const ReadBack streamed = Read(text, windowed);
  ASSERT_EQ(held.storylines.size(), 1u);
  ASSERT_EQ(streamed.storylines.size(), 1u) << streamed.error();
  EXPECT_EQ(held.at(0).turns.size(), 17u);
  EXPECT_EQ(Turns(held.at(0)), Turns(streamed.at(0)));
  EXPECT_EQ(held.at(0).turns[2].observation.text, streamed.at(0).turns[2].observation.text);
  EXPECT_THAT(held.at(0).turns[2].observation.text, HasSubstr(R"("source_call_id":"c1")"));
}

TEST(OpenAiReader, AValueOverTheRecordLimitCostsItsSession) {
  WalkOptions options = Options();
  options.cursor.max_record_bytes = 1000;
  const ReadBack read = Read(
      "[" + Row("a", 1) + "," + Row("b", 1, R"(,"dt":")" + std::string(2000, 'x') + "\"") + "]",
      options);
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_EQ(read.problems[0].status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(read.storylines.size(), 1u);
}

TEST(OpenAiReader, EveryProjectionGivesTheCellsOfTheFullRead_STL125) {
  const std::string texts[] = {
      std::string(kToolRows), GrowingSession(6, 50),
      "[" + Row("a", 2, R"(,"created_at":1.5,"reward":1,"agent_model":"m","env_name":"e")") + "," +
          Row("a", 1, R"(,"env_name":"f","meta_json":"{\"env_state\":{\"ttft_ms\":3}}")") + "]"};
  const auto cells = [](const Turn& turn, Field field) -> std::string {
    switch (field) {
      case Field::kMessage:
        return std::string(turn.message.text);
      case Field::kObservation:
        return std::string(turn.observation.text);
      case Field::kArguments:
        return turn.calls.empty() ? "-" : std::string(turn.calls[0].arguments.text);
      case Field::kMetrics:
        return std::string(turn.metrics.text);
      case Field::kEnv:
        return std::string(turn.env.text);
      case Field::kTimestamp:
        return std::string(turn.timestamp.scalar.text);
      case Field::kModel:
        return std::string(turn.model.value_or("-"));
      case Field::kReasoning:
        return std::string(turn.reasoning.value_or("-"));
      default:
        return turn.ttft_ms ? std::to_string(*turn.ttft_ms) : "-";
    }
  };
  for (const std::string& text : texts) {
    const ReadBack full = Read(text);
    for (const Field field :
         {Field::kMessage, Field::kObservation, Field::kArguments, Field::kMetrics, Field::kEnv,
          Field::kTimestamp, Field::kModel, Field::kReasoning, Field::kLatency}) {
      WalkOptions options = Options();
      options.fields = field;
      const ReadBack narrow = Read(text, options);
      ASSERT_EQ(narrow.storylines.size(), full.storylines.size());
      ASSERT_EQ(narrow.at(0).turns.size(), full.at(0).turns.size());
      for (size_t i = 0; i < full.at(0).turns.size(); ++i) {
        const Turn& wanted = full.at(0).turns[i];
        const Turn& got = narrow.at(0).turns[i];
        EXPECT_EQ(cells(got, field), cells(wanted, field)) << static_cast<int>(field);
        EXPECT_EQ(got.id, wanted.id);
        EXPECT_EQ(got.source, wanted.source);
        EXPECT_EQ(got.call_count, wanted.call_count);
        EXPECT_EQ(got.had_observation, wanted.had_observation);
      }
    }
  }
}

TEST(OpenAiReader, RowsThatStandApartAreReadByOffset) {
  std::string text = "[";
  for (int step = 5; step >= 1; --step) {
    for (const char* session : {"a", "b"}) {
      text += (text.size() > 1 ? " ,\n " : "") + Row(session, step);
    }
  }
  const ReadBack read = Read(text + "]");
  ASSERT_EQ(read.storylines.size(), 2u);
  EXPECT_EQ(read.at(0).turns.size(), 10u);
  EXPECT_EQ(read.at(0).turns[9].id, 10);
  EXPECT_EQ(read.at(1).turns[0].id, 1);
}

}  // namespace
}  // namespace pchronicle::model::openai
