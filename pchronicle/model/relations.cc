#include "pchronicle/model/relations.h"

#include <array>
#include <utility>

#include "pchronicle/base/check.h"
#include "pchronicle/model/rows/row_sink_base.h"

namespace pchronicle::model {
namespace {

using columnar::Type;
using Columns = std::vector<RelationColumn>;

constexpr FieldMask kNone{};
constexpr bool kRequired = false;
constexpr bool kNullable = true;

constexpr FieldMask kLinkedResults = Field::kCalls | Field::kObservation;
constexpr FieldMask kResultFlags =
    kLinkedResults | Field::kCallExtra | Field::kCallResult | Field::kCallResponse;
constexpr FieldMask kOwnNumber = Field::kMetrics | Field::kCopied;
constexpr FieldMask kOutcomeFields = Field::kOutcome | Field::kTask | Field::kMetrics;

void AppendAll(Columns& to, const Columns& from) { to.insert(to.end(), from.begin(), from.end()); }

RelationColumn File() { return {{"_file_", Type::kVarchar, kRequired}, kNone}; }

Columns SourcesColumns() {
  return {
      File(),
      {{"format", Type::kVarchar, kNullable}, kNone},
      {{"kind", Type::kVarchar, kRequired}, kNone},
      {{"snapshot_ref", Type::kVarchar, kNullable}, kNone},
      {{"projection_status", Type::kVarchar, kNullable}, kNone},
      {{"projection_generation", Type::kVarchar, kNullable}, kNone},
      {{"projection_candidates", Type::kUbigint, kRequired}, kNone},
      {{"size_bytes", Type::kUbigint, kNullable}, kNone},
      {{"last_modified", Type::kVarchar, kNullable}, kNone},
      {{"status", Type::kVarchar, kRequired}, kNone},
      {{"error", Type::kVarchar, kNullable}, kNone},
      {{"content_status", Type::kVarchar, kNullable}, kNone},
      {{"reason", Type::kVarchar, kNullable}, kNone},
      {{"runs", Type::kBigint, kNullable}, kNone},
      {{"diagnostics", Type::kJson, kNullable}, kNone},
  };
}

Columns RunsColumns() {
  return {
      File(),
      {{"schema_version", Type::kVarchar, kRequired}, kNone},
      {{"origin", Type::kJson, kNullable}, Field::kOrigin},
      {{"document_id", Type::kVarchar, kRequired}, Field::kDocumentId},
      {{"storage_ordinal", Type::kBigint, kRequired}, Field::kDocumentId},
      {{"trajectory_id_explicit", Type::kBoolean, kRequired}, Field::kDocumentId},
      {{"run_id", Type::kVarchar, kNullable}, Field::kRunId},
      {{"attempt_id", Type::kVarchar, kNullable}, Field::kRunId},
      {{"session_id", Type::kVarchar, kRequired}, kNone},
      {{"agent_id", Type::kVarchar, kRequired}, Field::kAgent},
      {{"agent_name", Type::kVarchar, kNullable}, Field::kAgent},
      {{"agent_version", Type::kVarchar, kNullable}, Field::kAgent},
      {{"agent_model_name", Type::kVarchar, kNullable}, Field::kAgent},
      {{"agent_tool_definitions", Type::kJson, kNullable}, Field::kAgentTools},
      {{"agent_extra", Type::kJson, kNullable}, Field::kAgentExtra},
      {{"parent", Type::kJson, kNullable},
       Field::kParent | Field::kDocumentId | Field::kObservation},
      {{"child_session_ids", Type::kJson, kNullable}, Field::kChildren | Field::kDocumentId},
      {{"notes", Type::kVarchar, kNullable}, Field::kNotes},
      {{"final_metrics", Type::kJson, kNullable}, Field::kFinalMetrics},
      {{"continued_trajectory_ref", Type::kVarchar, kNullable}, Field::kContinuedRef},
      {{"extra", Type::kJson, kNullable}, Field::kRootExtra},
      {{"meta", Type::kJson, kNullable}, Field::kMeta},
      {{"unknown_fields", Type::kJson, kNullable}, Field::kUnknown},
      {{"unknown_key_counts", Type::kJson, kNullable}, Field::kUnknown},
      {{"task", Type::kJson, kNullable}, Field::kTask},
      {{"started_at", Type::kTimestampNs, kNullable}, Field::kTimes},
      {{"finished_at", Type::kTimestampNs, kNullable}, Field::kTimes},
      {{"prompt", Type::kJson, kNullable}, Field::kRootPrompt},
  };
}

Columns StepsColumns() {
  return {
      File(),
      {{"document_id", Type::kVarchar, kRequired}, Field::kDocumentId},
      {{"run_id", Type::kVarchar, kNullable}, Field::kRunId},
      {{"session_id", Type::kVarchar, kRequired}, kNone},
      {{"step_id", Type::kBigint, kRequired}, kNone},
      {{"turn_ordinal", Type::kBigint, kRequired}, kNone},
      {{"kind", Type::kVarchar, kNullable}, Field::kTurnKind},
      {{"effective_kind", Type::kVarchar, kRequired}, Field::kTurnKind},
      {{"timestamp", Type::kTimestampNs, kNullable}, Field::kTimestamp},
      {{"source", Type::kVarchar, kRequired}, kNone},
      {{"message_kind", Type::kVarchar, kRequired}, Field::kMessage},
      {{"message_value", Type::kJson, kRequired}, Field::kMessage},
      {{"reasoning_content", Type::kVarchar, kNullable}, Field::kReasoning},
      {{"reasoning_effort_kind", Type::kVarchar, kNullable}, Field::kEffort},
      {{"reasoning_effort_value", Type::kJson, kNullable}, Field::kEffort},
      {{"metrics", Type::kJson, kNullable}, Field::kMetrics},
      {{"model_name", Type::kVarchar, kNullable}, Field::kModel},
      {{"llm_call_count", Type::kBigint, kNullable}, Field::kLlmCalls},
      {{"is_copied_context", Type::kBoolean, kNullable}, Field::kCopied},
      {{"latency", Type::kBigint, kNullable}, Field::kLatency},
      {{"ttft", Type::kBigint, kNullable}, Field::kLatency},
      {{"had_tool_calls", Type::kBoolean, kRequired}, kNone},
      {{"had_observation", Type::kBoolean, kRequired}, kNone},
      {{"observation", Type::kJson, kNullable}, Field::kObservation},
      {{"extra", Type::kJson, kNullable}, Field::kTurnExtra},
      {{"env", Type::kJson, kNullable}, Field::kEnv},
      {{"finished_at", Type::kTimestampNs, kNullable}, Field::kTurnFinishedAt},
      {{"prompt", Type::kJson, kNullable}, Field::kTurnPrompt},
      {{"message_text", Type::kVarchar, kNullable}, Field::kMessage},
      {{"timestamp_text", Type::kVarchar, kNullable}, Field::kTimestamp},
      {{"prompt_tokens", Type::kBigint, kNullable}, Field::kMetrics},
      {{"completion_tokens", Type::kBigint, kNullable}, Field::kMetrics},
      {{"cached_tokens", Type::kBigint, kNullable}, Field::kMetrics},
      {{"cost_usd", Type::kDouble, kNullable}, Field::kMetrics},
      {{"reward", Type::kDouble, kNullable}, Field::kMetrics},
      {{"prompt_token_ids", Type::kBigintList, kNullable}, Field::kMetrics},
      {{"completion_token_ids", Type::kBigintList, kNullable}, Field::kMetrics},
      {{"logprobs", Type::kDoubleList, kNullable}, Field::kMetrics},
  };
}

Columns ToolCallsColumns() {
  return {
      File(),
      {{"document_id", Type::kVarchar, kRequired}, Field::kDocumentId},
      {{"run_id", Type::kVarchar, kNullable}, Field::kRunId},
      {{"session_id", Type::kVarchar, kRequired}, kNone},
      {{"step_id", Type::kBigint, kRequired}, kNone},
      {{"call_index", Type::kBigint, kRequired}, kNone},
      {{"tool_call_id", Type::kVarchar, kRequired}, Field::kCalls},
      {{"function_name", Type::kVarchar, kRequired}, Field::kCalls},
      {{"arguments", Type::kJson, kRequired}, Field::kArguments},
      {{"result", Type::kJson, kNullable}, Field::kCallResult},
      {{"results", Type::kJson, kRequired}, kLinkedResults},
      {{"duration", Type::kBigint, kNullable}, Field::kCallDuration},
      {{"extra", Type::kJson, kNullable}, Field::kCallExtra},
      {{"kind", Type::kVarchar, kNullable}, Field::kCallKind},
      {{"response", Type::kJson, kNullable}, Field::kCallResponse},
      {{"turn_ordinal", Type::kBigint, kRequired}, kNone},
      {{"is_error", Type::kBoolean, kNullable}, kResultFlags},
      {{"exit_code", Type::kBigint, kNullable}, kResultFlags},
      {{"result_count", Type::kBigint, kRequired}, kLinkedResults | Field::kCallResult},
      {{"result_text", Type::kVarchar, kNullable}, kLinkedResults | Field::kCallResult},
  };
}

Columns ObservationResultsColumns() {
  return {
      File(),
      {{"document_id", Type::kVarchar, kRequired}, Field::kDocumentId},
      {{"run_id", Type::kVarchar, kNullable}, Field::kRunId},
      {{"session_id", Type::kVarchar, kRequired}, kNone},
      {{"step_id", Type::kBigint, kRequired}, kNone},
      {{"turn_ordinal", Type::kBigint, kRequired}, kNone},
      {{"result_index", Type::kBigint, kRequired}, kNone},
      {{"link", Type::kVarchar, kRequired}, kNone},
      {{"tool_call_id", Type::kVarchar, kNullable}, kNone},
      {{"call_index", Type::kBigint, kNullable}, kNone},
      {{"function_name", Type::kVarchar, kNullable}, kNone},
      {{"source_call_id", Type::kVarchar, kNullable}, kNone},
      {{"origin", Type::kVarchar, kRequired}, kNone},
      {{"content", Type::kJson, kNullable}, kNone},
      {{"content_text", Type::kVarchar, kNullable}, kNone},
      {{"is_error", Type::kBoolean, kNullable}, kNone},
      {{"exit_code", Type::kBigint, kNullable}, kNone},
      {{"subagent_refs", Type::kJson, kNullable}, kNone},
      {{"extra", Type::kJson, kNullable}, kNone},
  };
}

Columns EventsColumns() {
  return {
      File(),
      {{"seq", Type::kBigint, kRequired}, kNone},
      {{"event_id", Type::kVarchar, kNullable}, kNone},
      {{"timestamp", Type::kTimestampNs, kRequired}, kNone},
      {{"kind", Type::kVarchar, kRequired}, kNone},
      {{"source", Type::kVarchar, kRequired}, kNone},
      {{"agent_id", Type::kVarchar, kNullable}, kNone},
      {{"session_id", Type::kVarchar, kNullable}, kNone},
      {{"call_id", Type::kVarchar, kNullable}, kNone},
      {{"trace_id", Type::kVarchar, kNullable}, kNone},
      {{"parent_call_id", Type::kVarchar, kNullable}, kNone},
      {{"model", Type::kVarchar, kNullable}, kNone},
      {{"payload_json", Type::kJson, kRequired}, kNone},
  };
}

Columns OwnTotalsColumns() {
  return {
      {{"own_prompt_tokens", Type::kBigint, kNullable}, kOwnNumber},
      {{"own_completion_tokens", Type::kBigint, kNullable}, kOwnNumber},
      {{"own_cached_tokens", Type::kBigint, kNullable}, kOwnNumber},
      {{"own_cost_usd", Type::kDouble, kNullable}, kOwnNumber},
  };
}

Columns ReportedTotalsColumns() {
  return {
      {{"reported_prompt_tokens", Type::kBigint, kNullable},
       Field::kFinalMetrics | Field::kOutcome},
      {{"reported_completion_tokens", Type::kBigint, kNullable},
       Field::kFinalMetrics | Field::kOutcome},
      {{"reported_cached_tokens", Type::kBigint, kNullable},
       Field::kFinalMetrics | Field::kOutcome},
      {{"reported_cost_usd", Type::kDouble, kNullable}, Field::kFinalMetrics | Field::kOutcome},
  };
}

Columns TrajectoriesColumns() {
  Columns columns = RunsColumns();
  AppendAll(
      columns,
      {
          {{"step_count", Type::kBigint, kRequired}, Field::kTurns},
          {{"step_ids", Type::kBigintList, kNullable}, Field::kTurns},
          {{"step_sources", Type::kVarcharList, kNullable}, Field::kTurns},
          {{"messages_value", Type::kJsonList, kNullable}, Field::kMessage},
          {{"tool_call_count", Type::kBigint, kRequired}, Field::kTurns},
          {{"tool_names", Type::kVarcharList, kNullable}, Field::kCalls},
          {{"tool_arguments_json", Type::kJsonList, kNullable}, Field::kCalls | Field::kArguments},
          {{"tool_results_json", Type::kJsonList, kNullable}, kLinkedResults},
          {{"status", Type::kVarchar, kRequired}, kOutcomeFields},
          {{"success", Type::kBoolean, kNullable}, Field::kOutcome | Field::kTask},
          {{"score", Type::kDouble, kNullable}, Field::kOutcome | Field::kTask},
          {{"outcome_source", Type::kVarchar, kNullable}, kOutcomeFields},
          {{"error_kind", Type::kVarchar, kNullable}, Field::kOutcome},
          {{"error_message", Type::kVarchar, kNullable}, Field::kOutcome | Field::kTask},
          {{"termination_reason", Type::kVarchar, kNullable}, kOutcomeFields},
          {{"own_step_count", Type::kBigint, kRequired}, Field::kCopied},
          {{"copied_step_count", Type::kBigint, kRequired}, Field::kCopied},
      });
  AppendAll(columns, OwnTotalsColumns());
  AppendAll(columns, ReportedTotalsColumns());
  AppendAll(
      columns,
      {
          {{"continued_by", Type::kVarchar, kNullable}, Field::kContinuedRef | Field::kDocumentId},
          {{"tool_error_count", Type::kBigint, kRequired}, kResultFlags},
          {{"distinct_tool_count", Type::kBigint, kRequired}, Field::kCalls},
          {{"unlinked_result_count", Type::kBigint, kRequired}, kLinkedResults},
          {{"duration_ms", Type::kBigint, kNullable},
           Field::kTimes | Field::kTimestamp | Field::kTurnFinishedAt | Field::kCopied},
          {{"task_text", Type::kVarchar, kNullable}, Field::kRootPrompt | Field::kMessage},
          {{"diagnostics", Type::kJson, kNullable}, FieldMask::All()},
      });
  return columns;
}

Columns RunTreeColumns() {
  Columns columns = {
      File(),
      {{"document_id", Type::kVarchar, kRequired}, kNone},
      {{"session_id", Type::kVarchar, kRequired}, kNone},
      {{"run_id", Type::kVarchar, kNullable}, kNone},
      {{"parent_file", Type::kVarchar, kNullable}, kNone},
      {{"parent_document_id", Type::kVarchar, kNullable}, kNone},
      {{"child_count", Type::kBigint, kRequired}, kNone},
      {{"depth", Type::kBigint, kRequired}, kNone},
  };
  AppendAll(columns, OwnTotalsColumns());
  AppendAll(columns, ReportedTotalsColumns());
  AppendAll(columns, {
                         {{"total_prompt_tokens", Type::kBigint, kNullable}, kNone},
                         {{"total_completion_tokens", Type::kBigint, kNullable}, kNone},
                         {{"total_cached_tokens", Type::kBigint, kNullable}, kNone},
                         {{"total_cost_usd", Type::kDouble, kNullable}, kNone},
                         {{"totals_note", Type::kVarchar, kNullable}, kNone},
                     });
  return columns;
}

std::array<Columns, kRelationCount> AllColumns() {
  return {SourcesColumns(),
          RunsColumns(),
          StepsColumns(),
          ToolCallsColumns(),
          ObservationResultsColumns(),
          EventsColumns(),
          TrajectoriesColumns(),
          RunTreeColumns()};
}

}  // namespace

std::string_view RelationName(Relation relation) {
  static constexpr std::array<std::string_view, kRelationCount> kNames = {
      "sources", "runs",         "steps",   "tool_calls", "observation_results",
      "events",  "trajectories", "run_tree"};
  return kNames[static_cast<size_t>(relation)];
}

const std::vector<RelationColumn>& RelationColumns(Relation relation) {
  static const std::array<Columns, kRelationCount> all = AllColumns();
  return all[static_cast<size_t>(relation)];
}

std::optional<uint16_t> FindColumn(Relation relation, std::string_view name) {
  const std::vector<RelationColumn>& columns = RelationColumns(relation);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].field.name == name) {
      return static_cast<uint16_t>(i);
    }
  }
  return std::nullopt;
}

