#include "pchronicle/model/relations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "pchronicle/json/raw.h"
#include "pchronicle/model/raw_walk.h"
#include "pchronicle/model/rows/columns.h"

namespace pchronicle::model {
namespace {

using ::testing::ElementsAreArray;

/// `name TYPE`, with `!` behind what is never null.
std::string Describe(Relation relation) {
  std::string text;
  for (const RelationColumn& column : RelationColumns(relation)) {
    text += column.field.name + " " + std::string(columnar::TypeName(column.field.type)) +
            (column.field.nullable ? "\n" : "!\n");
  }
  return text;
}

constexpr std::string_view kRunsText =
    "_file_ VARCHAR!\nschema_version VARCHAR!\norigin JSON\ndocument_id VARCHAR!\nstorage_ordinal "
    "BIGINT!\n"
    "trajectory_id_explicit BOOLEAN!\nrun_id VARCHAR\nattempt_id VARCHAR\nsession_id "
    "VARCHAR!\nagent_id VARCHAR!\n"
    "agent_name VARCHAR\nagent_version VARCHAR\nagent_model_name VARCHAR\nagent_tool_definitions "
    "JSON\nagent_extra JSON\n"
    "parent JSON\nchild_session_ids JSON\nnotes VARCHAR\nfinal_metrics "
    "JSON\ncontinued_trajectory_ref VARCHAR\n"
    "extra JSON\nmeta JSON\nunknown_fields JSON\nunknown_key_counts JSON\ntask JSON\nstarted_at "
    "TIMESTAMP_NS\n"
    "finished_at TIMESTAMP_NS\nprompt JSON\n";

TEST(Relations, SourcesHasTheContractColumnsThenOurs_ADD01) {
  EXPECT_EQ(Describe(Relation::kSources),
            "_file_ VARCHAR!\nformat VARCHAR\nkind VARCHAR!\nsnapshot_ref "
            "VARCHAR\nprojection_status VARCHAR\n"
            "projection_generation VARCHAR\nprojection_candidates UBIGINT!\nsize_bytes "
            "UBIGINT\nlast_modified VARCHAR\n"
            "status VARCHAR!\nerror VARCHAR\ncontent_status VARCHAR\nreason VARCHAR\nruns "
            "BIGINT\ndiagnostics JSON\n");
}

TEST(Relations, RunsHas27ContractColumnsBehindFile_REL01) {
  EXPECT_EQ(Describe(Relation::kRuns), kRunsText);
  EXPECT_EQ(RelationColumns(Relation::kRuns).size(), 28u);
}

TEST(Relations, StepsHas27ContractColumnsThenOurs_ADD01) {
  EXPECT_EQ(Describe(Relation::kSteps),
            "_file_ VARCHAR!\ndocument_id VARCHAR!\nrun_id VARCHAR\nsession_id VARCHAR!\nstep_id "
            "BIGINT!\n"
            "turn_ordinal BIGINT!\nkind VARCHAR\neffective_kind VARCHAR!\ntimestamp "
            "TIMESTAMP_NS\nsource VARCHAR!\n"
            "message_kind VARCHAR!\nmessage_value JSON!\nreasoning_content "
            "VARCHAR\nreasoning_effort_kind VARCHAR\n"
            "reasoning_effort_value JSON\nmetrics JSON\nmodel_name VARCHAR\nllm_call_count BIGINT\n"
            "is_copied_context BOOLEAN\nlatency BIGINT\nttft BIGINT\nhad_tool_calls "
            "BOOLEAN!\nhad_observation BOOLEAN!\n"
            "observation JSON\nextra JSON\nenv JSON\nfinished_at TIMESTAMP_NS\nprompt JSON\n"
            "message_text VARCHAR\ntimestamp_text VARCHAR\nprompt_tokens BIGINT\ncompletion_tokens "
            "BIGINT\n"
            "cached_tokens BIGINT\ncost_usd DOUBLE\nreward DOUBLE\nprompt_token_ids BIGINT[]\n"
            "completion_token_ids BIGINT[]\nlogprobs DOUBLE[]\n");
}

TEST(Relations, ToolCallsHas14ContractColumnsThenOurs_ADD01) {
  EXPECT_EQ(Describe(Relation::kToolCalls),
            "_file_ VARCHAR!\ndocument_id VARCHAR!\nrun_id VARCHAR\nsession_id VARCHAR!\nstep_id "
            "BIGINT!\n"
            "call_index BIGINT!\ntool_call_id VARCHAR!\nfunction_name VARCHAR!\narguments "
            "JSON!\nresult JSON\n"
            "results JSON!\nduration BIGINT\nextra JSON\nkind VARCHAR\nresponse JSON\n"
            "turn_ordinal BIGINT!\nis_error BOOLEAN\nexit_code BIGINT\nresult_count "
            "BIGINT!\nresult_text VARCHAR\n");
}

TEST(Relations, ObservationResultsIsOurs) {
  EXPECT_EQ(Describe(Relation::kObservationResults),
            "_file_ VARCHAR!\ndocument_id VARCHAR!\nrun_id VARCHAR\nsession_id VARCHAR!\nstep_id "
            "BIGINT!\n"
            "turn_ordinal BIGINT!\nresult_index BIGINT!\nlink VARCHAR!\ntool_call_id "
            "VARCHAR\ncall_index BIGINT\n"
            "function_name VARCHAR\nsource_call_id VARCHAR\norigin VARCHAR!\ncontent "
            "JSON\ncontent_text VARCHAR\n"
            "is_error BOOLEAN\nexit_code BIGINT\nsubagent_refs JSON\nextra JSON\n");
}

TEST(Relations, EventsHas12ColumnsBehindFile_REL01) {
  EXPECT_EQ(Describe(Relation::kEvents),
            "_file_ VARCHAR!\nseq BIGINT!\nevent_id VARCHAR\ntimestamp TIMESTAMP_NS!\nkind "
            "VARCHAR!\nsource VARCHAR!\n"
            "agent_id VARCHAR\nsession_id VARCHAR\ncall_id VARCHAR\ntrace_id "
            "VARCHAR\nparent_call_id VARCHAR\n"
            "model VARCHAR\npayload_json JSON!\n");
}

TEST(Relations, TrajectoriesIsRunsThenEightAggregatesThenOurs_ADD01_REL08) {
  EXPECT_EQ(
      Describe(Relation::kTrajectories),
      std::string(kRunsText) +
          "step_count BIGINT!\nstep_ids BIGINT[]\nstep_sources VARCHAR[]\nmessages_value JSON[]\n"
          "tool_call_count BIGINT!\ntool_names VARCHAR[]\ntool_arguments_json "
          "JSON[]\ntool_results_json JSON[]\n"
          "status VARCHAR!\nsuccess BOOLEAN\nscore DOUBLE\noutcome_source VARCHAR\nerror_kind "
          "VARCHAR\n"
          "error_message VARCHAR\ntermination_reason VARCHAR\nown_step_count "
          "BIGINT!\ncopied_step_count BIGINT!\n"
          "own_prompt_tokens BIGINT\nown_completion_tokens BIGINT\nown_cached_tokens "
          "BIGINT\nown_cost_usd DOUBLE\n"
          "reported_prompt_tokens BIGINT\nreported_completion_tokens "
          "BIGINT\nreported_cached_tokens BIGINT\n"
          "reported_cost_usd DOUBLE\ncontinued_by VARCHAR\ntool_error_count "
          "BIGINT!\ndistinct_tool_count BIGINT!\n"
          "unlinked_result_count BIGINT!\nduration_ms BIGINT\ntask_text VARCHAR\ndiagnostics "
          "JSON\n");
}

TEST(Relations, RunTreeIsOurs) {
  EXPECT_EQ(
      Describe(Relation::kRunTree),
      "_file_ VARCHAR!\ndocument_id VARCHAR!\nsession_id VARCHAR!\nrun_id VARCHAR\nparent_file "
      "VARCHAR\n"
      "parent_document_id VARCHAR\nchild_count BIGINT!\ndepth BIGINT!\nown_prompt_tokens BIGINT\n"
      "own_completion_tokens BIGINT\nown_cached_tokens BIGINT\nown_cost_usd "
      "DOUBLE\nreported_prompt_tokens BIGINT\n"
      "reported_completion_tokens BIGINT\nreported_cached_tokens BIGINT\nreported_cost_usd DOUBLE\n"
      "total_prompt_tokens BIGINT\ntotal_completion_tokens BIGINT\ntotal_cached_tokens BIGINT\n"
      "total_cost_usd DOUBLE\ntotals_note VARCHAR\n");
}

TEST(Relations, ColumnNumbersOfTheSinksAreThoseOfTheTables) {
  EXPECT_EQ(RelationColumns(Relation::kRuns).size(), rows::kRunColumnCount);
  EXPECT_EQ(RelationColumns(Relation::kSteps).size(), rows::kStepColumnCount);
  EXPECT_EQ(RelationColumns(Relation::kToolCalls).size(), rows::kCallColumnCount);
  EXPECT_EQ(RelationColumns(Relation::kObservationResults).size(), rows::kResultColumnCount);
  EXPECT_EQ(RelationColumns(Relation::kTrajectories).size(), rows::kTrajColumnCount);
  EXPECT_EQ(RelationColumns(Relation::kRunTree).size(), rows::kTreeColumnCount);
  EXPECT_EQ(FindColumn(Relation::kSteps, "message_text"), rows::kStepMessageText);
  EXPECT_EQ(FindColumn(Relation::kSteps, "env"), rows::kStepEnv);
  EXPECT_EQ(FindColumn(Relation::kToolCalls, "response"), rows::kCallResponse);
  EXPECT_EQ(FindColumn(Relation::kToolCalls, "result_text"), rows::kCallResultText);
  EXPECT_EQ(FindColumn(Relation::kObservationResults, "origin"), rows::kResultOrigin);
  EXPECT_EQ(FindColumn(Relation::kRuns, "agent_extra"), rows::kRunAgentExtra);
  EXPECT_EQ(FindColumn(Relation::kRuns, "prompt"), rows::kRunPrompt);
  EXPECT_EQ(FindColumn(Relation::kTrajectories, "status"), rows::kTrajStatus);
  EXPECT_EQ(FindColumn(Relation::kTrajectories, "continued_by"), rows::kTrajContinuedBy);
  EXPECT_EQ(FindColumn(Relation::kRunTree, "total_prompt_tokens"), rows::kTreeTotalPromptTokens);
}

TEST(Relations, NamesAreExact) {
  EXPECT_EQ(RelationName(Relation::kObservationResults), "observation_results");
  EXPECT_EQ(RelationName(Relation::kRunTree), "run_tree");
  EXPECT_EQ(FindColumn(Relation::kRuns, "Session_Id"), std::nullopt);
  EXPECT_EQ(FindColumn(Relation::kRuns, ""), std::nullopt);
}

TEST(Relations, CountingNeedsOnlyWhatDecidesWhetherARowIsThere_REL06) {
  EXPECT_EQ(RequiredFields({.relation = Relation::kRuns}), FieldMask());
  EXPECT_EQ(RequiredFields({.relation = Relation::kSteps}), FieldMask(Field::kTurns));
  EXPECT_TRUE(RequiredFields({.relation = Relation::kToolCalls}).has(Field::kCalls));
  EXPECT_TRUE(RequiredFields({.relation = Relation::kObservationResults}).has(Field::kObservation));
}

TEST(Relations, APredicateOutsideTheProjectionIsReadToo) {
  RowSink::Request request{.relation = Relation::kSteps};
  request.columns = {rows::kStepId};
  request.predicates = {{rows::kStepMessageText, RowPredicate::Op::kContains, {std::string("x")}}};
  EXPECT_EQ(RequiredFields(request), Field::kTurns | Field::kMessage);
}

/// Names in the original's DESCRIBE of a relation, in order; empty when the fixtures are absent.
std::vector<std::string> OriginalColumns(const std::string& relation) {
  const char* shared = std::getenv("PCHRONICLE_SHARED");
  const std::filesystem::path root =
      shared != nullptr ? std::filesystem::path(shared)
                        : std::filesystem::path(PCHRONICLE_SOURCE_DIR) / "../shared";
  std::ifstream file(root / "fixtures/peer/describe" / (relation + ".jsonl"));
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    const json::Raw name = FindMember(json::RawFromText(line), "column_name");
    names.emplace_back(name.text.substr(1, name.text.size() - 2));
  }
  return names;
}

TEST(Relations, BeginWithTheColumnsOfTheOriginal_REL05) {
  for (const Relation relation :
       {Relation::kSources, Relation::kRuns, Relation::kSteps, Relation::kToolCalls,
        Relation::kEvents, Relation::kTrajectories}) {
    const std::vector<std::string> original = OriginalColumns(std::string(RelationName(relation)));
    if (original.empty()) {
      GTEST_SKIP() << "no shared fixtures of the original";
    }
    std::vector<std::string> ours;
    for (const RelationColumn& column : RelationColumns(relation)) {
      ours.push_back(column.field.name);
    }
    ASSERT_LE(original.size(), ours.size());
    ours.resize(original.size());
    EXPECT_THAT(ours, ElementsAreArray(original)) << RelationName(relation);
  }
}

}  // namespace
}  // namespace pchronicle::model
