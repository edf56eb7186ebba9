#include "pchronicle/model/atif/walker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pchronicle/model/decode.h"

namespace pchronicle::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Writes down every call as one line, so that order and nesting can be compared.
class LogSink final : public DocumentSink {
 public:
  Wish OnDocument(const Document& d) override {
    log.push_back("open " + std::string(d.document_id) + " session=" + std::string(d.session_id));
    return skip ? Wish::kSkip : Wish::kTurns;
  }
  void OnTurn(const Document& d, const Turn& t) override {
    log.push_back("turn " + std::string(d.document_id) + " " + std::to_string(t.id) + "@" +
                  std::to_string(t.ordinal));
    last_message = t.message.text;
  }
  void OnDocumentEnd(const Document& d) override {
    log.push_back("end " + std::string(d.document_id));
  }
  void OnRecordEnd() override { log.push_back("record"); }
  void OnDocumentLost(const Document& d) override {
    log.push_back("lost " + std::string(d.document_id));
  }
  bool OnProblem(Problem p) override {
    log.push_back("problem " + p.status.message() + " @" + std::to_string(p.offset) + " " +
                  p.pointer + (p.whole_source ? " whole" : ""));
    return keep_going;
  }
  void OnDiagnostic(const Document*, std::string_view code, std::string_view pointer,
                    std::string_view) override {
    notes.push_back(std::string(code) + " " + std::string(pointer));
  }

  std::vector<std::string> log;
  std::vector<std::string> notes;
  std::string last_message;
  bool keep_going = true;
  bool skip = false;
};

struct Walked {
  LogSink sink;
  bool second_pass = false;
  bool open_tail = false;
  SourceNotes notes;
};

Walked Walk(const std::string& text, FieldMask fields = Field::kDocumentId | Field::kMessage,
            json::Container container = json::Container::kDocument, SourceNotes notes = {},
            bool skip = false) {
  Walked walked;
  walked.sink.skip = skip;
  const json::MemoryInput input(text);
  WalkOptions options;
  options.fields = fields;
  options.container = container;
  auto walker = MakeAtifWalker(input, options, notes, walked.sink);
  while (walker->Advance()) {
  }
  walked.second_pass = walker->needs_second_pass();
  walked.open_tail = walker->open_tail();
  walked.notes = walker->notes();
  return walked;
}

constexpr std::string_view kHead =
    R"("schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"})";

std::string Trajectory(std::string_view members) {
  return "{" + std::string(kHead) + "," + std::string(members) + "}";
}

TEST(AtifWalker, TurnsFollowTheirDocumentInArrayOrder_D10) {
  const Walked walked = Walk(Trajectory(
      R"("session_id":"s","steps":[{"step_id":5,"source":"user","message":"b"},{"step_id":2,"source":"agent","message":"a"}])"));
  EXPECT_THAT(walked.sink.log,
              ElementsAre("open s session=s", "turn s 5@0", "turn s 2@1", "end s", "record"));
}

TEST(AtifWalker, ChildrenAreAnnouncedWhereTheirBytesStand_REL14) {
  const Walked walked = Walk(Trajectory(
      R"("session_id":"s","trajectory_id":"p","subagent_trajectories":[{)" + std::string(kHead) +
      R"(,"trajectory_id":"k","steps":[{"step_id":1,"source":"user","message":"x"}]}],"steps":[{"step_id":1,"source":"user","message":"y"}])"));
  EXPECT_THAT(walked.sink.log, ElementsAre("open p session=s", "open k session=s", "turn k 1@0",
                                           "end k", "turn p 1@0", "end p", "record"));
}

TEST(AtifWalker, IdsAfterTheStepsAreLookedUpAhead_STL126) {
  const Walked walked = Walk(
      R"({"steps":[{"step_id":1,"source":"user","message":"x"}],"agent":{"name":"a","version":"1"},"trajectory_id":"t","session_id":"s","schema_version":"ATIF-v1.7"})");
  EXPECT_THAT(walked.sink.log, ElementsAre("open t session=s", "turn t 1@0", "end t", "record"));
  EXPECT_FALSE(walked.second_pass);
}

