#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/edit/edit_options.h"
#include "pchronicle/lance/index/index_builder.h"

namespace pchronicle::lance {

struct IndexOptions {
  EditOptions edit;
  /// Empty: `<column>_idx`.
  std::string name;
  uint64_t memory_bytes = 256 << 20;
  size_t threads = 1;
};

struct IndexResult {
  Committed committed;  // the version read when there was nothing to do
  uint64_t entries = 0;
  size_t replaced = 0;  // segments that left
};

/// Builds an index over all rows of a column (BuildIndex) and commits it; it takes the place of all
/// segments of that name. Changes of the table meanwhile: CommitIndices. Files of an index that
/// could not be committed are deleted.
Result<IndexResult> CreateIndex(const std::shared_ptr<io::Store>& store, const std::string& column,
                                IndexKind kind, const IndexOptions& options = {});

/// Adds one segment over the fragments that the index of that name does not cover yet: what was
/// appended. The kind and the column are those of the index. kNotFound: no such index.
Result<IndexResult> ExtendIndex(const std::shared_ptr<io::Store>& store, const std::string& name,
                                const IndexOptions& options = {});

/// Makes one segment of all of that name, new fragments included (OptimizeIndex).
Result<IndexResult> MergeIndex(const std::shared_ptr<io::Store>& store, const std::string& name,
                               const IndexOptions& options = {});

}  // namespace pchronicle::lance
