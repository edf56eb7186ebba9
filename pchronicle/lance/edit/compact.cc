#include "pchronicle/lance/edit/compact.h"

#include <algorithm>

#include "pchronicle/lance/edit/moved_rows.h"

namespace pchronicle::lance {
namespace {

uint64_t LiveRows(const proto::Fragment& fragment) {
  return fragment.physical_rows - (fragment.deletion ? fragment.deletion->deleted_rows : 0);
}

bool IsWorn(const proto::Fragment& fragment, const CompactOptions& options) {
  return fragment.deletion &&
         static_cast<double>(fragment.deletion->deleted_rows) >
             options.deleted_share * static_cast<double>(fragment.physical_rows);
}

/// Decides which fragments, by position, become one group.
class Planner {
 public:
  Planner(const Table& table, const CompactOptions& options) : table_(table), options_(options) {
    for (const proto::Index& index : table.indices()) {
      auto bitmap = RoaringBitmap::Decode(index.fragment_bitmap.value_or(""));
      if (bitmap.ok()) {
        covered_.push_back(std::move(*bitmap));
      }
    }
  }

  std::vector<std::vector<size_t>> Plan() {
    const auto& fragments = table_.fragments();
    for (size_t i = 0; i < fragments.size(); ++i) {
      const bool wanted =
          LiveRows(fragments[i]) < options_.target_rows || IsWorn(fragments[i], options_);
      if (!wanted || (!group_.empty() && !SameCover(group_.back(), i))) {
        EndGroup();
      }
      if (!wanted) {
        continue;
      }
      group_.push_back(i);
      rows_ += LiveRows(fragments[i]);
      if (rows_ >= options_.target_rows) {
        EndGroup();
      }
    }
    EndGroup();
    return std::move(groups_);
  }

 private:
  // A group stays covered by an index whose entries are row ids only if all of it was.
  bool SameCover(size_t a, size_t b) const {
    const auto id = [&](size_t i) { return static_cast<uint32_t>(table_.fragments()[i].id); };
    return !table_.stable_row_ids() ||
           std::all_of(covered_.begin(), covered_.end(), [&](const RoaringBitmap& bitmap) {
             return bitmap.Contains(id(a)) == bitmap.Contains(id(b));
           });
  }

  void EndGroup() {
    const bool useful = group_.size() > 1 ||
                        (group_.size() == 1 && IsWorn(table_.fragments()[group_[0]], options_));
    if (useful) {
      groups_.push_back(group_);
    }
    group_.clear();
    rows_ = 0;
  }

  const Table& table_;
  const CompactOptions& options_;
  std::vector<RoaringBitmap> covered_;
  std::vector<std::vector<size_t>> groups_;
  std::vector<size_t> group_;
  uint64_t rows_ = 0;
};

// Writes the live rows of a group to new fragments.
Result<proto::RewriteGroup> Rewrite(const std::shared_ptr<const Table>& table,
                                    const std::vector<size_t>& positions, FileVersion version,
                                    const CompactOptions& options, UnpublishedFiles* files) {
  proto::RewriteGroup group;
  for (const size_t position : positions) {
    group.old_fragments.push_back(table->fragments()[position]);
  }
  MovedRows moved(table);
  ScanOptions scan_options;
  scan_options.fragments.emplace();
  for (const proto::Fragment& fragment : group.old_fragments) {
    scan_options.fragments->insert(fragment.id);
  }
  moved.Request(&scan_options);
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Scan> scan,
                              Scan::Plan(table, std::move(scan_options)));
  FragmentWriter writer(table->manifest().fields, table->paths().InRoot(""), version,
                        {std::max<uint64_t>(options.target_rows, 1), options.max_file_bytes},
                        files);
  const Context unbounded;
  const Context& context = options.edit.context == nullptr ? unbounded : *options.edit.context;
  for (size_t task = 0; task < scan->tasks().size(); ++task) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<ScanTaskReader> reader, scan->OpenTask(task));
    for (columnar::RecordBatch batch;;) {
      PCHRONICLE_ASSIGN_OR_RETURN(const bool more, reader->Next(&batch, context));
      if (!more) {
        break;
      }
      PCHRONICLE_RETURN_IF_ERROR(moved.TakeFrom(&batch));
      PCHRONICLE_RETURN_IF_ERROR(writer.Append(batch));
    }
  }
  PCHRONICLE_ASSIGN_OR_RETURN(group.new_fragments, writer.Finish());
  moved.GiveIdentity(/*keep_updated=*/true, &group.new_fragments);
  return group;
}

}  // namespace

Result<CompactResult> CompactTable(const std::shared_ptr<io::Store>& store,
                                   const CompactOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table,
                              OpenToEdit(store, options.edit));
  CompactResult out;
  out.committed.version = table->version();
  const std::vector<std::vector<size_t>> groups = Planner(*table, options).Plan();
  if (groups.empty()) {
    return out;
  }
  const Result<FileVersion> version = VersionToWrite(table->manifest());
  if (!version.ok()) {
    return version.status().WithContext(table->Describe());
  }
  Change change;
  change.transaction.operation = proto::Transaction::Operation::kRewrite;
  change.transaction.read_version = table->version();
  UnpublishedFiles files(store);
  for (const std::vector<size_t>& positions : groups) {
    Result<proto::RewriteGroup> group = Rewrite(table, positions, *version, options, &files);
    if (!group.ok()) {
      return group.status().WithContext(table->Describe());
    }
    out.fragments_removed += group->old_fragments.size();
    out.fragments_added += group->new_fragments.size();
    for (const proto::Fragment& fragment : group->new_fragments) {
      out.rows += fragment.physical_rows;
    }
    change.transaction.groups.push_back(*std::move(group));
  }
  PCHRONICLE_ASSIGN_OR_RETURN(out.committed,
                              Commit(store, std::move(change), options.edit, &files));
  return out;
}

}  // namespace pchronicle::lance
