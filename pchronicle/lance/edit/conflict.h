#pragma once

#include <cstdint>
#include <set>

#include "pchronicle/base/status.h"
#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {

/// Fragments that a transaction changes, removes, or (create_index) has read, by id.
std::set<uint64_t> TouchedFragments(const proto::Transaction& transaction);

/// The conflict rules of lance.md A7: may `ours` be committed although `theirs` was committed as
/// `version` after the version that `ours` read? kConflict names that version, its operation, what
/// is lost and what to do. Deletions in the same fragment pass; whether they can be merged is found
/// by MergeDeletions. Anything that the rules do not name is a conflict.
Status CheckConflict(const proto::Transaction& ours, const proto::Transaction& theirs,
                     uint64_t version, bool stable_row_ids);

}  // namespace pchronicle::lance
