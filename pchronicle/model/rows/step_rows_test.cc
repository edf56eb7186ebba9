#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "pchronicle/model/rows/rows_test_support.h"

namespace pchronicle::model {
namespace {

using testing::Columns;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RowTexts;
using testing::ScriptDocument;
using testing::ScriptedWalk;
using testing::Select;
using testing::Where;
using Op = RowPredicate::Op;

constexpr Relation kSteps = Relation::kSteps;

ScriptDocument Dialogue() {
  return {
      .document_id = "d",
      .session_id = "s",
      .turns = {{.id = 1, .source = "user", .message = R"("a \"b\"\n\u00e9")"},
                {.id = 3,
                 .source = "agent",
                 .message = R"([ {"type":"text", "text":"x"}, {"type":"image"}, {"text":"y"} ])"},
                {.id = 3, .source = "agent", .message = "null", .calls = {{.id = "c"}}},
                {.id = 0, .source = "system", .message = R"({"k": 1.50})"},
                {.id = 5, .source = "tool", .message = "\"\""}},
      .edit = [](Document& document) { document.run_id = "r"; }};
}

TEST(StepRows, IdsStandInEveryRowAndStepIdsAsGiven_BR32) {
  EXPECT_THAT(
      Select(kSteps, {"_file_", "document_id", "run_id", "session_id", "step_id", "turn_ordinal"},
             {Dialogue()}),
      ElementsAre("dir/a.json|d|r|s|1|0", "dir/a.json|d|r|s|3|1", "dir/a.json|d|r|s|3|2",
                  "dir/a.json|d|r|s|0|3", "dir/a.json|d|r|s|5|4"));
}

TEST(StepRows, MessagesHaveAKindAMinifiedValueAndAText_STL115) {
  EXPECT_THAT(Select(kSteps, {"message_kind", "message_value", "message_text"}, {Dialogue()}),
              ElementsAre("text|\"a \\\"b\\\"\\n\\u00e9\"|a \"b\"\n\u00e9",
                          R"(parts|[{"type":"text","text":"x"},{"type":"image"},{"text":"y"}]|x)"
                          "\n\ny",
                          "null|null|NULL", R"(json|{"k":1.50}|NULL)", "text|\"\"|"));
}

TEST(StepRows, OneColumnTypeWhateverTheValue_BR34) {
  ScriptDocument document{.document_id = "d"};
  for (const char* message : {"\"s\"", "[1]", "{}", "null", "7", "true"}) {
    document.turns.push_back({.message = message});
  }
  EXPECT_THAT(
      Select(kSteps, {"message_value", "message_kind"}, {document}),
      ElementsAre("\"s\"|text", "[1]|parts", "{}|json", "null|null", "7|json", "true|json"));
}

TEST(StepRows, LoneSurrogatesAndNonFiniteTokensAreReplacedInCells) {
  EXPECT_THAT(Select(kSteps, {"message_value", "metrics"},
                     {{.document_id = "d",
                       .turns = {{.message = R"("\ud83d")", .metrics = R"({"x": NaN})"}}}}),
              ElementsAre(R"("\ufffd"|{"x":null})"));
}

TEST(StepRows, EffectiveKindFollowsSourceAndCalls_STL036) {
  EXPECT_THAT(Select(kSteps, {"kind", "effective_kind"}, {Dialogue()}),
              ElementsAre("NULL|dialogue", "NULL|dialogue", "NULL|autonomous", "NULL|internal",
                          "NULL|dialogue"));
}

TEST(StepRows, TimestampTextIsAsWrittenAlsoWhenItCouldNotBeRead) {
  const auto stamped = [](std::string_view scalar, std::optional<int64_t> nanoseconds) {
    return [=](Turn& turn) { turn.timestamp = {json::RawFromText(scalar), nanoseconds}; };
  };
  EXPECT_THAT(
      Select(kSteps, {"timestamp", "timestamp_text"},
             {{.document_id = "d",
               .turns = {{.edit = stamped("\"2026-01-01T00:00:00+08:00\"", 5)},
                         {.edit = stamped("1767225600.5", 6)},
                         {.edit = stamped("\"yesterday\"", std::nullopt)},
                         {}}}}),
      ElementsAre("5|2026-01-01T00:00:00+08:00", "6|1767225600.5", "NULL|yesterday", "NULL|NULL"));
}

TEST(StepRows, TypedMetricsComeFromTheMetrics) {
  EXPECT_THAT(
      Select(
          kSteps,
          {"prompt_tokens", "cost_usd", "reward", "prompt_token_ids", "logprobs", "metrics"},
          {{.document_id = "d",
            .turns =
                {{.metrics =
                      R"({"prompt_tokens":12,"cost_usd":0.5,"reward":1,"prompt_token_ids":[1,2],"logprobs":[null,-1]})"},
                 {.metrics = R"("abc")"},
                 {}}}}),
      ElementsAre(
          R"(12|0.5|1|[1,2]|[NULL,-1]|{"prompt_tokens":12,"cost_usd":0.5,"reward":1,"prompt_token_ids":[1,2],"logprobs":[null,-1]})",
          R"(NULL|NULL|NULL|NULL|NULL|"abc")", "NULL|NULL|NULL|NULL|NULL|NULL"));
}

TEST(StepRows, ABadMetricIsANullWithPointerAndValue_BR05) {
  const auto sink = MakeRowSink(
      {.relation = kSteps, .columns = Columns(kSteps, {"prompt_tokens", "prompt_token_ids"})});
  ScriptedWalk(*sink).Play(
      {.document_id = "d",
       .turns = {
           {.metrics = R"({"prompt_tokens":3})"},
           {.metrics = R"({"prompt_tokens":"12","prompt_token_ids":[1,"x"],"cost_usd":"no"})"}}});
  EXPECT_THAT(RowTexts(sink->batch()), ElementsAre("3|NULL", "NULL|NULL"));
  const std::vector<Diagnostic> notes = sink->diagnostics().Sorted();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].code, "bad_value");
  EXPECT_EQ(notes[0].pointer, "/steps/1/metrics/prompt_tokens");
  EXPECT_EQ(notes[0].example, "\"12\"");
  EXPECT_EQ(notes[0].count, 2u) << "cost_usd was not asked for";
}