TEST(AtifWalker, ALateTrajectoryIdAsksForASecondPassThatHasTheNote_STL127) {
  const std::string text = Trajectory(
      R"("session_id":"s","steps":[{"step_id":1,"source":"user","message":"x"}],"trajectory_id":"t")");
  const Walked first = Walk(text);
  EXPECT_TRUE(first.second_pass);
  EXPECT_TRUE(first.notes.skim_first);
  const Walked second = Walk(text, Field::kDocumentId, json::Container::kDocument, first.notes);
  EXPECT_FALSE(second.second_pass);
  EXPECT_THAT(second.sink.log, ElementsAre("open t session=s", "turn t 1@0", "end t", "record"));
}

TEST(AtifWalker, ALateTrajectoryIdDoesNotMatterWhenNobodyAsksForIt_STL127) {
  const Walked walked =
      Walk(Trajectory(R"("session_id":"s","steps":[],"trajectory_id":"t")"), Field::kMessage);
  EXPECT_FALSE(walked.second_pass);
}

TEST(AtifWalker, RepeatedIdsInOneSourceGetSuffixes_D8_BR31) {
  std::string lines;
  for (int i = 0; i < 3; ++i) {
    lines += Trajectory(R"("session_id":"s","steps":[])") + "\n";
  }
  const Walked walked = Walk(lines, Field::kDocumentId, json::Container::kLines);
  EXPECT_THAT(walked.sink.log,
              ElementsAre("open s session=s", "end s", "record", "open s~2 session=s", "end s~2",
                          "record", "open s~3 session=s", "end s~3", "record"));
  EXPECT_THAT(walked.sink.notes, ElementsAre("duplicate_document_id /session_id",
                                             "duplicate_document_id /session_id"));
}

TEST(AtifWalker, ABadLineCostsOnlyItself_BR10) {
  const std::string good = Trajectory(R"("session_id":"g","steps":[])") + "\n";
  const Walked walked = Walk(good + "{\"cut\":\n" + good, Field::kMessage, json::Container::kLines);
  ASSERT_EQ(walked.sink.log.size(), 7U);
  EXPECT_THAT(walked.sink.log[3], HasSubstr("problem "));
  EXPECT_EQ(walked.sink.log[6], "record");
  EXPECT_EQ(walked.notes.lost_documents.size(), 1U);
}

TEST(AtifWalker, ACutLastLineIsOpenNotAnError_BR11) {
  const std::string good = Trajectory(R"("session_id":"g","steps":[])");
  const Walked walked =
      Walk(good + "\n" + good.substr(0, 60), Field::kMessage, json::Container::kLines);
  EXPECT_TRUE(walked.open_tail);
  EXPECT_THAT(walked.sink.log, ElementsAre("open g session=g", "end g", "record"));
}

TEST(AtifWalker, ABadChildLeavesItsParentReady_BR08) {
  const std::string text = Trajectory(
      R"("session_id":"s","subagent_trajectories":[{)" + std::string(kHead) +
      R"(,"trajectory_id":"k","steps":[{"step_id":1,"source":"user","message":"x"},{"source":"user"}]},{)" +
      std::string(kHead) +
      R"(,"trajectory_id":"m","steps":[]}],"steps":[{"step_id":9,"source":"user"}])");
  const Walked walked = Walk(text);
  EXPECT_THAT(walked.sink.log,
              ElementsAre("open s session=s", "open k session=s", "turn k 1@0", "lost k",
                          HasSubstr("problem step_id is required"), "open m session=s", "end m",
                          "turn s 9@0", "end s", "record"));
  EXPECT_THAT(walked.sink.log[4], HasSubstr("/subagent_trajectories/0/steps/1/step_id"));
  // A second pass that knows of the loss says nothing of the child but the problem.
  const Walked second = Walk(text, Field::kDocumentId, json::Container::kDocument, walked.notes);
  EXPECT_THAT(second.sink.log,
              ElementsAre("open s session=s", HasSubstr("problem step_id is required"),
                          "open m session=s", "end m", "turn s 9@0", "end s", "record"));
}

