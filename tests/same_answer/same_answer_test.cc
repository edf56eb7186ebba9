// The rows of a projection are those of a full read, and those of a full read are what was written:
// for every format, projection, predicate and buffer size.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/same_answer/dice.h"
#include "tests/same_answer/documents.h"
#include "tests/same_answer/reading.h"

namespace pchronicle::same_answer {
namespace {

using model::Relation;
using Cells = std::vector<std::vector<std::string>>;

How Columns(Relation relation, const std::vector<std::string>& names) {
  How how;
  for (const std::string& name : names) {
    const auto column = model::FindColumn(relation, name);
    RC_ASSERT(column.has_value());
    how.columns.push_back(*column);
  }
  return how;
}

/// Every random choice of a run comes from one number.
void Throw() {
  const auto seed = *rc::gen::noShrink(rc::gen::resize(100, rc::gen::arbitrary<uint64_t>()));
  Dice::Seed(seed);
}

size_t RandomWindow() {
  return Dice::OneOf<size_t>({64, 65, 100, 127, 256, 1000, 4096, 256 << 10});
}

void ReadsWhatWasWritten(const MadeText& made) {
  RC_LOG() << made.name << "\n" << made.text << "\n";
  How runs = Columns(Relation::kRuns, {"session_id"});
  How steps = Columns(Relation::kSteps, {"session_id", "step_id", "turn_ordinal", "source",
                                         "message_text", "reasoning_content", "had_tool_calls"});
  How calls = Columns(Relation::kToolCalls, {"session_id", "step_id", "call_index", "tool_call_id",
                                             "function_name", "arguments"});
  Cells expected_runs, expected_steps, expected_calls;
  for (const MadeRun& run : made.runs) {
    expected_runs.push_back({run.session_id});
    int64_t ordinal = 0;
    for (const MadeTurn& turn : run.turns) {
      expected_steps.push_back({run.session_id, std::to_string(turn.step_id),
                                std::to_string(ordinal++), turn.source, turn.message_text,
                                turn.reasoning.value_or("<NULL>"), turn.had_calls ? "1" : "0"});
      int64_t index = 0;
      for (const MadeCall& call : turn.calls) {
        expected_calls.push_back({run.session_id, std::to_string(turn.step_id),
                                  std::to_string(index++), call.id, call.name, call.arguments});
      }
    }
  }
  runs.window = steps.window = calls.window = RandomWindow();
  const Rows read_runs = ReadRows(made, Relation::kRuns, runs);
  RC_ASSERT(read_runs.problems.empty());
  RC_ASSERT(read_runs.rows == expected_runs);
  const Rows read_steps = ReadRows(made, Relation::kSteps, steps);
  for (const std::string& problem : read_steps.problems) {
    RC_LOG() << "problem: " << problem << "\n";
  }
  RC_ASSERT(read_steps.rows == expected_steps);
  RC_ASSERT(ReadRows(made, Relation::kToolCalls, calls).rows == expected_calls);
}

RC_GTEST_PROP(SameAnswer, AtifRowsAreWhatWasWritten_STL125, ()) {
  Throw();
  ReadsWhatWasWritten(MakeAtif());
}

RC_GTEST_PROP(SameAnswer, OpenAiRowsAreWhatWasWritten_STL125, ()) {
  Throw();
  ReadsWhatWasWritten(MakeOpenAi());
}

RC_GTEST_PROP(SameAnswer, StorylineRowsAreWhatWasWritten_STL125, ()) {
  Throw();
  ReadsWhatWasWritten(MakeStoryline());
}

RC_GTEST_PROP(SameAnswer, ActfRowsAreWhatWasWritten_STL125, ()) {
  Throw();
  ReadsWhatWasWritten(MakeActf());
}

RC_GTEST_PROP(SameAnswer, ChatRowsAreWhatWasWritten_STL125, ()) {
  Throw();
  ReadsWhatWasWritten(MakeChat());
}

RC_GTEST_PROP(SameAnswer, AgenticMdRowsAreWhatWasWritten_STL125, ()) {
  Throw();
  ReadsWhatWasWritten(MakeAgenticMd());
}

RC_GTEST_PROP(SameAnswer, ProjectionsAndPredicatesGiveTheRowsOfAFullRead_STL125_REL14, ()) {
  Throw();
  const MadeText made = MakeAny();
  const Relation relation = RandomRelation();
  RC_LOG() << model::RelationName(relation) << " of " << made.name << "\n" << made.text << "\n";
  How full;
  full.columns = AllColumns(relation);
  const Rows all = ReadRows(made, relation, full);
  for (const std::string& problem : all.problems) {
    RC_LOG() << "problem: " << problem << "\n";
  }
  RC_ASSERT(all.problems.empty());
  for (int i = 0; i < 4; ++i) {
    How how;
    how.predicates = RandomPredicates(relation, all.rows);
    how.columns = RandomColumns(relation, how.predicates);
    how.window = RandomWindow();
    how.take_rows = Dice::OneOf<size_t>({1, 2, 1000});
    for (const auto& predicate : how.predicates) {
      RC_LOG() << "where " << model::RelationColumns(relation)[predicate.column].field.name
               << " op " << static_cast<int>(predicate.op) << "\n";
    }
    for (const uint16_t column : how.columns) {
      RC_LOG() << model::RelationColumns(relation)[column].field.name << " ";
    }
    RC_LOG() << "window " << how.window << "\n";
    const Rows read = ReadRows(made, relation, how);
    RC_ASSERT(read.problems.empty());
    if (how.columns.empty()) {
      RC_ASSERT(read.rows.size() == all.rows.size());
      continue;
    }
    RC_ASSERT(Filter(read.rows, how.columns, how.predicates, relation) ==
              Filter(Project(all.rows, how.columns), how.columns, how.predicates, relation));
  }
}

void WindowsAgree(const MadeText& made) {
  const Relation relation = RandomRelation();
  RC_LOG() << model::RelationName(relation) << " of " << made.name << "\n" << made.text << "\n";
  How how;
  how.columns = RandomColumns(relation, {});
  how.take_rows = 1'000'000;
  const Rows expected = ReadRows(made, relation, how);
  for (const size_t window : {size_t{64}, size_t{100}, size_t{1000}}) {
    how.window = window;
    const Rows read = ReadRows(made, relation, how);
    RC_ASSERT(read.rows == expected.rows);
    RC_ASSERT(read.problems == expected.problems);
    RC_ASSERT(read.open_tail == expected.open_tail);
  }
}

RC_GTEST_PROP(SameAnswer, TheBufferChangesNothingInDamagedTextEither_STL112, ()) {
  Throw();
  MadeText made = MakeAny();
  const size_t at = Dice::Index(made.text.size() + 1);
  switch (Dice::Number(1, 3)) {
    case 1:
      made.text.insert(at, 1, static_cast<char>(Dice::Number(-128, 127)));
      break;
    case 2:
      made.text.insert(at, Dice::OneOf<std::string>({"\"", "\\", "{", "]", ",", "\n", "\xe6"}));
      break;
    default:
      made.text.erase(at, 1);
      break;
  }
  if (Dice::Chance(50) && made.text.ends_with("\n")) {
    made.text.pop_back();  // a last line without its end may be an open tail (BR-11)
  }
  WindowsAgree(made);
}

RC_GTEST_PROP(SameAnswer, TheBufferChangesNothingInCutText_STL112_BR11, ()) {
  Throw();
  MadeText made = MakeAny();
  made.text.resize(Dice::Index(made.text.size() + 1));
  WindowsAgree(made);
}

/// Text of lines whose records stand alone, damaged or cut or neither.
MadeText MakeLinesForRanges() {
  while (true) {
    MadeText made = Dice::Chance(50) ? MakeAtif() : Dice::Chance(50) ? MakeActf() : MakeStoryline();
    if (made.container != json::Container::kLines) {
      continue;
    }
    if (Dice::Chance(40)) {
      made.text.resize(Dice::Index(made.text.size() + 1));
    } else if (Dice::Chance(50)) {
      made.text.erase(Dice::Index(made.text.size()), 1);
    }
    if (Dice::Chance(10)) {
      made.text.insert(0, static_cast<size_t>(Dice::Number(1, 100)), '\n');
    }
    return made;
  }
}

RC_GTEST_PROP(SameAnswer, RangesOfLinesGiveTheRowsOfTheWhole_STL112_STL128_BR11, ()) {
  Throw();
  const MadeText made = MakeLinesForRanges();
  const Relation relation = Dice::OneOf<Relation>({Relation::kSteps, Relation::kToolCalls});
  RC_LOG() << model::RelationName(relation) << " of " << made.name << "\n" << made.text << "\n";
  // What does not depend on other records of the file.
  How how = relation == Relation::kSteps
                ? Columns(relation, {"session_id", "step_id", "source", "message_text", "extra"})
                : Columns(relation, {"session_id", "step_id", "function_name", "arguments"});
  how.take_rows = 1'000'000;
  const Rows expected = ReadRows(made, relation, how);
  how.window = RandomWindow();
  for (int64_t i = Dice::Number(1, 4); i > 0; --i) {
    how.cuts.push_back(Dice::Index(made.text.size() + 1));
  }
  std::sort(how.cuts.begin(), how.cuts.end());
  const Rows read = ReadRows(made, relation, how);
  RC_ASSERT(read.rows == expected.rows);
  RC_ASSERT(read.problems == expected.problems);
  RC_ASSERT(read.open_tail == expected.open_tail);
}

// What the properties found once, on its own.

Rows ReadColumns(model::Format format, const std::string& name, const std::string& text,
                 Relation relation, const std::vector<std::string>& columns, size_t window) {
  MadeText made;
  made.format = format;
  made.name = name;
  made.text = text;
  made.container = name.ends_with("l") ? json::Container::kLines : json::Container::kDocument;
  How how;
  for (const std::string& column : columns) {
    how.columns.push_back(model::FindColumn(relation, column).value());
  }
  how.window = window;
  return ReadRows(made, relation, how);
}

TEST(SameAnswer, ResidualsThatAreAskedForAloneCountThoseOfTheSteps) {
  const Rows rows = ReadColumns(
      model::Format::kAtif, "a.json",
      R"({"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a","version":"1"},)"
      R"("steps":[{"step_id":1,"source":"user","message":"m","odd":1}],"vendor":2})",
      Relation::kRuns, {"unknown_key_counts"}, 4096);
  EXPECT_EQ(rows.rows, (Cells{{R"({"atif":{"/steps/*/odd":1,"/vendor":1}})"}}));
}

TEST(SameAnswer, ResidualsOfAChatRowNameItsOriginWhateverElseIsAskedFor) {
  const Rows rows =
      ReadColumns(model::Format::kHfChat, "c.json",
                  R"([{"id":"x","messages":[{"role":"user","content":"q"}],"vendor":[]}])",
                  Relation::kRuns, {"unknown_fields"}, 4096);
  EXPECT_EQ(
      rows.rows,
      (Cells{
          {R"({"sources":{"hf-chat":{"source_document_id":"c.json#0","fields":{"/0/vendor":[]}}}})"}}));
}

TEST(SameAnswer, APartWhoseTypeIsWrittenWithEscapesIsText_HF03) {
  const Rows rows = ReadColumns(
      model::Format::kHfChat, "c.json",
      R"([{"id":"x","messages":[{"role":"user","content":[{"type":"te\u0078t","value":"q"}]}]}])",
      Relation::kSteps, {"message_value", "message_text"}, 4096);
  EXPECT_EQ(rows.rows, (Cells{{R"("q")", "q"}}));
}

TEST(SameAnswer, ACutLastLineIsOpenInASmallBufferToo_BR11) {
  // Turns before the agent: the head has to be read ahead, and there it ends.
  const std::string text =
      R"({"schema_version":"storyline/v1","turns":[{"id":1,"src":"user","msg":"x"}],"session": "w",)";
  for (const size_t window : {size_t{64}, size_t{256 << 10}}) {
    const Rows rows = ReadColumns(model::Format::kStoryline, "s.jsonl", text, Relation::kSteps,
                                  {"step_id"}, window);
    EXPECT_TRUE(rows.open_tail) << window;
    EXPECT_TRUE(rows.problems.empty()) << window;
    EXPECT_TRUE(rows.rows.empty()) << window;
  }
}

// What stands in a last line that is cut off counts neither as rows nor as problems, though parts
// of it were read well, or badly, before its end was seen.

TEST(SameAnswer, ABadChildInACutLastLineIsNoProblem_BR11) {
  const std::string head = R"({"schema_version":"ATIF-v1.4","session_id":"s",)"
                           R"("agent":{"name":"a","version":"1"},)";
  const std::string good = head + R"("steps":[{"step_id":1,"source":"user","message":"m"}]})";
  const std::string cut = head + R"("subagent_trajectories":[{"session_id":7}],"steps":[)" +
                          R"({"step_id":1,"source":"user","message":"m"},)" + std::string(500, ' ');
  for (const size_t window : {size_t{64}, size_t{256 << 10}}) {
    const Rows rows = ReadColumns(model::Format::kAtif, "a.jsonl", good + "\n" + cut,
                                  Relation::kSteps, {"document_id", "step_id"}, window);
    EXPECT_TRUE(rows.open_tail) << window;
    EXPECT_EQ(rows.problems, std::vector<std::string>()) << window;
    EXPECT_EQ(rows.rows, (Cells{{"s", "1"}})) << window;
    // The same child in a line that ends.
    const Rows whole = ReadColumns(model::Format::kAtif, "a.jsonl", good + "\n" + cut + "\n",
                                   Relation::kSteps, {"document_id", "step_id"}, window);
    EXPECT_EQ(whole.problems.size(), 2U) << window;
  }
}

TEST(SameAnswer, RowsOfACutEnvelopeAreTakenBack_BR11_STL129) {
  const auto row = [](const std::string& session, int step, const std::string& more) {
    return fmt::format(
        R"({{"session_id":"{}","step_id":{}{},"messages":[{{"role":"user","content":"q"}}],)"
        R"("response":{{"role":"assistant","content":"a"}}}})",
        session, step, more);
  };
  const std::string text = row("a", 1, "") + "\n" + R"({"session_steps":[)" +
                           row("a", 2, R"(,"run_id":"r")") + "," + row("b", 1, "") + "," +
                           row("a", 0, "") + "," + std::string(500, ' ');
  for (const size_t window : {size_t{64}, size_t{256 << 10}}) {
    const Rows rows = ReadColumns(model::Format::kOpenAiMessages, "session_steps.jsonl", text,
                                  Relation::kRuns, {"session_id", "run_id"}, window);
    EXPECT_TRUE(rows.open_tail) << window;
    EXPECT_EQ(rows.problems, std::vector<std::string>()) << window;
    EXPECT_EQ(rows.rows, (Cells{{"a", "<NULL>"}})) << window;
  }
}

TEST(SameAnswer, BlankLinesOfAFirstRangeAreNoEmptyDocument_STL112) {
  MadeText made;
  made.format = model::Format::kAtif;
  made.name = "a.jsonl";
  made.container = json::Container::kLines;
  made.text =
      std::string(100, '\n') +
      R"({"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a","version":"1"},)"
      R"("steps":[]})"
      "\n";
  How how;
  how.columns = {model::FindColumn(Relation::kRuns, "session_id").value()};
  how.cuts = {50};
  const Rows rows = ReadRows(made, Relation::kRuns, how);
  EXPECT_EQ(rows.problems, std::vector<std::string>());
  EXPECT_EQ(rows.rows, (Cells{{"s"}}));
}

}  // namespace
}  // namespace pchronicle::same_answer
