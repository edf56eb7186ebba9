#include "pchronicle/model/openai/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "pchronicle/model/openai/openai_test_support.h"

namespace pchronicle::model::openai {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string RoundTrip(std::string_view text) { return Write(Read(text).storylines); }

/// formats.md 9.1 rule 3.
void ExpectIdempotent(std::string_view text) {
  const std::string once = RoundTrip(text);
  EXPECT_EQ(RoundTrip(once), once) << text;
}

/// A Storyline of another origin.
class Builder {
 public:
  Builder() {
    story_.document.session_id = "s";
    story_.document.document_id = "s";
    story_.document.agent_id = "a";
  }
  Builder& Add(int64_t id, std::string_view source, std::string_view message, bool copied = false) {
    Turn& turn = story_.turns.emplace_back();
    turn.ordinal = static_cast<int64_t>(story_.turns.size() - 1);
    turn.id = id;
    turn.source = source;
    turn.message = json::RawFromText(story_.arena.Copy(message));
    if (copied) {
      turn.copied = true;
    }
    return *this;
  }
  Storyline& story() { return story_; }
  std::vector<Storyline> Done() {
    std::vector<Storyline> out;
    out.push_back(std::move(story_));
    return out;
  }

 private:
  Storyline story_;
};

std::string EncodeError(const std::vector<Storyline>& storylines, bool strict = false) {
  EncodeOptions options;
  options.strict = strict;
  return EncodeOpenAi(storylines, options, nullptr).status().message();
}

TEST(OpenAiWriter, CanonicalRowWithVendorFieldsBack_G57) {
  const std::string text = RoundTrip(
      R"([{"session_id":"s","step_id":2,"messages":[{"role":"user","content":"q","vm":1}],)"
      R"("response":{"role":"assistant","content":"a","tool_calls":[{"id":"c","type":"function",)"
      R"("function":{"name":"f","arguments":"not json"}}]},"run_bucket":"B","llm_model":"m","vr":{"x":null}}])");
  EXPECT_EQ(
      text,
      R"({"session_steps":[{"session_id":"s","step_id":2,"agent_id":"m","job_id":"B","agent_model":"m",)"
      R"("messages":[{"role":"user","content":"q","vm":1}],)"
      R"("response":{"role":"assistant","content":"a","tool_calls":[{"id":"c","type":"function",)"
      R"("function":{"name":"f","arguments":"\"not json\""}}]},"vr":{"x":null}}]})");
}

TEST(OpenAiWriter, AnAnswerMustFollowAUserTurn_G58) {
  EXPECT_EQ(EncodeError(Builder().Add(1, "user", R"("q")").Add(2, "system", R"("n")").Done()),
            "OpenAI synthesis requires an agent response after user turn 1");
  EXPECT_EQ(EncodeError(Builder().Add(1, "user", R"("q")").Done()),
            "OpenAI synthesis requires an agent response after user turn 1");
  EXPECT_EQ(EncodeError(Builder().Add(3, "system", R"("n")").Done()),
            "OpenAI synthesis cannot represent Storyline turn 3 source 'system'");
  EXPECT_EQ(EncodeError(Builder().Add(3, "tool", R"("n")", true).Done()),
            "OpenAI context cannot represent Storyline turn 3 source 'tool'");
  EXPECT_EQ(EncodeError({}), "OpenAI corpus cannot be empty");
}

TEST(OpenAiWriter, CopiedPrefixBecomesHistory_G76) {
  Builder builder;
  builder.Add(1, "system", R"("p")", true).Add(2, "user", R"("q")").Add(3, "agent", R"("a")");
  builder.story().document.run_id = "r";
  builder.story().turns[2].latency_ms = 4;
  builder.story().turns[2].metrics = json::RawFromText(R"({"reward":1,"other":2})");
  EncodeReport report;
  EXPECT_EQ(
      Write(builder.Done(), &report),
      R"({"session_steps":[{"session_id":"s","step_id":1,"agent_id":"a","job_id":"r","reward":1,)"
      R"("meta_json":{"env_state":{"total_latency_ms":4}},)"
      R"("messages":[{"role":"system","content":"p"},{"role":"user","content":"q"}],)"
      R"("response":{"role":"assistant","content":"a"}}]})");
  EXPECT_EQ(report.lossy.at("metrics"), 1u);
}

