#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pchronicle/model/rows/rows_test_support.h"

namespace pchronicle::model {
namespace {

using testing::Columns;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::RowTexts;
using testing::ScriptDocument;
using testing::ScriptedWalk;
using testing::Select;
using testing::Where;
using Op = RowPredicate::Op;

constexpr Relation kRuns = Relation::kRuns;

TEST(RunRows, ScalarsAndAssembledCells) {
  const ScriptDocument document{.document_id = "t", .session_id = "s", .edit = [](Document& out) {
                                  out.trajectory_id = "t";
                                  out.agent_id = "a";
                                  out.agent_version = "1";
                                  out.agent_tools = json::RawFromText(R"([ {"n": 1.0} ])");
                                  out.origin_format = "atif";
                                  out.origin_schema_version = "ATIF-v1.5";
                                  out.children = std::vector<std::string_view>{"c\"1", "c2"};
                                  out.notes = "n\n";
                                  out.started_at.nanoseconds = 7;
                                }};
  EXPECT_THAT(
      Select(kRuns,
             {"schema_version", "origin", "document_id", "trajectory_id_explicit", "run_id",
              "session_id"},
             {document}),
      ElementsAre(R"(storyline/v1|{"format":"atif","schema_version":"ATIF-v1.5"}|t|true|NULL|s)"));
  EXPECT_THAT(Select(kRuns,
                     {"agent_id", "agent_name", "agent_version", "agent_tool_definitions",
                      "child_session_ids", "notes", "started_at", "unknown_fields",
                      "unknown_key_counts", "parent"},
                     {document}),
              ElementsAre("a|NULL|1|[{\"n\":1.0}]|[\"c\\\"1\",\"c2\"]|n\n|7|NULL|NULL|NULL"));
}

TEST(RunRows, ResidualsAreOneJsonCellWithItsCounts) {
  EXPECT_THAT(
      Select(
          kRuns, {"unknown_fields", "unknown_key_counts"},
          {{.document_id = "t",
            .edit =
                [](Document& out) {
                  out.unknown = {{"atif", "x", {{"/steps/0/v", json::RawFromText("\"\\ud800\"")}}}};
                }}}),
      ElementsAre(
          R"({"sources":{"atif":{"source_document_id":"x","fields":{"/steps/0/v":"\ufffd"}}}}|)"
          R"({"atif":{"/steps/*/v":1}})"));
}

ScriptDocument Family() {
  return {.document_id = "p",
          .turns = {{.id = 4, .observation = R"({"results":[
              {"source_call_id":"call","subagent_trajectory_ref":[{"trajectory_id":"c1"},{"trajectory_id":"c1"}]},
              {"source_call_id":"x","subagent_trajectory_ref":[{"trajectory_id":"c2"}]}]})"},
                    {.id = 5,
                     .observation =
                         R"({"results":[{"subagent_trajectory_ref":{"trajectory_id":"c2"}}]})"}},
          .children = {{.document_id = "c1", .children = {{.document_id = "g"}}},
                       {.document_id = "c2"}}};
}

TEST(RunRows, ARecordsRowsComeInTheOrderOfItsDocuments_REL14) {
  EXPECT_THAT(
      Select(kRuns, {"storage_ordinal", "document_id"}, {Family(), {.document_id = "next"}}),
      ElementsAre("0|p", "1|c1", "2|g", "3|c2", "4|next"));
}

TEST(RunRows, TheOneResultThatNamesAChildGivesItsCallAndStep) {
  EXPECT_THAT(Select(kRuns, {"document_id", "parent"}, {Family()}),
              ElementsAre("p|NULL", R"(c1|{"psid":"p","scid":"call","ptid":4})",
                          R"(g|{"psid":"c1"})", R"(c2|{"psid":"p"})"));
}

TEST(RunRows, AChildKeepsItsLinkWhenItsParentIsFilteredOut) {
  EXPECT_THAT(Select(kRuns, {"parent"}, {Family()},
                     {Where(kRuns, "document_id", Op::kEq, {std::string("c1")})}),
              ElementsAre(R"({"psid":"p","scid":"call","ptid":4})"));
}

TEST(RunRows, TurnsAreReadOnlyForTheParentLink_STL112) {
  for (const bool parent : {false, true}) {
    const auto sink = MakeRowSink(
        {.relation = kRuns, .columns = Columns(kRuns, {parent ? "parent" : "document_id"})});
    ScriptedWalk walk(*sink);
    walk.Play(Family());
    EXPECT_EQ(walk.turns_played(), parent ? 2u : 0u);
  }
}

TEST(RunRows, PredicatesOnLateColumns) {
  const std::vector<ScriptDocument> documents = {
      {.document_id = "a", .edit = [](Document& out) { out.agent_model = "m1"; }},
      {.document_id = "b", .edit = [](Document& out) { out.agent_model = "m2"; }},
      {.document_id = "c"}};
  EXPECT_THAT(Select(kRuns, {"document_id"}, documents,
                     {Where(kRuns, "agent_model_name", Op::kNe, {std::string("m1")})}),
              ElementsAre("b"));
  EXPECT_THAT(Select(kRuns, {}, documents, {Where(kRuns, "agent_model_name", Op::kIsNotNull)}),
              ElementsAre("", ""));
  EXPECT_THAT(Select(kRuns, {"document_id"}, documents,
                     {Where(kRuns, "storage_ordinal", Op::kGe, {int64_t{2}})}),
              ElementsAre("c"));
}

TEST(RunRows, RunsThatShareASessionAreAllRows_BR31) {
  EXPECT_THAT(
      Select(kRuns, {"document_id", "session_id"},
             {{.document_id = "s", .session_id = "s"}, {.document_id = "s~2", .session_id = "s"}}),
      ElementsAre("s|s", "s~2|s"));
}

TEST(RunRows, ALostChildIsNoRow_BR08) {
  const auto sink = MakeRowSink({.relation = kRuns, .columns = Columns(kRuns, {"document_id"})});
  const Document parent = testing::NamedDocument("p");
  Document child = testing::NamedDocument("c");
  Document grandchild = testing::NamedDocument("g");
  child.ordinal = child.depth = 1;
  grandchild.ordinal = grandchild.depth = 2;
  sink->OnDocument(parent);
  sink->OnDocument(child);
  sink->OnDocument(grandchild);
  sink->OnDocumentEnd(grandchild);
  sink->OnDocumentLost(child);
  sink->OnDocumentEnd(parent);
  sink->OnRecordEnd();
  EXPECT_THAT(RowTexts(sink->batch()), ElementsAre("p"));
}

TEST(RunRows, CountingKeepsNoDocument_STL121) {
  const auto sink = MakeRowSink({.relation = kRuns});
  ScriptedWalk(*sink).Play(Family());
  EXPECT_EQ(sink->batch().rows, 4u);
  EXPECT_EQ(sink->batch().text->bytes(), 0u);
}

}  // namespace
}  // namespace pchronicle::model