TEST(AtifWalker, ASyntaxErrorInADocumentLosesTheWholeSource) {
  const std::string text = Trajectory(
      R"("session_id":"s","steps":[{"step_id":1,"source":"user","message":"x"},{"step_id":2,]})");
  const Walked walked = Walk(text);
  ASSERT_FALSE(walked.sink.log.empty());
  EXPECT_THAT(walked.sink.log.back(), HasSubstr("whole"));
  EXPECT_TRUE(walked.notes.lost_source);
  EXPECT_EQ(std::count(walked.sink.log.begin(), walked.sink.log.end(), "lost s"), 1);
}

TEST(AtifWalker, ADuplicateIdentityIsAnError_G107) {
  const Walked walked = Walk(Trajectory(R"("session_id":"s","session_id":"t","steps":[])"));
  EXPECT_THAT(walked.sink.log.back(), HasSubstr("duplicate key 'session_id'"));
}

TEST(AtifWalker, VersionsAreToldApart_BR39) {
  const auto version = [](std::string_view v) {
    return Walk(R"({"schema_version":")" + std::string(v) +
                R"(","session_id":"s","agent":{"name":"a","version":"1"},"steps":[]})");
  };
  EXPECT_THAT(version("ATIF-v1.8").sink.notes, ElementsAre());
  EXPECT_THAT(version("ATIF-v1.12").sink.notes, ElementsAre("unknown_version /schema_version"));
  EXPECT_THAT(version("ATIF-v9.0").sink.log.back(),
              HasSubstr("unsupported ATIF schema_version 'ATIF-v9.0'"));
  EXPECT_THAT(version("atif/1").sink.log.back(),
              HasSubstr("unsupported ATIF schema_version 'atif/1'"));
  EXPECT_THAT(version("1.4").sink.log.back(), HasSubstr("unsupported ATIF schema_version '1.4'"));
}

TEST(AtifWalker, RequiredMembersAreCheckedWhateverIsWanted_STL116) {
  const auto message = [](std::string_view text, FieldMask fields) {
    return Walk(std::string(text), fields).sink.log.back();
  };
  for (const FieldMask fields : {FieldMask(), FieldMask::All()}) {
    EXPECT_THAT(message(Trajectory(R"("session_id":"s")"), fields), HasSubstr("steps is required"));
    EXPECT_THAT(
        message(R"({"session_id":"s","agent":{"name":"a","version":"1"},"steps":[]})", fields),
        HasSubstr("schema_version is required"));
    EXPECT_THAT(message(R"({"schema_version":"ATIF-v1.7","session_id":"s","steps":[]})", fields),
                HasSubstr("agent is required"));
    EXPECT_THAT(message(Trajectory(R"("session_id":"s","steps":[{"step_id":1}])"), fields),
                HasSubstr("source is required"));
    EXPECT_THAT(message(Trajectory(R"("session_id":"s","steps":[{"source":"user"}])"), fields),
                HasSubstr("step_id is required"));
    EXPECT_THAT(message(Trajectory(R"("steps":[])"), fields),
                HasSubstr("ATIF trajectory requires session_id or trajectory_id"));
  }
}

TEST(AtifWalker, SkippedDocumentsReadNoTurns) {
  const Walked walked =
      Walk(Trajectory(R"("session_id":"s","steps":[{"step_id":1,"source":"user","message":"x"}])"),
           Field::kDocumentId, json::Container::kDocument, {}, true);
  EXPECT_THAT(walked.sink.log, ElementsAre("open s session=s", "end s", "record"));
}

TEST(AtifWalker, StopsWhenTheSinkSaysSo) {
  const json::MemoryInput input("{\"a\":\n" + Trajectory(R"("session_id":"g","steps":[])") + "\n");
  WalkOptions options;
  options.container = json::Container::kLines;
  LogSink sink;
  sink.keep_going = false;
  auto walker = MakeAtifWalker(input, options, {}, sink);
  while (walker->Advance()) {
  }
  EXPECT_EQ(sink.log.size(), 1U);
}

