#pragma once

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/predicate.h"
#include "pchronicle/lance/table/row_set.h"
#include "pchronicle/lance/table/table.h"

namespace pchronicle::lance {

/// Rows that the scalar indices of the table name for the predicate (lance.md Part D): comparisons,
/// IN, IS NULL and contains on indexed columns, joined by AND and OR. Fragments that no usable
/// index covers are not in the result. Indices of unknown kind or generation are passed over (C3);
/// damaged files are kCorruption. `reads` gets what reading them cost. Thread-safe.
Result<RowSet> SearchIndices(const Table& table, const columnar::Predicate& predicate,
                             ReadCounters* reads);

}  // namespace pchronicle::lance
