#pragma once

#include <memory>

#include "pchronicle/columnar/predicate.h"
#include "pchronicle/lance/edit/commit.h"

namespace pchronicle::lance {

struct DeleteResult {
  Committed committed;  // the version read when no row was deleted
  uint64_t rows = 0;
};

/// Deletes the rows for which `predicate` is true, found through indices where there are some.
/// Files stay as they are: each changed fragment gets a new deletion file, fragments without rows
/// leave the table. Nothing is committed when no row matches. Deletes of different rows do not
/// conflict, not even in one fragment.
Result<DeleteResult> DeleteRows(const std::shared_ptr<io::Store>& store,
                                const columnar::PredicatePtr& predicate,
                                const EditOptions& options = {});

}  // namespace pchronicle::lance
