#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/app/find/matcher.h"
#include "pchronicle/catalog/scan.h"

namespace pchronicle::app {

/// Bytes of an id and of `--source` (cli.md 3.4).
inline constexpr size_t kMaxFindIdBytes = 4096;
/// Expressions of one search.
inline constexpr size_t kMaxFindMatches = 64;
/// Characters of a match's preview.
inline constexpr size_t kPreviewCharacters = 320;

/// What is looked for (cli.md 4.5). Identities, source and expressions are ANDed.
struct FindOptions {
  std::optional<std::string> source = {};                                     // only this Source
  std::optional<std::string> document_id = {}, run_id = {}, session_id = {};  // at most one
  std::optional<int64_t> step_id = {};                                        // with session_id
  std::vector<std::string> matches = {};                                      // `--match`
  uint64_t max_results = 100;
};

/// Options that make sense together, with their expression parsed (FND-17). Immutable.
struct FindPlan {
  FindOptions options;
  FindScope scope = FindScope::kRuns;
  std::string mode;                     // identity, json, scan, scan+json
  std::optional<FindExpression> match;  // all expressions together
  std::optional<FindMatcher> matcher;   // of `match`
};
/// kInvalidArgument: options that exclude each other, an expression that is not understood.
/// kResourceExhausted: one that is too long or too deep.
Result<FindPlan> PlanFind(FindOptions options);

/// A run or a step. Members that a run does not have, or that its source does not say, are absent.
struct FindMatch {
  std::string source_path, session_id, document_id;
  std::optional<std::string> run_id;
  std::optional<int64_t> step_id;
  std::optional<std::string> step_source, effective_kind;
  std::optional<int64_t> timestamp_ns;
  std::optional<std::string> preview;  // the message, of a run its task; the first characters
  int64_t turn_ordinal = 0;
};

struct FindOutcome {
  /// By source, session, document and position in it; at most max_results.
  std::vector<FindMatch> matches;
  bool truncated = false;  // there are more
  /// Input that was left out. Behind the last match of a truncated search nothing counts.
  std::vector<catalog::SourceProblem> problems;
  uint64_t problem_count = 0;  // of all: `problems` has the first of each source
};

/// Searches the snapshot's first Dataset by a scan, without the engine. Memory is bounded by
/// max_results. Stops as soon as no later row can be among the matches. kNotFound: `source` is not
/// in the Dataset.
Result<FindOutcome> RunFind(catalog::QueryScope& scope, const FindPlan& plan);

}  // namespace pchronicle::app