FieldMask RequiredFields(const RowSink::Request& request) {
  const std::vector<RelationColumn>& columns = RelationColumns(request.relation);
  FieldMask fields;
  for (const uint16_t column : request.columns) {
    fields |= columns[column].needs;
  }
  for (const RowPredicate& predicate : request.predicates) {
    fields |= columns[predicate.column].needs;
  }
  // Members that decide whether a row is there at all.
  switch (request.relation) {
    case Relation::kSteps:
      return fields | Field::kTurns;
    case Relation::kToolCalls:
      return fields | Field::kTurns | Field::kCalls;
    case Relation::kObservationResults:
      return fields | Field::kTurns | Field::kCalls | Field::kObservation | Field::kCallResult;
    default:
      return fields;
  }
}

std::unique_ptr<RowSink> MakeRowSink(RowSink::Request request) {
  switch (request.relation) {
    case Relation::kRuns:
      return rows::MakeRunSink(std::move(request));
    case Relation::kSteps:
      return rows::MakeStepSink(std::move(request));
    case Relation::kToolCalls:
      return rows::MakeCallSink(std::move(request));
    case Relation::kObservationResults:
      return rows::MakeResultSink(std::move(request));
    case Relation::kTrajectories:
      return rows::MakeTrajectorySink(std::move(request));
    case Relation::kSources:
    case Relation::kEvents:
    case Relation::kRunTree:
      break;
  }
  internal::CheckFailed("the relation has a row sink", __FILE__, __LINE__);
}

}  // namespace pchronicle::model
