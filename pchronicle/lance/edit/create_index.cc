#include "pchronicle/lance/edit/create_index.h"

#include "pchronicle/lance/edit/commit_indices.h"
#include "pchronicle/lance/edit/index_files.h"
#include "pchronicle/lance/edit/unique_name.h"
#include "pchronicle/lance/table/projection.h"

namespace pchronicle::lance {
namespace {

// A new index on its way from one version into the next.
class IndexEdit {
 public:
  IndexEdit(std::shared_ptr<io::Store> store, const IndexOptions& options,
            std::shared_ptr<const Table> table)
      : store_(std::move(store)),
        options_(options),
        table_(std::move(table)),
        files_(store_),
        output_(&files_, table_->paths(), uuid_) {}

  const std::shared_ptr<const Table>& table() const { return table_; }
  IndexOutput* output() { return &output_; }
  BuildIndexOptions BuildOptions() const {
    BuildIndexOptions out;
    out.name = options_.name;
    out.uuid = uuid_;
    out.memory_bytes = options_.memory_bytes;
    out.threads = options_.threads;
    out.context = options_.edit.context;
    return out;
  }

  Result<IndexResult> Commit(const BuiltIndex& built) {
    IndexChange change;
    change.read_version = table_->version();
    change.added = {built.index};
    change.removed = built.replaced;
    IndexResult out;
    out.entries = built.entries;
    out.replaced = built.replaced.size();
    PCHRONICLE_ASSIGN_OR_RETURN(out.committed,
                                CommitIndices(store_, std::move(change), options_.edit, &files_));
    return out;
  }
  IndexResult Nothing() const {
    IndexResult out;
    out.committed.version = table_->version();
    return out;
  }

 private:
  std::shared_ptr<io::Store> store_;
  const IndexOptions& options_;
  std::shared_ptr<const Table> table_;
  const std::array<uint8_t, 16> uuid_ = RandomUuid();
  UnpublishedFiles files_;
  IndexFiles output_;
};

}  // namespace

Result<IndexResult> CreateIndex(const std::shared_ptr<io::Store>& store, const std::string& column,
                                IndexKind kind, const IndexOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<const Table> table, OpenToEdit(store, options.edit));
  IndexEdit edit(store, options, std::move(table));
  PCHRONICLE_ASSIGN_OR_RETURN(
      BuiltIndex built, BuildIndex(edit.table(), column, kind, edit.BuildOptions(), edit.output()));
  built.replaced = SegmentsOf(*edit.table(), built.index.name);
  return edit.Commit(built);
}

Result<IndexResult> ExtendIndex(const std::shared_ptr<io::Store>& store, const std::string& name,
                                const IndexOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<const Table> table, OpenToEdit(store, options.edit));
  IndexEdit edit(store, options, std::move(table));
  PCHRONICLE_ASSIGN_OR_RETURN(const IndexedColumn column, ColumnOfIndex(*edit.table(), name));
  BuildIndexOptions build = edit.BuildOptions();
  build.name = name;
  build.addresses = HoldsAddresses(*edit.table(), SegmentsOf(*edit.table(), name));
  PCHRONICLE_ASSIGN_OR_RETURN(build.fragments, UnindexedFragments(*edit.table(), name));
  if (build.fragments->empty()) {
    return edit.Nothing();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(
      const BuiltIndex built,
      BuildIndex(edit.table(), column.path, column.kind, build, edit.output()));
  return edit.Commit(built);
}

Result<IndexResult> MergeIndex(const std::shared_ptr<io::Store>& store, const std::string& name,
                               const IndexOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<const Table> table, OpenToEdit(store, options.edit));
  IndexEdit edit(store, options, std::move(table));
  PCHRONICLE_ASSIGN_OR_RETURN(
      const std::optional<BuiltIndex> built,
      OptimizeIndex(edit.table(), name, edit.BuildOptions(), edit.output()));
  return built ? edit.Commit(*built) : edit.Nothing();
}

}  // namespace pchronicle::lance
