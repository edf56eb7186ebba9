#include "pchronicle/model/storyline/walker.h"

#include <gtest/gtest.h>

#include "pchronicle/model/decode.h"
#include "pchronicle/model/first_problems.h"
#include "pchronicle/model/storyline/encoder.h"

namespace pchronicle::model {
namespace {

/// A sink that notes what it is told, in order.
class TraceSink final : public DocumentSink {
 public:
  Wish OnDocument(const Document& document) override {
    trace += fmt::format("doc {} {};", document.ordinal, document.document_id);
    return wish;
  }
  void OnTurn(const Document&, const Turn& turn) override {
    trace += fmt::format("turn {} calls {};", turn.id, turn.call_count);
    last_message = std::string(turn.message.text);
    last_model = turn.model ? std::string(*turn.model) : "-";
  }
  void OnDocumentEnd(const Document& document) override {
    trace += fmt::format("end {};", document.notes.value_or("-"));
  }
  void OnRecordEnd() override { trace += "record;"; }
  void OnDocumentLost(const Document& document) override {
    trace += fmt::format("lost {};", document.document_id);
  }
  bool OnProblem(Problem problem) override {
    trace += fmt::format("problem {};", problem.status.message());
    problems.push_back(std::move(problem));
    return true;
  }
  void OnDiagnostic(const Document*, std::string_view code, std::string_view pointer,
                    std::string_view) override {
    trace += fmt::format("note {} {};", code, pointer);
  }

  Wish wish = Wish::kTurns;
  std::string trace, last_message, last_model;
  std::vector<Problem> problems;
};

std::string Walk(const std::string& text, TraceSink& sink, WalkOptions options = {},
                 const SourceNotes& notes = {}) {
  const json::MemoryInput input(text);
  const auto walker = MakeStorylineWalker(input, options, notes, sink);
  while (walker->Advance()) {
  }
  EXPECT_FALSE(walker->needs_second_pass());
  return sink.trace;
}

constexpr char kTwo[] =
    R"({"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"turns":[{"id":1,"src":"user","msg":"m"},)"
    R"({"id":2,"src":"agent","msg":"n","model":"M","tool_calls":[{"tcid":"c","fn":"f","args":1},{"bad":1}]}],"notes":"N"})";

TEST(StorylineWalker, HandsOutTurnsAsTheyAreRead) {
  TraceSink sink;
  WalkOptions options;
  options.fields = Field::kDocumentId | Field::kMessage | Field::kNotes;
  EXPECT_EQ(Walk(kTwo, sink, options), "doc 0 s;turn 1 calls 0;turn 2 calls 2;end N;record;");
  EXPECT_EQ(sink.last_message, "\"n\"");
  EXPECT_EQ(sink.last_model, "-") << "not asked for";
}

TEST(StorylineWalker, SkippedTurnsAreNotRead) {
  TraceSink sink;
  sink.wish = DocumentSink::Wish::kSkip;
  WalkOptions options;
  options.fields = Field::kDocumentId | Field::kMessage;
  EXPECT_EQ(Walk(kTwo, sink, options), "doc 0 s;end -;record;");
}

TEST(StorylineWalker, ACheckOfEverythingReadsWhatTheSinkSkips) {
  TraceSink sink;
  sink.wish = DocumentSink::Wish::kSkip;
  EXPECT_EQ(Walk(kTwo, sink),
            "doc 0 s;turn 1 calls 0;lost s;problem turns[1].tool_calls[1]: unknown field 'bad';");
  EXPECT_EQ(sink.problems[0].pointer, "/turns/1/tool_calls/1/bad");
}

TEST(StorylineWalker, ALostLineCostsOnlyItself) {
  TraceSink sink;
  WalkOptions options;
  options.container = json::Container::kLines;
  options.fields = Field::kDocumentId | Field::kNotes;
  const std::string good =
      R"({"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"turns":[]})";
  const std::string trace =
      Walk(good + "\n{\"schema_version\":\"storyline/v1\",,}\n[]\n" + good + "\n", sink, options);
  ASSERT_EQ(sink.problems.size(), 2u) << trace;
  EXPECT_FALSE(sink.problems[0].whole_source);
  EXPECT_TRUE(trace.ends_with("doc 3 s~2;end -;record;")) << trace;
}

TEST(StorylineWalker, SyntaxInADocumentCostsTheSource) {
  const json::MemoryInput input(
      R"([{"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"turns":[]},{"schema_version"}])");
  const Result<Decoded> decoded = DecodeAll(Format::kStoryline, input, {}, true);
  ASSERT_TRUE(decoded.ok());
  ASSERT_EQ(decoded->problems.size(), 1u);
  EXPECT_TRUE(decoded->problems[0].whole_source);
  EXPECT_TRUE(decoded->storylines.empty());
}

TEST(StorylineWalker, AnInvalidElementCostsOnlyItself) {
  const std::string good =
      R"({"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"turns":[]})";
  const json::MemoryInput input("[" + good + ",{\"turns\":[{}]},7," + good + "]");
  const Result<Decoded> decoded = DecodeAll(Format::kStoryline, input, {}, true);
  ASSERT_TRUE(decoded.ok());
  ASSERT_EQ(decoded->problems.size(), 2u);
  EXPECT_EQ(decoded->problems[0].location, "array element 1");
  EXPECT_EQ(decoded->problems[1].location, "array element 2");
  ASSERT_EQ(decoded->storylines.size(), 2u);
  EXPECT_EQ(decoded->storylines[1].document.document_id, "s~2");
}