TEST(OpenAiWriter, HistoryGrowsAndToolResultsStandBeforeTheirAnswer) {
  Builder builder;
  builder.Add(1, "user", R"("q")").Add(2, "agent", "null").Add(3, "agent", R"("end")");
  Turn& turn = builder.story().turns[1];
  ToolCall& call = turn.calls.emplace_back();
  call.id = "c";
  call.function = "f";
  call.arguments = json::RawFromText(R"({"x":1})");
  turn.observation = json::RawFromText(
      R"({"results":[{"source_call_id":"c","content":"r"},{"content":"unlinked"}]})");
  EncodeReport report;
  const std::string text = Write(builder.Done(), &report);
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr(
              R"("messages":[{"role":"user","content":"q"},{"role":"tool","tool_call_id":"c","content":"r"}])"),
          HasSubstr(
              R"("arguments":"{\"x\":1}"}}]}],"response":{"role":"assistant","content":"end"})"),
          Not(HasSubstr("unlinked"))));
  EXPECT_EQ(report.lossy.at("observation"), 1u);
}

TEST(OpenAiWriter, StrictRefusesWhatWouldBeLost) {
  Builder builder;
  builder.Add(1, "user", R"("q")").Add(2, "agent", R"("a")");
  builder.story().document.notes = "n";
  EXPECT_EQ(EncodeError(builder.Done(), true), "lossy_export fields=notes");
}

TEST(OpenAiWriter, TurnIdsOfACorpusMustEncodeTheirSteps) {
  Builder builder;
  builder.Add(1, "user", R"("q")").Add(3, "agent", R"("a")");
  builder.story().document.origin_format = "openai-msg";
  EXPECT_THAT(EncodeError(builder.Done()), HasSubstr("does not encode a source step_id"));
}

TEST(OpenAiWriter, OneOutputHoldsOneSourceFile) {
  WalkOptions other = Options();
  other.source_path = "other.json";
  const std::string_view row =
      R"([{"session_id":"s","step_id":1,"messages":[],"response":{"content":"a"},"v":1}])";
  std::vector<Storyline> both = Read(row).storylines;
  both.push_back(std::move(Read(row, other).storylines[0]));
  EXPECT_EQ(EncodeError(both), "one JSON document cannot preserve 2 OpenAI source files");
  std::vector<Storyline> mixed = Read(row).storylines;
  mixed.push_back(std::move(Builder().Add(1, "agent", R"("a")").Done()[0]));
  EXPECT_EQ(EncodeError(mixed), "cannot mix OpenAI unknown fields and unrelated Storylines");
}

TEST(OpenAiWriter, ForeignResidualsTravelInAnEnvelopeForEveryRow) {
  Builder builder;
  builder.Add(1, "user", R"("q")").Add(2, "agent", R"("a")").Add(3, "agent", R"("b")");
  UnknownSource source{"atif", "x", {}};
  source.fields.push_back({"/vendor", json::RawFromText("7")});
  builder.story().document.unknown.push_back(source);
  const std::string text = Write(builder.Done());
  EXPECT_THAT(text, AllOf(HasSubstr("\"_storyline\""), HasSubstr("\"/session_steps/0\""),
                          HasSubstr("\"/session_steps/1\"")));
  const ReadBack read = Read(text);
  ASSERT_EQ(read.storylines.size(), 1u) << read.error();
  ASSERT_EQ(read.at(0).document.unknown.size(), 1u);
  EXPECT_EQ(read.at(0).document.unknown[0].format, "atif");
  EXPECT_EQ(read.at(0).document.unknown[0].fields[0].pointer, "/vendor");
}

TEST(OpenAiWriter, ResidualsFindTheirRowWhenSessionsAreInterleaved) {
  const auto row = [](const char* session, int step, const char* vendor) {
    return R"({"session_id":")" + std::string(session) + R"(","step_id":)" + std::to_string(step) +
           R"(,"messages":[],"response":{"content":"a"},"v":")" + vendor + R"("})";
  };
  const std::string text =
      "[" + row("b", 2, "b2") + "," + row("a", 1, "a1") + "," + row("b", 1, "b1") + "]";
  const std::string out = RoundTrip(text);
  const size_t b1 = out.find(R"("session_id":"b","step_id":1)");
  const size_t b2 = out.find(R"("session_id":"b","step_id":2)");
  EXPECT_LT(b1, b2);
  EXPECT_LT(out.find(R"("v":"b1")"), b2);
  EXPECT_GT(out.find(R"("v":"b2")"), b2);
  EXPECT_GT(out.find(R"("v":"a1")"), out.find(R"("session_id":"a")"));
  ExpectIdempotent(text);
  // One session of the three rows, exported alone.
  std::vector<Storyline> read = Read(text).storylines;
  std::vector<Storyline> alone;
  alone.push_back(std::move(read[1]));
  EXPECT_THAT(Write(alone), HasSubstr(R"("v":"a1")"));
}