TEST(StepRows, CountingBuildsNoCell_STL121) {
  const auto sink = MakeRowSink({.relation = kSteps});
  ScriptedWalk(*sink).Play(Dialogue());
  EXPECT_EQ(sink->batch().rows, 5u);
  EXPECT_THAT(sink->batch().columns, IsEmpty());
  EXPECT_EQ(sink->batch().text->bytes(), 0u);
}

TEST(StepRows, ASessionFilterPrunesWholeDocumentsAndJudgesChildrenAlone_STL114) {
  const auto sink =
      MakeRowSink({.relation = kSteps,
                   .columns = Columns(kSteps, {"step_id"}),
                   .predicates = {Where(kSteps, "session_id", Op::kEq, {std::string("child")})}});
  ScriptedWalk walk(*sink);
  walk.Play({.document_id = "parent",
             .turns = {{.id = 1}},
             .children = {{.document_id = "child", .turns = {{.id = 2}}}}});
  EXPECT_THAT(RowTexts(sink->batch()), ElementsAre("2"));
  EXPECT_EQ(walk.turns_played(), 1u) << "the parent's turns are not even read";
  EXPECT_EQ(sink->counters().documents_scanned, 2u);
  EXPECT_EQ(sink->counters().documents_pruned, 1u);
}

TEST(StepRows, StepAndSourceFiltersPruneRows_STL113) {
  EXPECT_THAT(Select(kSteps, {"turn_ordinal"}, {Dialogue()},
                     {Where(kSteps, "source", Op::kEq, {std::string("agent")})}),
              ElementsAre("1", "2"));
  EXPECT_THAT(
      Select(kSteps, {"turn_ordinal"}, {Dialogue()},
             {Where(kSteps, "source", Op::kNotIn, {std::string("agent"), std::string("user")})}),
      ElementsAre("3", "4"));
  EXPECT_THAT(Select(kSteps, {"turn_ordinal"}, {Dialogue()},
                     {Where(kSteps, "step_id", Op::kGe, {int64_t{1}}),
                      Where(kSteps, "step_id", Op::kLt, {int64_t{5}})}),
              ElementsAre("0", "1", "2"));
}