TEST(StorylineWalker, OfManyBadElementsTheFirstAreKeptAndTheLastStillLosesTheSource) {
  constexpr uint64_t kBad = FirstProblems::kMost + 500;
  std::string text =
      R"([{"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"turns":[]})";
  for (uint64_t i = 0; i < kBad; ++i) {
    text += ",7";
  }
  for (const bool breaks : {false, true}) {
    const json::MemoryInput input(text + (breaks ? ",{\"schema_version\"}]" : "]"));
    const Result<Decoded> decoded = DecodeAll(Format::kStoryline, input, {}, true);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(decoded->problems.size(), FirstProblems::kMost);
    EXPECT_EQ(decoded->problems_left_out, 500U + (breaks ? 1 : 0));
    EXPECT_EQ(decoded->storylines.size(), breaks ? 0U : 1U);
  }
}

TEST(StorylineWalker, HeadsAreLookedUpAheadOfTurns_STL126) {
  TraceSink sink;
  WalkOptions options;
  options.fields = Field::kDocumentId | Field::kMessage;
  EXPECT_EQ(
      Walk(
          R"({"turns":[{"id":4,"src":"user","msg":1}],"agent":{"id":"a"},"trajectory":"t","session":"s",)"
          R"("schema_version":"storyline/v1"})",
          sink, options),
      "doc 0 t;turn 4 calls 0;end -;record;");
}

TEST(StorylineWalker, ALateIdAsksForASecondPass_STL127) {
  const json::MemoryInput input(
      R"({"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"turns":[{"id":4,"src":"user","msg":1}],"trajectory":"t"})");
  TraceSink first;
  const auto walker = MakeStorylineWalker(input, {}, {}, first);
  while (walker->Advance()) {
  }
  EXPECT_TRUE(walker->needs_second_pass());
  TraceSink second;
  const auto again = MakeStorylineWalker(input, {}, walker->notes(), second);
  while (again->Advance()) {
  }
  EXPECT_FALSE(again->needs_second_pass());
  EXPECT_EQ(second.trace, "doc 0 t;turn 4 calls 0;end -;record;");
}

TEST(StorylineWalker, ARecordKnownToBeBadIsToldOnceMoreWithoutRows_STL127) {
  const std::string text =
      R"({"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"turns":[{"id":4,"src":"user","msg":1}],"x":1})";
  const json::MemoryInput input(text);
  TraceSink first;
  const auto walker = MakeStorylineWalker(input, {}, {}, first);
  while (walker->Advance()) {
  }
  EXPECT_EQ(first.trace, "doc 0 s;turn 4 calls 0;lost s;problem unknown field 'x';");
  TraceSink second;
  const auto again = MakeStorylineWalker(input, {}, walker->notes(), second);
  while (again->Advance()) {
  }
  EXPECT_EQ(second.trace, "problem unknown field 'x';");
}

TEST(StorylineWalker, OddInputIsNoted) {
  TraceSink sink;
  const std::string trace = Walk(
      R"({"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"notes":"\ud800","turns":[)"
      R"({"id":1,"src":"user","msg":NaN,"ts":"2026-01-01 00:00:00"},{"id":1,"src":"user","msg":"b","msg":"c"}]})",
      sink);
  EXPECT_NE(trace.find("note lone_surrogate /notes;"), std::string::npos) << trace;
  EXPECT_NE(trace.find("note non_finite_number /turns/0/msg;"), std::string::npos) << trace;
  EXPECT_NE(trace.find("note timestamp_without_zone /turns/0/ts;"), std::string::npos) << trace;
  EXPECT_NE(trace.find("note duplicate_key /turns/1/msg;"), std::string::npos) << trace;
  EXPECT_NE(trace.find("note duplicate_step_id /turns/1/id;"), std::string::npos) << trace;
  EXPECT_EQ(sink.last_message, "\"c\"") << "of equal keys the last one counts";
}

TEST(StorylineWalker, TheLastLineMayStillBeWritten_BR11) {
  const json::MemoryInput input(
      "{\"schema_version\":\"storyline/"
      "v1\",\"session\":\"s\",\"agent\":{\"id\":\"a\"},\"turns\":[]}\n{\"schema_ver");
  WalkOptions options;
  options.container = json::Container::kLines;
  TraceSink sink;
  const auto walker = MakeStorylineWalker(input, options, {}, sink);
  while (walker->Advance()) {
  }
  EXPECT_TRUE(walker->open_tail());
  EXPECT_EQ(sink.trace, "doc 0 s;end -;record;");
}

TEST(StorylineWalker, SmallWindowsGiveTheSameAnswer_D29) {
  std::string text =
      R"({"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"turns":[)";
  for (int i = 0; i < 200; ++i) {
    text += fmt::format(R"({}{{"id":{},"src":"user","msg":"{}","extra":{{"k":[{}]}}}})",
                        i == 0 ? "" : ",", i, std::string(static_cast<size_t>(i) * 7, 'x'), i);
  }
  text += "]}";
  const json::MemoryInput input(text);
  WalkOptions small;
  small.cursor.window_bytes = 64;
  const auto wide = Decode(Format::kStoryline, input, {});
  const auto narrow = Decode(Format::kStoryline, input, small);
  ASSERT_TRUE(wide.ok() && narrow.ok()) << narrow.status().ToString();
  EXPECT_EQ(*EncodeStoryline(*wide, {}, nullptr), *EncodeStoryline(*narrow, {}, nullptr));
}

}  // namespace
}  // namespace pchronicle::model