TEST(OpenAiWriter, MessagesThatTheHubCannotHoldReturnToTheirPlace) {
  const std::string_view text =
      R"([{"session_id":"s","step_id":1,"messages":[{"role":"developer","content":"d","z":1},7,)"
      R"({"role":"tool","content":"no id"},{"role":"user","content":"q","v":null}],)"
      R"("response":{"role":"assistant","content":"a","tool_calls":[{"id":"","k":1},5,)"
      R"({"id":"c","type":"custom","function":{"name":"f","arguments":"{}","strict":true},"idx":0}]},)"
      R"("run_id":"R","job_id":"J","agent_id":"","agent_model":5,"llm_model":"m","meta_json":{"source":"src"}}])";
  const std::string out = RoundTrip(text);
  EXPECT_THAT(
      out,
      AllOf(
          HasSubstr(
              R"("messages":[{"content":"d","role":"developer","z":1},7,{"content":"no id","role":"tool"},{"role":"user","content":"q","v":null}])"),
          HasSubstr(
              R"("tool_calls":[{"id":"","k":1},5,{"id":"c","type":"custom","function":{"name":"f","arguments":"{}","strict":true},"idx":0}])"),
          HasSubstr(R"("run_id":"R")"), HasSubstr(R"("job_id":"J")"),
          HasSubstr(R"("agent_model":5)"), HasSubstr(R"("llm_model":"m")"),
          HasSubstr(R"("source":"src")")));
  ExpectIdempotent(text);
}

TEST(OpenAiWriter, NumbersAndTimesKeepTheirDigits_X03) {
  const std::string out =
      RoundTrip(R"([{"session_id":"s","step_id":1,"messages":[],"response":{"content":"a"},)"
                R"("created_at":1700000001.123456,"reward":18446744073709551617,"v":1.50}])");
  EXPECT_THAT(out, AllOf(HasSubstr(R"("created_at":1700000001.123456)"),
                         HasSubstr(R"("reward":18446744073709551617)"), HasSubstr(R"("v":1.50)")));
}

TEST(OpenAiWriter, LoneSurrogatesReturn_BR13) {
  const std::string_view text =
      R"([{"session_id":"s","step_id":1,"messages":[{"role":"user","content":"\ud83d"}],)"
      R"("response":{"content":"a","reasoning_content":"x\ud83d"}}])";
  const std::string out = RoundTrip(text);
  EXPECT_THAT(out, AllOf(HasSubstr(R"("content":"\ud83d")"),
                         HasSubstr(R"("reasoning_content":"x\ud83d")")));
  ExpectIdempotent(text);
}

TEST(OpenAiWriter, ARowWithoutAnswerOrWithoutUserIsWrittenAsRead) {
  const std::string_view rows[] = {
      R"([{"session_id":"s","step_id":1,"messages":[{"role":"user","content":"q"}],"reward":1,"id":"x","meta_json":"{\"group_id\":1}"}])",
      R"([{"session_id":"s","step_id":1,"messages":[{"role":"user","content":"q"}],"response":{"content":"a"}},)"
      R"({"session_id":"s","step_id":2,"messages":[{"role":"tool","tool_call_id":"c","content":"r"}],"response":{"content":"b"}}])",
      R"([{"session_id":"s","step_id":1,"messages":[],"response":{"content":"a"}},{"session_id":"s","step_id":2,"messages":[]},)"
      R"({"session_id":"s","step_id":3,"messages":[{"role":"user","content":null}],"response":"text"}])",
  };
  for (const std::string_view text : rows) {
    ExpectIdempotent(text);
  }
  EXPECT_THAT(RoundTrip(rows[0]), AllOf(HasSubstr(R"("reward":1)"), HasSubstr(R"("id":"x")"),
                                        Not(HasSubstr("response"))));
}

// -- Property: formats.md 9.1 rule 3 over odd rows. --

rc::Gen<std::string> OneOf(std::vector<std::string> values) {
  return rc::gen::elementOf(std::move(values));
}

