// The rows of a projection are those of a full read, and those of a full read are what was written:
// for every format, projection, predicate and buffer size.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

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
  // A last line without its end is tried whole where it fits the buffer, and then more is seen.
  made.text += made.container == json::Container::kLines ? "\n" : "";
  WindowsAgree(made);
}

RC_GTEST_PROP(SameAnswer, TheBufferChangesNothingInCutText_STL112_BR11, ()) {
  Throw();
  MadeText made = MakeAny();
  made.text.resize(Dice::Index(made.text.size() + 1));
  WindowsAgree(made);
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

}  // namespace
}  // namespace pchronicle::same_answer
