#include "pchronicle/lance/edit/commit_indices.h"

#include "pchronicle/lance/table/roaring_bitmap.h"

namespace pchronicle::lance {

Result<Committed> CommitIndices(const std::shared_ptr<io::Store>& store, IndexChange change,
                                const EditOptions& options, UnpublishedFiles* files) {
  for (const proto::Index& index : change.added) {
    if (index.name.empty() || index.name.starts_with("__lance")) {
      return Status::InvalidArgument("'{}' is no name of an index", index.name);
    }
    if (!index.fragment_bitmap || !RoaringBitmap::Decode(*index.fragment_bitmap).ok()) {
      return Status::InvalidArgument("index '{}' does not say which fragments it covers",
                                     index.name);
    }
  }
  Change out;
  out.transaction.operation = proto::Transaction::Operation::kCreateIndex;
  out.transaction.read_version = change.read_version;
  out.transaction.new_indices = std::move(change.added);
  out.transaction.removed_indices = std::move(change.removed);
  return Commit(store, std::move(out), options, files);
}

}  // namespace pchronicle::lance