rc::Gen<std::string> Content() {
  return OneOf({R"("")", R"("hi")", "null", "[]", R"([{"type":"text","text":"p"}])",
                R"("[{\"type\":\"text\",\"text\":\"\"}]")", R"({"text":"o"})", "7", R"("\ud83d")",
                R"("<tool_call>run\n<parameter=a>1</parameter>")", R"("{\"a\":1}")", "{}", "NaN"});
}

/// Calls whose ids no other row uses, so that results have one issuer.
rc::Gen<std::string> Calls(int row) {
  const std::string id = "c" + std::to_string(row);
  return OneOf(
      {"[]", "null", "3",
       R"([{"id":")" + id +
           R"(","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}])",
       R"([{"id":")" + id + R"(","function":{"name":"f"}},{"id":"","x":1},null,5])",
       R"([{"id":"x)" + id +
           R"(","type":"custom","function":{"name":"g","arguments":[1, 2],"k":null},"index":0}])"});
}

rc::Gen<std::string> MessageText(int row) {
  return rc::gen::exec([row] {
    std::string out = "{";
    const std::string role =
        *OneOf({R"("role":"user")", R"("role":"user")", R"("role":"system")",
                R"("role":"assistant")", R"("role":"developer")", R"("role":"tool")",
                R"("role":null)", R"("role":4)", R"("name":"n")"});
    out += role;
    if (*rc::gen::weightedElement<bool>({{4, true}, {1, false}})) {
      out += R"(,"content":)" + *Content();
    }
    if (role == R"("role":"tool")" && *rc::gen::arbitrary<bool>()) {
      out += R"(,"tool_call_id":"c)" + std::to_string(*rc::gen::inRange(0, row + 1)) + "\"";
    }
    if (*rc::gen::weightedElement<bool>({{1, true}, {4, false}})) {
      out += *OneOf({R"(,"refusal":"no")", R"(,"vm":{"a": 1})", R"(,"reasoning_content":"r")",
                     R"(,"reasoning_content":5)", R"(,"name":"n2")", R"(,"tool_calls":[])"});
    }
    return out + "}";
  });
}

rc::Gen<std::string> RowText(int row) {
  return rc::gen::exec([row] {
    const std::string session = *OneOf({"s", "t"});
    // In odd order, but each step once: a request and an answer of the same step in two rows become
    // one row.
    std::string out =
        R"({"session_id":")" + session + R"(","step_id":)" + std::to_string(1 + (row * 3 + 2) % 7);
    const int messages = *rc::gen::inRange(0, 5);
    out += R"(,"messages":[)";
    for (int i = 0; i < messages; ++i) {
      out += (i == 0 ? "" : ",") + *MessageText(row);
    }
    out += "]";
    if (*rc::gen::weightedElement<bool>({{5, true}, {1, false}})) {
      out += R"(,"response":{"role":"assistant","content":)" + *Content() + R"(,"tool_calls":)" +
             *Calls(row);
      out += *OneOf({"", "", R"(,"refusal":"no")", R"(,"reasoning_content":"why")",
                     R"(,"vx":[1, 2])"}) +
             "}";
    }
    const int extras = *rc::gen::inRange(0, 4);
    for (int i = 0; i < extras; ++i) {
      out += *OneOf(
          {R"(,"agent_id":"A")",
           R"(,"agent_id":"")",
           R"(,"agent_model":"m")",
           R"(,"agent_model":5)",
           R"(,"llm_model":"m2")",
           R"(,"run_id":"R")",
           R"(,"run_id":7)",
           R"(,"env_name":"e")",
           R"(,"env_name":"e2")",
           R"(,"dt":"d")",
           R"(,"dt":5)",
           R"(,"id":"i")",
           R"(,"id":3)",
           R"(,"env_id":"s")",
           R"(,"reward":1.0)",
           R"(,"is_truncated":null)",
           R"(,"created_at":1700000001.5)",
           R"(,"created_at":"bad")",
           R"(,"blob_manifest":[])",
           R"(,"chosen_response":"c")",
           R"(,"v/~":null)",
           R"(,"meta_json":"{\"source\":\"src\",\"group_id\":9,\"env_state\":{\"ttft_ms\":2.5,\"zz\":1}}")",
           R"(,"meta_json":{"env_state":{"is_truncated":true,"endpoint":"E","endpoint2":1},"k":[]})",
           R"(,"meta_json":{"source":"other","env_state":"x"})",
           R"(,"meta_json":"garbage")",
           R"(,"tools":"[]")",
           R"(,"messages_json":"x")"});
    }
    return out + "}";
  });
}

