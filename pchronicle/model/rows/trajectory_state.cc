#include "pchronicle/model/rows/trajectory_state.h"

#include <algorithm>

#include "pchronicle/model/rows/columns.h"

namespace pchronicle::model::rows {

void TimeSpan::Take(std::optional<int64_t> nanoseconds) {
  if (nanoseconds) {
    first = first ? std::min(*first, *nanoseconds) : *nanoseconds;
    last = last ? std::max(*last, *nanoseconds) : *nanoseconds;
  }
}

Duration RunDuration(const Document& document, const TimeSpan& steps) {
  const std::optional<int64_t> started =
      document.started_at.nanoseconds ? document.started_at.nanoseconds : steps.first;
  const std::optional<int64_t> finished =
      document.finished_at.nanoseconds ? document.finished_at.nanoseconds : steps.last;
  if (!started || !finished) {
    return {};
  }
  if (*finished < *started) {
    return {std::nullopt, true};
  }
  const uint64_t nanoseconds = static_cast<uint64_t>(*finished) - static_cast<uint64_t>(*started);
  return {static_cast<int64_t>(nanoseconds / 1'000'000), false};
}

void TrajectoryState::Clear() {
  steps = copied_steps = calls = tool_errors = unlinked_results = 0;
  step_ids.clear();
  sources.clear();
  messages.clear();
  tool_names.clear();
  arguments.clear();
  results.clear();
  tools.clear();
  own = {};
  last_response.Clear();
  times = {};
  had_user_step = false;
  first_user_text.reset();
  reported = {};
  outcome = {};
  duration_ms.reset();
  continued_by.reset();
  task_text.reset();
}

Cell OutcomeCell(uint16_t column, const Outcome& outcome) {
  switch (column) {
    case kTrajStatus:
      return Cell::Stable(outcome.status);
    case kTrajSuccess:
      return Cell::Of(outcome.success);
    case kTrajScore:
      return Cell::Of(outcome.score);
    case kTrajOutcomeSource:
      return Cell::Of(outcome.outcome_source);
    case kTrajErrorKind:
      return Cell::Of(outcome.error_kind);
    case kTrajErrorMessage:
      return Cell::Of(outcome.error_message);
    case kTrajTerminationReason:
      return Cell::Of(outcome.termination_reason);
    default:
      return Cell::Null();
  }
}

Cell TotalsCell(uint16_t column, const TrajectoryState& state) {
  switch (column) {
    case kTrajOwnPromptTokens:
      return Cell::Of(state.own.prompt_tokens);
    case kTrajOwnCompletionTokens:
      return Cell::Of(state.own.completion_tokens);
    case kTrajOwnCachedTokens:
      return Cell::Of(state.own.cached_tokens);
    case kTrajOwnCostUsd:
      return Cell::Of(state.own.cost_usd);
    case kTrajReportedPromptTokens:
      return Cell::Of(state.reported.prompt_tokens);
    case kTrajReportedCompletionTokens:
      return Cell::Of(state.reported.completion_tokens);
    case kTrajReportedCachedTokens:
      return Cell::Of(state.reported.cached_tokens);
    case kTrajReportedCostUsd:
      return Cell::Of(state.reported.cost_usd);
    default:
      return Cell::Null();
  }
}

}  // namespace pchronicle::model::rows
