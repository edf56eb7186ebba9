#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "pchronicle/model/document.h"
#include "pchronicle/model/outcome.h"
#include "pchronicle/model/rows/cell.h"
#include "pchronicle/model/step_metrics.h"

namespace pchronicle::model::rows {

/// Earliest and latest instant of a run's own steps.
struct TimeSpan {
  std::optional<int64_t> first;
  std::optional<int64_t> last;

  void Take(std::optional<int64_t> nanoseconds);
};

struct Duration {
  std::optional<int64_t> milliseconds;
  bool negative = false;
};
/// `finished_at` minus `started_at`, absent ones from the steps (BR-55); never negative.
Duration RunDuration(const Document& document, const TimeSpan& steps);

/// What is gathered of one document while its turns pass by; then what Finish derives. Texts live
/// in the sink's record arena.
struct TrajectoryState {
  int64_t steps = 0;
  int64_t copied_steps = 0;
  int64_t calls = 0;
  int64_t tool_errors = 0;
  int64_t unlinked_results = 0;
  std::vector<int64_t> step_ids;
  std::vector<std::string_view> sources;
  std::vector<std::string_view> messages;
  std::vector<std::string_view> tool_names;
  std::vector<std::string_view> arguments;
  std::vector<std::string_view> results;
  std::unordered_set<std::string_view> tools;
  Totals own;
  LastResponse last_response;
  TimeSpan times;
  bool had_user_step = false;
  Text first_user_text;

  Totals reported;
  Outcome outcome;
  std::optional<int64_t> duration_ms;
  std::optional<std::string> continued_by;
  Text task_text;

  void Clear();
};

/// Cells of the outcome columns (status to termination_reason) and of the own and reported totals.
Cell OutcomeCell(uint16_t column, const Outcome& outcome);
Cell TotalsCell(uint16_t column, const TrajectoryState& state);

}  // namespace pchronicle::model::rows