TEST(OpenAiWriter, EncodingIsIdempotent) {
  EXPECT_TRUE(rc::check("encode(decode(encode(decode(x)))) == encode(decode(x))", [] {
    const int rows = *rc::gen::inRange(1, 6);
    std::string text = "[";
    for (int i = 0; i < rows; ++i) {
      text += (i == 0 ? "" : ",") + *RowText(i);
    }
    text += "]";
    RC_LOG() << text << "\n";
    const ReadBack read = Read(text);
    RC_PRE(!read.storylines.empty());
    const std::string once = Write(read.storylines);
    RC_LOG() << once << "\n";
    const ReadBack again = Read(once);
    RC_ASSERT(again.problems.empty());
    RC_ASSERT(Write(again.storylines) == once);
    RC_ASSERT(again.storylines.size() == read.storylines.size());
    for (size_t i = 0; i < read.storylines.size(); ++i) {
      RC_ASSERT(Turns(again.at(i)) == Turns(read.at(i)));
    }
  }));
}

// -- Files of others, read where they are. --

std::string ReadShared(const std::string& name) {
  const char* shared = std::getenv("PCHRONICLE_SHARED");
  std::ifstream in(
      (shared != nullptr ? std::string(shared) : std::string(PCHRONICLE_SOURCE_DIR "/../shared")) +
      "/fixtures/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(OpenAiFixtures, RealFilesGiveTheirRuns) {
  const std::string cyber = ReadShared("real/openai-dl-cybergym-0727.json");
  const std::string onboard = ReadShared("real/openai-dl-onboard-training.json");
  if (cyber.empty() || onboard.empty()) {
    GTEST_SKIP() << "no shared/fixtures/real here";
  }
  const ReadBack read = Read(cyber);
  ASSERT_EQ(read.storylines.size(), 1u);
  const Document& document = read.at(0).document;
  EXPECT_EQ(document.agent_id, "trimmed-fixture");
  EXPECT_EQ(document.run_id, "cybergym_07270003");
  EXPECT_EQ(document.task.text,
            R"({"env":{"name":"cybergym","state":{"dataset_type":"TEST","dt":"2026-07-28"}}})");
  EXPECT_EQ(document.final_metrics.text,
            R"({"reward":0.0,"step_reward":0.0,"is_terminal":false,"is_truncated":false,)"
            R"("is_session_completed":false,"is_trainable":false,"total_tokens":12})");
  EXPECT_EQ(read.at(0).turns[1].env.text, R"({"id":"evt-cyber-a-1"})");
  EXPECT_EQ(read.at(0).turns[1].timestamp.nanoseconds, 1785243276000000000);
  EXPECT_THAT(Unknown(read.at(0)), IsEmpty());
  EXPECT_EQ(Read(onboard).storylines.size(), 2u);
  ExpectIdempotent(cyber);
  ExpectIdempotent(onboard);
}

TEST(OpenAiFixtures, PeerInputsGiveThePeersTurns) {
  const std::string array = ReadShared("peer/b-openai/input/array.json");
  const std::string line = ReadShared("peer/b-openai/input/one-line.jsonl");
  const std::string rows = ReadShared("peer/b-openai/input/rows.jsonl");
  if (array.empty() || line.empty() || rows.empty()) {
    GTEST_SKIP() << "no shared/fixtures/peer here";
  }
  const ReadBack read = Read(array);
  ASSERT_EQ(read.storylines.size(), 1u);
  ASSERT_EQ(read.at(0).turns.size(), 7u);
  EXPECT_EQ(read.at(0).turns[4].observation.text,
            R"({"results":[{"source_call_id":"call_3_2","content":"value 3"}]})");
  EXPECT_EQ(read.at(0).turns[4].calls[0].arguments.text, R"({"q":"k3","n":2})");
  EXPECT_EQ(read.at(0).turns[4].reasoning, "need a tool");
  EXPECT_EQ(read.at(0).turns[0].copied, true);
  EXPECT_EQ(Unknown(read.at(0)).size(), 3u);
  ASSERT_EQ(Read(line, Lines()).storylines.size(), 1u);
  EXPECT_EQ(Read(line, Lines()).at(0).turns.size(), 7u);
  // The original skips this file; its rows are an ordinary corpus.
  const ReadBack both = Read(rows, Lines());
  ASSERT_EQ(both.storylines.size(), 2u);
  EXPECT_EQ(both.at(1).turns.size(), 7u);
  ExpectIdempotent(array);
}

}  // namespace
}  // namespace pchronicle::model::openai