TEST(StepRows, NullSatisfiesOnlyIsNull) {
  ScriptDocument document{
      .document_id = "d",
      .turns = {{.edit = [](Turn& turn) { turn.model = "m"; }}, {.edit = [](Turn&) {}}}};
  const auto rows = [&](Op op, std::vector<std::variant<int64_t, std::string>> values) {
    return Select(kSteps, {"turn_ordinal"}, {document},
                  {Where(kSteps, "model_name", op, std::move(values))});
  };
  EXPECT_THAT(rows(Op::kEq, {std::string("m")}), ElementsAre("0"));
  EXPECT_THAT(rows(Op::kNe, {std::string("m")}), IsEmpty());
  EXPECT_THAT(rows(Op::kNotIn, {std::string("x")}), ElementsAre("0"));
  EXPECT_THAT(rows(Op::kIsNull, {}), ElementsAre("1"));
  EXPECT_THAT(rows(Op::kIsNotNull, {}), ElementsAre("0"));
}

TEST(StepRows, ContainsOnMessageTextSeesTheDecodedCharacters_ADD02) {
  ScriptDocument document{.document_id = "d",
                          .turns = {{.message = R"("plain needle here")"},
                                    {.message = R"("esc\u0061ped n\u0065edle")"},
                                    {.message = R"("\needle")"},
                                    {.message = R"([{"text":"a needle"}])"},
                                    {.message = R"({"text":"needle"})"},
                                    {.message = R"("nee\/dle path/x")"}}};
  const auto rows = [&](std::string needle) {
    return Select(kSteps, {"turn_ordinal"}, {document},
                  {Where(kSteps, "message_text", Op::kContains, {std::move(needle)})});
  };
  EXPECT_THAT(rows("needle"), ElementsAre("0", "1", "3"));
  EXPECT_THAT(rows("nee/dle"), ElementsAre("5"));
  EXPECT_THAT(rows("\needle"), ElementsAre("2"));
  EXPECT_THAT(rows(""), ElementsAre("0", "1", "2", "3", "5"));
}

TEST(StepRows, ContainsOnAJsonCellSeesTheMinifiedText) {
  EXPECT_THAT(Select(kSteps, {"turn_ordinal"},
                     {{.document_id = "d",
                       .turns = {{.message = R"({ "a" : 1 })"}, {.message = R"({"b":1})"}}}},
                     {Where(kSteps, "message_value", Op::kContains, {std::string(R"("a":1)")})}),
              ElementsAre("0"));
}

TEST(StepRows, APredicateOfAnotherTypeOrOnAListKeepsTheRow) {
  EXPECT_THAT(Select(kSteps, {"turn_ordinal"},
                     {{.document_id = "d", .turns = {{.metrics = R"({"logprobs":[1]})"}, {}}}},
                     {Where(kSteps, "step_id", Op::kEq, {std::string("7")}),
                      Where(kSteps, "logprobs", Op::kIsNotNull)}),
              ElementsAre("0"));
}

TEST(StepRows, TextOutlivesTheSinkThroughTheArenaOfTheBatch_D30) {
  std::shared_ptr<Arena> arena;
  std::string_view text;
  {
    const auto sink = MakeRowSink({.relation = kSteps,
                                   .columns = Columns(kSteps, {"_file_", "message_text"}),
                                   .file = "a-long-file-name.json"});
    ScriptedWalk(*sink).Play(Dialogue());
    arena = sink->batch().text;
    text = sink->batch().columns[0].texts()[4];
  }
  EXPECT_EQ(text, "a-long-file-name.json");
}

TEST(StepRows, IdsAreCopiedAgainAfterTheBatchWasTaken) {
  const auto sink = MakeRowSink({.relation = kSteps,
                                 .columns = Columns(kSteps, {"_file_", "document_id", "run_id"}),
                                 .file = "f"});
  Document document = testing::NamedDocument("d");
  document.run_id = "r";
  sink->OnDocument(document);
  for (int i = 0; i < 3; ++i) {
    sink->OnTurn(document, ScriptedWalk::ToTurn({}, i));
    EXPECT_THAT(RowTexts(sink->batch()), ElementsAre("f|d|r"));
    const std::shared_ptr<Arena> held = i == 1 ? sink->batch().text : nullptr;
    sink->batch().Clear();
  }
}

