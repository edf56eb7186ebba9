#include "pchronicle/lance/edit/compact.h"

#include <algorithm>
#include <array>

#include "pchronicle/lance/edit/index_coverage.h"
#include "pchronicle/lance/edit/index_files.h"
#include "pchronicle/lance/edit/moved_rows.h"
#include "pchronicle/lance/edit/unique_name.h"
#include "pchronicle/lance/index/remap_index.h"

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
      if (bitmap.ok() && (HoldsRowIds(index, table.stable_row_ids()) || CanRemap(table, index))) {
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
  // A group stays covered by an index only if all of it was.
  bool SameCover(size_t a, size_t b) const {
    const auto id = [&](size_t i) { return static_cast<uint32_t>(table_.fragments()[i].id); };
    return std::all_of(covered_.begin(), covered_.end(), [&](const RoaringBitmap& bitmap) {
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
  std::vector<RoaringBitmap> covered_;  // of indices that compaction keeps
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

// Writes the segments that cover rewritten fragments again.
class IndexRemapper {
 public:
  IndexRemapper(std::shared_ptr<io::Store> store, std::shared_ptr<const Table> table,
                const CompactOptions& options)
      : store_(std::move(store)), table_(std::move(table)), options_(options) {}

  Status Run(proto::Transaction* transaction, UnpublishedFiles* files, CompactResult* result) {
    std::vector<const proto::Index*> wanted;
    for (const proto::Index& index : table_->indices()) {
      PCHRONICLE_ASSIGN_OR_RETURN(const bool touched, Covers(index, transaction->groups));
      if (touched && CanRemap(*table_, index)) {
        wanted.push_back(&index);
      }
    }
    if (wanted.empty()) {
      return Status::Ok();
    }
    PCHRONICLE_RETURN_IF_ERROR(ReserveIds(&transaction->groups));
    PCHRONICLE_ASSIGN_OR_RETURN(const RowMoves moves, Moves(transaction->groups));
    for (const proto::Index* index : wanted) {
      PCHRONICLE_RETURN_IF_ERROR(Remap(*index, moves, transaction, files, result));
    }
    return Status::Ok();
  }

 private:
  // Covers all old fragments of a group.
  static Result<bool> Covers(const proto::Index& index,
                             const std::vector<proto::RewriteGroup>& groups) {
    const auto bitmap = RoaringBitmap::Decode(index.fragment_bitmap.value_or(""));
    return bitmap.ok() &&
           std::any_of(groups.begin(), groups.end(), [&](const proto::RewriteGroup& group) {
             return std::all_of(group.old_fragments.begin(), group.old_fragments.end(),
                                [&](const proto::Fragment& fragment) {
                                  return bitmap->Contains(static_cast<uint32_t>(fragment.id));
                                });
           });
  }

  // Addresses are known once the fragments have ids. They are taken by a version of its own, as the
  // official library does; ids that are not used in the end are never used.
  Status ReserveIds(std::vector<proto::RewriteGroup>* groups) {
    Change change;
    change.transaction.operation = proto::Transaction::Operation::kReserveFragments;
    change.transaction.read_version = table_->version();
    for (const proto::RewriteGroup& group : *groups) {
      change.transaction.reserved_fragments += group.new_fragments.size();
    }
    const uint64_t count = change.transaction.reserved_fragments;
    if (count == 0) {
      return Status::Ok();  // all rows were deleted
    }
    UnpublishedFiles none(store_);
    PCHRONICLE_ASSIGN_OR_RETURN(const Committed reserved,
                                Commit(store_, std::move(change), options_.edit, &none));
    EditOptions edit = options_.edit;
    edit.read_version = reserved.version;
    PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table, OpenToEdit(store_, edit));
    uint64_t next = uint64_t{table->manifest().max_fragment_id.value_or(0)} + 1 - count;
    for (proto::RewriteGroup& group : *groups) {
      for (proto::Fragment& fragment : group.new_fragments) {
        fragment.id = next++;
      }
    }
    return Status::Ok();
  }

  Result<RowMoves> Moves(const std::vector<proto::RewriteGroup>& groups) const {
    RowMoves out;
    for (const proto::RewriteGroup& group : groups) {
      std::vector<RowMoves::Source> from;
      std::vector<RowMoves::Target> to;
      for (const proto::Fragment& fragment : group.old_fragments) {
        const std::optional<size_t> position = table_->FindFragment(fragment.id);
        PCHRONICLE_CHECK(position.has_value());
        PCHRONICLE_ASSIGN_OR_RETURN(auto deleted, table_->Deletions(*position));
        from.push_back(
            {static_cast<uint32_t>(fragment.id), fragment.physical_rows, std::move(deleted)});
      }
      for (const proto::Fragment& fragment : group.new_fragments) {
        to.push_back({static_cast<uint32_t>(fragment.id), fragment.physical_rows});
      }
      PCHRONICLE_RETURN_IF_ERROR(out.Add(std::move(from), std::move(to)));
    }
    return out;
  }

  // A segment whose files are damaged or missing only loses what it covers.
  Status Remap(const proto::Index& index, const RowMoves& moves, proto::Transaction* transaction,
               UnpublishedFiles* files, CompactResult* result) {
    const Context unbounded;
    const Context& context = options_.edit.context == nullptr ? unbounded : *options_.edit.context;
    const std::array<uint8_t, 16> uuid = RandomUuid();
    UnpublishedFiles own(store_);
    IndexFiles output(&own, table_->paths(), uuid);
    Result<std::optional<BuiltIndex>> built =
        RemapIndex(*table_, index, moves, uuid, context, &output);
    const StatusCode code = built.status().code();
    if (code == StatusCode::kCorruption || code == StatusCode::kNotFound ||
        (built.ok() && !*built)) {
      return Status::Ok();
    }
    if (!built.ok()) {
      return built.status();
    }
    const BuiltIndex& now = **built;
    transaction->rewritten_indices.push_back({index.uuid, now.index.uuid, now.index.type_url,
                                              now.index.details, now.index.index_version,
                                              now.index.files});
    files->Take(&own);
    ++result->indices_remapped;
    result->index_entries += now.entries;
    return Status::Ok();
  }

  const std::shared_ptr<io::Store> store_;
  const std::shared_ptr<const Table> table_;
  const CompactOptions& options_;
};

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
  const Status remapped =
      IndexRemapper(store, table, options).Run(&change.transaction, &files, &out);
  if (!remapped.ok()) {
    return remapped.WithContext(table->Describe());
  }
  PCHRONICLE_ASSIGN_OR_RETURN(out.committed,
                              Commit(store, std::move(change), options.edit, &files));
  return out;
}

}  // namespace pchronicle::lance