TEST(AtifWalker, CapturedValuesSurviveTheEndOfTheWindow) {
  // Windows of every small size: members of one step straddle refills in all ways.
  const std::string text = Trajectory(
      R"("session_id":"s","steps":[{"message":"first \u4f60 value","step_id":1,"source":"user","extra":{ "k" : [1, 2.50] }}])");
  for (size_t window = 64; window < 400; window += 7) {
    const json::MemoryInput input(text);
    WalkOptions options;
    options.cursor.window_bytes = window;
    const auto stories = Decode(Format::kAtif, input, options);
    ASSERT_TRUE(stories.ok()) << window << ": " << stories.status().ToString();
    ASSERT_EQ(stories->size(), 1U);
    const Turn& turn = (*stories)[0].turns.at(0);
    EXPECT_EQ(turn.message.text, R"("first \u4f60 value")");
    EXPECT_EQ(turn.extra.text, R"({"k":[1,2.50]})");
    EXPECT_EQ(turn.source, "user");
  }
}

TEST(AtifWalker, WrongTypesAreAbsentAndCounted_BR05) {
  const Walked walked = Walk(
      Trajectory(
          R"("session_id":"s","steps":[{"step_id":"7","source":"agent","message":"x","llm_call_count":"many","is_copied_context":1,"model_name":5,"tool_calls":"none"}])"),
      FieldMask::All());
  EXPECT_THAT(walked.sink.notes,
              ElementsAre("number_as_text /steps/0/step_id", "bad_value /steps/0/llm_call_count",
                          "bad_value /steps/0/is_copied_context", "bad_value /steps/0/model_name",
                          "bad_value /steps/0/tool_calls"));
  EXPECT_THAT(walked.sink.log, ElementsAre("open s session=s", "turn s 7@0", "end s", "record"));
}

TEST(AtifWalker, LatencyComesFromTheFirstKeyPresent) {
  const auto latency = [](std::string_view metrics) {
    const json::MemoryInput input(Trajectory(
        R"("session_id":"s","steps":[{"step_id":1,"source":"agent","message":"x","metrics":)" +
        std::string(metrics) + "}]"));
    const auto stories = Decode(Format::kAtif, input, WalkOptions());
    return (*stories)[0].turns.at(0).latency_ms;
  };
  EXPECT_EQ(latency(R"({"elapsed_ms":12.9})"), 12);
  EXPECT_EQ(latency(R"({"duration_ms":3,"latency_ms":-2.5})"), -2);
  EXPECT_EQ(latency(R"({"latency_ms":"soon","elapsed_ms":4})"), std::nullopt);
  EXPECT_EQ(latency(R"("abc")"), std::nullopt);
}

TEST(AtifWalker, ResidualsOfOneTreeShareOneSourceId) {
  const json::MemoryInput input(Trajectory(
      R"("session_id":"s","trajectory_id":"p","vendor":1,"steps":[],"subagent_trajectories":[{)" +
      std::string(kHead) +
      R"(,"trajectory_id":"k","steps":[{"step_id":1,"source":"agent","message":"z","vk":null}]}])"));
  const auto stories = Decode(Format::kAtif, input, WalkOptions());
  ASSERT_TRUE(stories.ok()) << stories.status().ToString();
  ASSERT_EQ(stories->size(), 2U);
  const auto& parent = (*stories)[0].document.unknown;
  const auto& child = (*stories)[1].document.unknown;
  ASSERT_EQ(parent.size(), 1U);
  ASSERT_EQ(child.size(), 1U);
  EXPECT_EQ(parent[0].source_document_id, child[0].source_document_id);
  EXPECT_EQ(parent[0].source_document_id.size(), 64U);
  EXPECT_EQ(parent[0].fields[0].pointer, "/vendor");
  EXPECT_EQ(child[0].fields[0].pointer, "/subagent_trajectories/0/steps/0/vk");
}

TEST(AtifWalker, SourceIdIgnoresOrderAndBlanksButNotNumbers) {
  const auto id = [](std::string text) {
    const json::MemoryInput input(std::move(text));
    const auto stories = Decode(Format::kAtif, input, WalkOptions());
    return std::string((*stories)[0].document.unknown.at(0).source_document_id);
  };
  const std::string base = id(Trajectory(R"("session_id":"s","steps":[],"v":{"b":2,"a":1})"));
  EXPECT_EQ(base, id(Trajectory(R"( "v":{"a": 1,"b":2},"steps":[],"session_id":"s")")));
  EXPECT_NE(base, id(Trajectory(R"("session_id":"s","steps":[],"v":{"b":2.0,"a":1})")));
}

}  // namespace
}  // namespace pchronicle::model