TEST(StepRows, RowsOfALostChildAreTakenBack_BR08) {
  const auto sink = MakeRowSink({.relation = kSteps, .columns = Columns(kSteps, {"step_id"})});
  Document parent = testing::NamedDocument("p");
  Document child = testing::NamedDocument("c");
  child.ordinal = 1;
  child.depth = 1;
  sink->OnDocument(parent);
  sink->OnTurn(parent, ScriptedWalk::ToTurn({.id = 1}, 0));
  sink->OnDocument(child);
  sink->OnTurn(child, ScriptedWalk::ToTurn({.id = 77}, 0));
  sink->OnDocumentEnd(child);
  sink->OnTurn(parent, ScriptedWalk::ToTurn({.id = 2}, 1));
  sink->OnDocumentLost(child);
  sink->OnTurn(parent, ScriptedWalk::ToTurn({.id = 3}, 2));
  EXPECT_THAT(RowTexts(sink->batch()), ElementsAre("1", "2", "3"));
  EXPECT_FALSE(sink->needs_second_pass());
  EXPECT_EQ(sink->counters().rows_emitted, 3u);
  sink->OnDocumentLost(parent);
  EXPECT_THAT(RowTexts(sink->batch()), IsEmpty());
  EXPECT_FALSE(sink->needs_second_pass());
  EXPECT_EQ(sink->counters().rows_emitted, 0u);
}

TEST(StepRows, ALostDocumentWhoseRowsLeftNeedsASecondPass_STL127) {
  const auto sink = MakeRowSink({.relation = kSteps, .columns = Columns(kSteps, {"step_id"})});
  const Document document = testing::NamedDocument("p");
  sink->OnDocument(document);
  sink->OnTurn(document, ScriptedWalk::ToTurn({.id = 1}, 0));
  sink->batch().Clear();
  sink->OnTurn(document, ScriptedWalk::ToTurn({.id = 2}, 1));
  sink->OnDocumentLost(document);
  EXPECT_TRUE(sink->needs_second_pass());
  EXPECT_EQ(sink->batch().rows, 0u);
}

TEST(StepRows, NotesOfALostDocumentDoNotCount) {
  const auto sink =
      MakeRowSink({.relation = kSteps, .columns = Columns(kSteps, {"prompt_tokens"})});
  Document document = testing::NamedDocument("p");
  sink->OnDiagnostic(&document, "early", "/x", "");
  sink->OnDocument(document);
  sink->OnTurn(document, ScriptedWalk::ToTurn({.metrics = "7"}, 0));
  sink->OnDocumentLost(document);
  sink->OnDiagnostic(nullptr, "of_source", "", "");
  sink->OnRecordEnd();
  EXPECT_EQ(sink->diagnostics().Sorted().size(), 1u);
}

TEST(StepRows, ProblemsStopTheWalkUnlessTheyAreKept) {
  const Problem problem{.status = Status::Corruption("x"), .location = {}, .pointer = {}};
  const auto strict = MakeRowSink({.relation = kSteps});
  EXPECT_FALSE(strict->OnProblem(problem));
  const auto report = MakeRowSink({.relation = kSteps, .keep_problems = true});
  EXPECT_TRUE(report->OnProblem(problem));
  EXPECT_EQ(report->problems().size(), 1u);
}

/// A predicate is a hint: with it a scan gives exactly the rows a full scan and a filter would
/// give, for texts that need no escape, escapes and \u escapes alike.
RC_GTEST_PROP(StepRows, FilteringInTheScanEqualsFilteringAfterIt_STL125, ()) {
  const auto text =
      rc::gen::container<std::string>(rc::gen::element('a', 'b', '"', '\n', '/', ' '));
  const auto texts = *rc::gen::container<std::vector<std::string>>(text);
  const std::string needle = *text;
  ScriptDocument document{.document_id = "d"};
  for (const std::string& message : texts) {
    std::string quoted;
    json::AppendQuoted(message, quoted);
    if (*rc::gen::arbitrary<bool>() && quoted.find('a') != std::string::npos) {
      quoted.replace(quoted.find('a'), 1, "\\u0061");
    }
    document.turns.push_back({.message = quoted});
  }
  const Op op = *rc::gen::element(Op::kContains, Op::kEq, Op::kPrefix, Op::kLt, Op::kGe, Op::kNe);
  std::vector<std::string> expected;
  for (const std::string& message : texts) {
    const bool keep = op == Op::kContains ? message.find(needle) != std::string::npos
                      : op == Op::kEq     ? message == needle
                      : op == Op::kPrefix ? message.starts_with(needle)
                      : op == Op::kLt     ? message < needle
                      : op == Op::kGe     ? message >= needle
                                          : message != needle;
    if (keep) {
      expected.push_back(message);
    }
  }
  RC_ASSERT(Select(kSteps, {"message_text"}, {document},
                   {Where(kSteps, "message_text", op, {needle})}) == expected);
}

}  // namespace
}  // namespace pchronicle::model
