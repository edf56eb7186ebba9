#pragma once

#include <functional>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/catalog/scan.h"
#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::catalog {

/// Rows that the relations have, counted in one reading of every source: equal to COUNT(*) of each.
struct RowCounts {
  uint64_t runs = 0, steps = 0, tool_calls = 0, observation_results = 0;
  RowCounts& operator+=(const RowCounts& other);
};

struct DatasetCounts {
  std::vector<RowCounts> sources;  // parallel to CatalogDataset::sources
  RowCounts total;
  /// Runs that are nobody's child in this Dataset (BR-56).
  uint64_t top_level_runs = 0;
  /// Of all sources and, compared with each other, of all runs (likely_copied,
  /// unresolved_reference, cycle).
  model::Diagnostics diagnostics;
  /// What could not be read, by file and offset, of each source the first
  /// QueryScope::kMostProblems; content of the sources says the same.
  std::vector<SourceProblem> problems;
  uint64_t problems_left_out = 0;  // further ones
};

/// Reads everything once, in parallel, counts, and fills the cells' content as CheckAll does. One
/// bad source never hides the others; errors are a changed file, a limit, or cancellation.
/// `progress` as in CheckAll.
Result<std::vector<DatasetCounts>> CountAll(
    const Snapshot& snapshot, const Context& context,
    const std::function<void(size_t, size_t)>& progress = nullptr);

}  // namespace pchronicle::catalog
