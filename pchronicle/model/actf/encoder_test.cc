#include "pchronicle/model/actf/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "pchronicle/json/compare.h"
#include "pchronicle/model/actf/actf_test_support.h"

namespace pchronicle::model {
namespace {

using actf::testing_support::Attempt;
using actf::testing_support::EncodeBack;
using actf::testing_support::kTimes;
using actf::testing_support::OneAttempt;
using actf::testing_support::Step;
using actf::testing_support::Steps;
using actf::testing_support::Task;
using actf::testing_support::Walked;
using actf::testing_support::WalkText;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string RoundTrip(const std::string& text) { return EncodeBack(WalkText(text).stories); }

/// A Storyline of another format with one user and one agent turn.
Storyline Foreign() {
  Storyline story;
  Document& document = story.document;
  document.session_id = document.document_id = "s";
  document.agent_id = "a";
  document.origin_format = "atif";
  document.unknown = {{"atif", "s", {{"/steps/0/vs", json::RawFromText("1")}}}};
  Turn user;
  user.id = 1;
  user.source = "user";
  user.message = json::RawFromText(R"("q")");
  Turn agent;
  agent.ordinal = 1;
  agent.id = 2;
  agent.source = "agent";
  agent.message = json::RawFromText(R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])");
  agent.metrics = json::RawFromText(R"({"prompt_tokens":7})");
  agent.latency_ms = 5;
  agent.timestamp.nanoseconds = 1500000000;
  ToolCall call;
  call.id = "c1";
  call.function = "f";
  call.arguments = json::RawFromText(R"({"x":1})");
  agent.calls = {call};
  agent.call_count = 1;
  agent.observation = json::RawFromText(R"({"results":[{"source_call_id":"c1","content":"r"}]})");
  story.turns.push_back(user);
  story.turns.push_back(agent);
  return story;
}

TEST(ActfEncoder, VendorMembersComeBack_G67) {
  const std::string text = Task(R"("1":)" + Attempt(Steps({Step(1, R"(,"vs":null)")}),
                                                    R"(,"va":[1],"meta":{"m":1},"max_score":5)"),
                                1, 1, R"(,"v/r":7)");
  const std::string out = RoundTrip(text);
  for (const std::string part :
       {R"("v/r":7)", R"("va":[1])", R"("vs":null)", R"("meta":{"m":1})", R"("max_score":5)",
        R"("started_at":"2026-01-01 00:00:00+00:00")"}) {
    EXPECT_THAT(out, HasSubstr(part));
  }
  EXPECT_EQ(RoundTrip(out), out);
}

TEST(ActfEncoder, ForeignResidualsTravelInTheEnvelope_G69) {
  std::vector<Storyline> stories;
  stories.push_back(Foreign());
  EncodeReport report;
  const std::string out = EncodeBack(stories, &report);
  EXPECT_THAT(
      out,
      HasSubstr(R"("_storyline":{"unknown_fields":{"version":1,"by_trajectory":{"/attempts/1":)"));
  EXPECT_THAT(out, HasSubstr(R"("content":"q")"));
  EXPECT_THAT(out, HasSubstr(R"("content":"a\n\nb")"));
  EXPECT_EQ(report.lossy["turns.src"], 1U);
  EXPECT_EQ(report.lossy["turns.msg"], 1U);
  const Walked back = WalkText(out);
  ASSERT_THAT(back.problems, IsEmpty());
  ASSERT_THAT(back.stories, SizeIs(1));
  ASSERT_THAT(back.stories[0].document.unknown, SizeIs(1));
  EXPECT_EQ(back.stories[0].document.unknown[0].format, "atif");
  EXPECT_EQ(back.stories[0].document.unknown[0].source_document_id, "s");
  EXPECT_EQ(back.stories[0].document.unknown[0].fields[0].pointer, "/steps/0/vs");
  EXPECT_EQ(EncodeBack(back.stories), out);
}

TEST(ActfEncoder, OtherFormatsGetTheDefaultsOfTheTable_X02) {
  std::vector<Storyline> stories;
  stories.push_back(Foreign());
  const std::string out = EncodeBack(stories);
  for (
      const std::string part :
      {R"("task_id":"s","category":"unknown","k":1,"correct":false,"attempts_tried":1,"solved_at":null)",
       R"("status":"completed")", R"("ground_truth":"")", R"("final_answer":null)",
       R"("score":null)",
       R"({"prompt_tokens":7,"prompt_tokens_len":7,"completion_tokens_len":0,"llm_infer_ms":5,"env_action_ms":null,"stop_reason":null})",
       R"({"id":"c1","type":"tool_use","name":"f","input":{"x":1}})",
       R"([{"content":"r","tool_use_id":"c1","type":"tool_result"}])",
       R"("1970-01-01 00:00:01.500+00:00")"}) {
    EXPECT_THAT(out, HasSubstr(part));
  }
  const Walked back = WalkText(out);
  const Turn& turn = back.stories[0].turns[1];
  EXPECT_EQ(turn.calls[0].id, "c1");
  EXPECT_EQ(turn.calls[0].arguments.text, R"({"x":1})");
  EXPECT_THAT(std::string(turn.observation.text), HasSubstr(R"("source_call_id":"c1")"));
}

TEST(ActfEncoder, OddTurnIdsAreRenumberedOnlyAcrossFormats_BR32) {
  std::vector<Storyline> stories;
  stories.push_back(Foreign());
  stories[0].turns[1].id = 1;
  EncodeReport report;
  EXPECT_THAT(EncodeBack(stories, &report), HasSubstr(R"("step_id":2)"));
  EXPECT_TRUE(report.notes.contains("step_id"));
  EXPECT_THAT(EncodeBack(stories, nullptr, true),
              HasSubstr("ACTF step_id 1 is not strictly increasing"));
  EXPECT_THAT(RoundTrip(OneAttempt({Step(4), Step(4)})), Not(HasSubstr(R"("step_id":1)")));
}

TEST(ActfEncoder, ASubsetOfAttemptsIsCountedAnew) {
  Walked walked = WalkText(
      Task(R"("1":)" + Attempt(Steps({Step(1)})) + R"(,"2":)" + Attempt(Steps({Step(1)})), 2, 2));
  walked.stories.pop_back();
  EncodeReport report;
  EXPECT_THAT(EncodeBack(walked.stories, &report), HasSubstr(R"("attempts_tried":1)"));
  EXPECT_TRUE(report.notes.contains("attempts_tried"));
}

TEST(ActfEncoder, AttemptsMustBeTellableApart) {
  std::vector<Storyline> stories;
  stories.push_back(Foreign());
  stories.push_back(Foreign());
  EXPECT_EQ(EncodeBack(stories), "error: ACTF multi-attempt Storyline requires attempt_id");
  stories[0].document.attempt_id = stories[1].document.attempt_id = "x";
  EXPECT_EQ(EncodeBack(stories), "error: duplicate ACTF attempt id 'x'");
  EXPECT_EQ(EncodeBack({}), "error: ACTF document cannot be empty");
}

TEST(ActfEncoder, ResidualsOfTwoSourcesCannotMeet) {
  std::vector<Storyline> stories;
  for (const char* id : {"t", "u"}) {
    Storyline& story = stories.emplace_back(Foreign());
    story.document.origin_format = "actf";
    story.document.attempt_id = id;
    story.document.unknown = {{"actf", id, {{"/v", json::RawFromText("1")}}}};
  }
  EXPECT_EQ(EncodeBack(stories), "error: one ACTF document cannot merge multiple source documents");
  stories[1].document.unknown[0].source_document_id = "t";
  stories[1].document.unknown[0].fields[0].value = json::RawFromText("2");
  EXPECT_EQ(EncodeBack(stories), "error: ACTF unknown-field conflict at '/v'");
  stories[1].document.unknown.clear();
  stories[1].document.origin_format = "atif";
  EXPECT_EQ(EncodeBack(stories), "error: cannot mix ACTF unknown fields and unrelated Storylines");
}

TEST(ActfEncoder, AResidualWithoutItsObjectIsReported) {
  Walked walked = WalkText(OneAttempt({Step(1), Step(2, R"(,"vs":1)")}));
  walked.stories[0].turns.pop_back();
  EncodeReport report;
  const std::string out = EncodeBack(walked.stories, &report);
  EXPECT_THAT(out, Not(HasSubstr("vs")));
  EXPECT_EQ(report.lossy["unknown_fields"], 1U);
  EXPECT_THAT(EncodeBack(walked.stories, nullptr, true),
              HasSubstr("/attempts/1/trajectory/steps/1/vs"));
}

TEST(ActfEncoder, ValuesOfTheWrongTypeAndLoneSurrogatesComeBack_BR13) {
  const std::string text = OneAttempt(
      {R"({"step_id":1,"assistant_content":{"content":["p"],"reasoning_content":"x\ud83d"},"metric":"abc","tools":5,)" +
       kTimes + "}"},
      R"(,"status":7)");
  const std::string out = RoundTrip(text);
  for (const std::string part : {R"("content":["p"])", R"("reasoning_content":"x\ud83d")",
                                 R"("metric":"abc")", R"("tools":5)", R"("status":7)"}) {
    EXPECT_THAT(out, HasSubstr(part));
  }
  EXPECT_EQ(RoundTrip(out), out);
}

TEST(ActfEncoder, AnEventLogBecomesACanonicalTrajectory_G68) {
  const std::string text =
      R"({"task_id":"t","category":"c","k":1,"correct":false,"attempts_tried":1,"attempts":{"1":{"correct":false,)"
      R"("trajectory":[{"type":"message","message":{"role":"user","content":"go"}}]}}})";
  const std::string out = RoundTrip(text);
  EXPECT_THAT(out, HasSubstr(R"("schema_version":"ACTF_v1.0")"));
  EXPECT_EQ(RoundTrip(out), out);
}

std::string AnyStep(int id) {
  const auto pick = [](std::vector<std::string> values) { return *rc::gen::elementOf(values); };
  const std::string tools = pick(
      {"", R"(,"tools":[])", R"(,"tools":[{"name":"f","arguments":{"x":1.0},"w":1}])",
       R"(,"tools":[{"type":"command_execution","id":"c","command":"ls","aggregated_output":"o","exit_code":1}])",
       R"(,"tools":[{"type":"command_execution","name":"n","command":"l","input":{"a":1}},{"function":{"name":"g"}}])",
       R"(,"tools":[{"type":"tool_use","id":"c","name":"B","input":null,"aggregated_output":"o","status":"s"}])",
       R"(,"tools":[5,{"id":"c"}])"});
  const std::string observation = pick(
      {"", R"(,"observation":[])",
       R"(,"observation":[{"tool_use_id":"c","content":"r","is_error":true}])",
       R"(,"observation":[{"type":"command_execution","id":"c","aggregated_output":"o","content":"x"}])",
       R"(,"observation":["text",{"source_call_id":"c"},{"id":"z","tool_use_id":null}])",
       R"(,"observation":"no")"});
  const std::string prompt =
      pick({"", R"(,"system_prompt":"s","user_content":"u")", R"(,"user_content":"v")",
            R"(,"system_prompt":null)", R"(,"system_prompt":{})"});
  const std::string content =
      pick({R"({"content":"x"})", R"({"content":null,"reasoning_content":"","v":[]})",
            R"({"content":"\ud800","reasoning_content":"r\ud83d","tool_calls":[]})",
            R"({"tool_calls":[{"id":"q","type":"t","zz":0}]})", R"({"content":7})"});
  const std::string metric =
      pick({"{}", R"({"llm_infer_ms":1.5,"x":{}})", R"("m")", R"({"prompt_tokens_len":"1"})"});
  return R"({"step_id":)" + std::to_string(id) + R"(,"assistant_content":)" + content +
         R"(,"metric":)" + metric + tools + observation + prompt +
         pick({"", R"(,"vs":null)", R"(,"a/b~":{"q":[1]})"}) + "," + kTimes + "}";
}

/// encode(decode(encode(decode(x)))) is byte-equal to encode(decode(x)) (formats.md 9.1).
TEST(ActfEncoderProperty, EncodingIsIdempotent) {
  EXPECT_TRUE(rc::check("idempotent", [] {
    std::string attempts;
    const int count = *rc::gen::inRange(1, 4);
    for (int a = 0; a < count; ++a) {
      std::vector<std::string> steps;
      const int size = *rc::gen::inRange(1, 4);
      for (int s = 0; s < size; ++s) {
        steps.push_back(AnyStep(*rc::gen::inRange(-1, 5)));
      }
      attempts +=
          (a > 0 ? ",\"k" : "\"k") + std::to_string(a) + "\":" +
          Attempt(Steps(steps),
                  *rc::gen::elementOf(std::vector<std::string>{
                      "", R"(,"status":"","score":NaN)", R"(,"status":5,"meta":{"a":1},"q":0)",
                      R"(,"error":"e","extra":"x","analysis_result":[1],"artifacts":[])"}));
    }
    const std::string text = Task(attempts, count, 3, R"(,"v":{"w":1e3},"retry_count":0)");
    const Walked first = WalkText(text);
    RC_ASSERT(first.problems.empty());
    const std::string once = EncodeBack(first.stories);
    RC_ASSERT(once.substr(0, 6) != "error:");
    RC_ASSERT(RoundTrip(once) == once);
  }));
}

std::filesystem::path SharedFixtures() {
  const char* shared = std::getenv("PCHRONICLE_SHARED");
  return (shared != nullptr ? std::filesystem::path(shared)
                            : std::filesystem::path(PCHRONICLE_SOURCE_DIR) / "../shared") /
         "fixtures/real";
}

TEST(ActfFixtures, RealFilesRoundTrip) {
  const std::filesystem::path folder = SharedFixtures();
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << folder << " is absent";
  }
  for (const char* name :
       {"actf-dl-code-repair.actf.json", "actf-dl-make-doom-for-mips.actf.json"}) {
    std::ifstream file(folder / name);
    std::stringstream text;
    text << file.rdbuf();
    const Walked walked = WalkText(text.str());
    ASSERT_THAT(walked.problems, IsEmpty()) << name;
    ASSERT_THAT(walked.stories, SizeIs(1)) << name;
    EXPECT_EQ(walked.stories[0].turns.size(), 2U) << name;
    WalkOptions strict;
    strict.strict = true;
    EXPECT_THAT(WalkText(text.str(), strict).problems, IsEmpty()) << name;
    const std::string out = EncodeBack(walked.stories);
    EXPECT_EQ(RoundTrip(out), out) << name;
    EXPECT_THAT(EncodeBack(walked.stories, nullptr, true), Not(HasSubstr("error:"))) << name;
  }
}

}  // namespace
}  // namespace pchronicle::model
