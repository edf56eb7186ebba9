#pragma once

#include <memory>

#include "pchronicle/columnar/predicate.h"
#include "pchronicle/lance/edit/deletions.h"
#include "pchronicle/lance/edit/edit_options.h"

namespace pchronicle::lance {

/// The live rows for which `predicate` is true. Memory: one batch of its columns, and bitmaps of
/// what was found.
Result<RowsByFragment> FindRows(const std::shared_ptr<const Table>& table,
                                const columnar::PredicatePtr& predicate,
                                const EditOptions& options);

}  // namespace pchronicle::lance
