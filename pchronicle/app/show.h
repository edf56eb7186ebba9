#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/catalog/scan.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/step_metrics.h"

namespace pchronicle::app {

struct ShowOptions {
  std::string run;                    // document_id, failing that session_id, failing that run_id
  std::optional<std::string> source;  // only this Source
};

/// A run by its address in the Dataset.
struct RunAddress {
  std::string file, document_id;
  bool operator==(const RunAddress&) const = default;
};

/// One run with what is known around it (cli.md 4.6).
struct ShownRun {
  RunAddress address;
  std::string format;
  model::Storyline storyline;

  // Of its row in `trajectories`.
  std::string status;
  std::optional<bool> success;
  std::optional<double> score;
  std::optional<std::string> outcome_source, error_kind, error_message, termination_reason,
      continued_by, task_text;
  std::optional<int64_t> copied_step_count, duration_ms, tool_call_count, tool_error_count,
      unlinked_result_count;
  std::string diagnostics;  // JSON array

  // Of its row in `run_tree`.
  model::Totals own, reported, total;
  std::optional<std::string> totals_note;
  std::optional<RunAddress> parent;
  std::vector<RunAddress> children;
  int64_t child_count = 0;
};

/// Finds one run and loads it whole, without the engine. kNotFound: no document has this id.
/// kInvalidArgument: several have; the message lists them. Problems of other sources go to the
/// scope when it reports errors.
Result<ShownRun> FindRun(catalog::QueryScope& scope, const ShowOptions& options);

}  // namespace pchronicle::app
