#pragma once

#include <cstdint>
#include <string>

#include "pchronicle/model/step_metrics.h"

namespace pchronicle::model {

/// What decides how a run's own, total and reported numbers relate.
struct TotalsFacts {
  Totals own;
  Totals reported;
  Totals total;
  Totals sidecar;
  int64_t copied_steps = 0;
  int64_t descendants = 0;
  int64_t unresolved_references = 0;
};

/// Why the numbers differ, in words (catalog.md 6.1 `totals_note`); empty when there is nothing to
/// say.
std::string DescribeTotals(const TotalsFacts& facts);

}  // namespace pchronicle::model
