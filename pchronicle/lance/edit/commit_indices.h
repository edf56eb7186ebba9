#pragma once

#include <memory>
#include <vector>

#include "pchronicle/lance/edit/commit.h"

namespace pchronicle::lance {

/// Index files that were built from one version of a table, ready to be part of the next one.
struct IndexChange {
  /// The version whose rows were indexed; also the `dataset_version` of the entries.
  uint64_t read_version = 0;
  /// Their files lie in `_indices/<uuid>/`. Each has its `fragment_bitmap`: the fragments of that
  /// version which it covers.
  std::vector<proto::Index> added;
  /// Entries of that version which the new ones replace; those that are gone by then are no matter.
  std::vector<proto::Index> removed;
};

/// Commits indices (create_index, lance.md A7). `files` are the paths of the new index files; they
/// are deleted again when the commit fails. Appends, deletes and updates meanwhile are no obstacle:
/// their rows are not covered. kConflict when fragments that the index covers were compacted
/// (unless the table has stable row ids), when its column was rewritten in place, or when the table
/// was overwritten. An index of the same name that somebody else added meanwhile is replaced.
Result<Committed> CommitIndices(const std::shared_ptr<io::Store>& store, IndexChange change,
                                const EditOptions& options, UnpublishedFiles* files);

}  // namespace pchronicle::lance
