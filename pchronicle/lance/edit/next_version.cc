#include "pchronicle/lance/edit/next_version.h"

#include <algorithm>
#include <map>

#include "pchronicle/lance/edit/index_coverage.h"
#include "pchronicle/lance/edit/stored_row_ids.h"
#include "pchronicle/lance/table/feature_flags.h"

namespace pchronicle::lance {
namespace {

using Operation = proto::Transaction::Operation;

constexpr int32_t kTombstone = -2;

class Builder {
 public:
  Builder(const NextVersionInput& input, Change* change)
      : input_(input), change_(*change), transaction_(change->transaction) {}

  Result<VersionContent> Build() {
    Start();
    PCHRONICLE_RETURN_IF_ERROR(Apply());
    Finish();
    if (next_fragment_ > uint64_t{UINT32_MAX} + 1) {
      return Status::ResourceExhausted("the table has used all 2^32 fragment ids");
    }
    return std::move(out_);
  }

 private:
  proto::Manifest& manifest() { return out_.manifest; }

  void Start() {
    if (input_.latest != nullptr) {
      const proto::Manifest& latest = input_.latest->manifest;
      out_ = {latest, input_.latest->indices};
      // Positions and names of the old file must not be copied.
      manifest().index_section.reset();
      manifest().transaction_section.reset();
      manifest().tag.clear();
      next_fragment_ = latest.max_fragment_id ? uint64_t{*latest.max_fragment_id} + 1 : 0;
      for (const proto::Fragment& fragment : latest.fragments) {
        next_fragment_ = std::max(next_fragment_, fragment.id + 1);
      }
    }
    manifest().version = input_.latest == nullptr ? 1 : input_.latest->manifest.version + 1;
    manifest().timestamp_seconds = input_.now_ns / 1'000'000'000;
    manifest().timestamp_nanos = static_cast<int32_t>(input_.now_ns % 1'000'000'000);
    manifest().writer = {
        "pchronicle",
        PCHRONICLE_VERSION,
        "",
    };
    stable_ = (manifest().reader_flags & kFlagStableRowIds) != 0;
  }

  Status Apply() {
    switch (transaction_.operation) {
      case Operation::kAppend:
        return AddNewFragments();
      case Operation::kDelete:
        return ReplaceFragments();
      case Operation::kUpdate:
        PCHRONICLE_RETURN_IF_ERROR(ReplaceFragments());
        UncoverColumns(
            {transaction_.removed_fragments.begin(), transaction_.removed_fragments.end()},
            transaction_.fields_modified, &out_.indices);
        return AddNewFragments();
      case Operation::kOverwrite:
        return Overwrite();
      case Operation::kCreateIndex:
        return ChangeIndices();
      case Operation::kRewrite:
        return Rewrite();
      case Operation::kMerge:
        manifest().fragments = transaction_.new_fragments;
        manifest().fields = transaction_.schema;
        manifest().schema_metadata = transaction_.schema_metadata;
        return Status::Ok();
      case Operation::kProject:
        manifest().fields = transaction_.schema;
        DropUnusedFiles();
        return Status::Ok();
      case Operation::kRestore:
        return Restore();
      case Operation::kReserveFragments:
        next_fragment_ += transaction_.reserved_fragments;
        return Status::Ok();
      case Operation::kUpdateConfig:
        ApplyUpdates(transaction_.config_updates, &manifest().config);
        ApplyUpdates(transaction_.table_metadata_updates, &manifest().table_metadata);
        ApplyUpdates(transaction_.schema_metadata_updates, &manifest().schema_metadata);
        return Status::Ok();
      default:
        return Status::Internal("operation {} is not one that is committed here",
                                proto::OperationName(transaction_.operation));
    }
  }

  void Finish() {
    for (proto::Fragment& fragment : manifest().fragments) {
      std::erase_if(fragment.files, [&](const proto::DataFile& file) {
        return std::all_of(file.fields.begin(), file.fields.end(),
                           [](int32_t field) { return field == kTombstone; });
      });
    }
    std::sort(manifest().fragments.begin(), manifest().fragments.end(),
              [](const auto& a, const auto& b) { return a.id < b.id; });
    DropIndicesOfMissingFields(manifest().fields, &out_.indices);
    if (next_fragment_ > 0) {
      manifest().max_fragment_id = static_cast<uint32_t>(next_fragment_ - 1);
    }
    SetFlags();
  }

  void SetFlags() {
    const uint64_t kept = manifest().reader_flags & (kFlagStableRowIds | kFlagNoTransactionFiles);
    const uint64_t kept_by_writers =
        manifest().writer_flags & (kFlagStableRowIds | kFlagNoTransactionFiles);
    uint64_t flags = 0;
    for (const proto::Fragment& fragment : manifest().fragments) {
      flags |= fragment.deletion ? kFlagDeletionFiles : 0;
    }
    flags |= manifest().base_paths.empty() ? 0 : kFlagBasePaths;
    manifest().reader_flags = flags | kept;
    manifest().writer_flags =
        flags | kept_by_writers | (manifest().config.empty() ? 0 : kFlagTableConfig);
  }

  // Ids of rows and versions for one fragment of new rows. A fragment of a rewrite may have an id
  // that was reserved for it; the first fragment of a table, 0, is never one.
  Status Identify(size_t position, proto::Fragment* fragment) {
    if (transaction_.operation != Operation::kRewrite || fragment->id == 0) {
      fragment->id = next_fragment_++;
    } else if (fragment->id >= next_fragment_ || IsThere(fragment->id)) {
      return Status::Internal("fragment id {} was not reserved", fragment->id);
    }
    if (!stable_) {
      fragment->row_ids = fragment->created_at = fragment->last_updated_at = {};
      return Status::Ok();
    }
    uint64_t& next = manifest().next_row_id;
    if (next > UINT64_MAX - fragment->physical_rows - 1) {
      return Status::ResourceExhausted("the table has used all row ids");
    }
    if (position < change_.identities.size() && !change_.identities[position].empty()) {
      std::vector<uint64_t> ids, created;
      for (const RowIdentity& row : change_.identities[position]) {
        const bool is_new = row.id == RowIdentity::kNew;
        ids.push_back(is_new ? next++ : row.id);
        created.push_back(is_new ? manifest().version : row.created);
      }
      fragment->row_ids.inline_bytes = EncodeIds(ids);
      fragment->created_at.inline_bytes = EncodeVersions(created);
    }
    if (!fragment->row_ids.inline_bytes) {
      fragment->row_ids.inline_bytes = EncodeIdRange(next, fragment->physical_rows);
      next += fragment->physical_rows;
    }
    const std::string now = EncodeVersionRun(fragment->physical_rows, manifest().version);
    if (!fragment->created_at.inline_bytes) {
      fragment->created_at.inline_bytes = now;
    }
    if (!fragment->last_updated_at.inline_bytes) {
      fragment->last_updated_at.inline_bytes = now;
    }
    return Status::Ok();
  }

  bool IsThere(uint64_t id) {
    return std::any_of(manifest().fragments.begin(), manifest().fragments.end(),
                       [&](const proto::Fragment& fragment) { return fragment.id == id; });
  }

  Status AddNewFragments() {
    for (size_t i = 0; i < transaction_.new_fragments.size(); ++i) {
      proto::Fragment fragment = transaction_.new_fragments[i];
      PCHRONICLE_RETURN_IF_ERROR(Identify(i, &fragment));
      manifest().fragments.push_back(std::move(fragment));
    }
    return Status::Ok();
  }

  Result<proto::Fragment*> Find(uint64_t id) {
    for (proto::Fragment& fragment : manifest().fragments) {
      if (fragment.id == id) {
        return &fragment;
      }
    }
    return Status::Conflict("fragment {} is not in version {} any more; run it again", id,
                            manifest().version - 1);
  }

  Status ReplaceFragments() {
    for (const proto::Fragment& updated : transaction_.updated_fragments) {
      PCHRONICLE_ASSIGN_OR_RETURN(proto::Fragment* const there, Find(updated.id));
      *there = updated;
    }
    return RemoveFragments(transaction_.removed_fragments);
  }

  Status RemoveFragments(const std::vector<uint64_t>& ids) {
    for (const uint64_t id : ids) {
      PCHRONICLE_RETURN_IF_ERROR(Find(id).status());
    }
    const std::set<uint64_t> gone(ids.begin(), ids.end());
    std::erase_if(manifest().fragments,
                  [&](const proto::Fragment& fragment) { return gone.contains(fragment.id); });
    return Status::Ok();
  }

  Status Overwrite() {
    const bool created = input_.latest == nullptr;
    out_.indices.clear();
    manifest().fragments.clear();
    manifest().fields = transaction_.schema;
    manifest().schema_metadata = transaction_.schema_metadata;
    manifest().file_format = "lance";
    manifest().file_version = change_.file_version;
    if (created && change_.stable_row_ids) {
      manifest().reader_flags |= kFlagStableRowIds;
      manifest().writer_flags |= kFlagStableRowIds;
      stable_ = true;
    }
    return AddNewFragments();
  }

  // The later of two indices of one name replaces the other, unless both stood there before.
  Status ChangeIndices() {
    std::set<std::array<uint8_t, 16>> removed, read;
    for (const proto::Index& index : transaction_.removed_indices) {
      removed.insert(index.uuid);
    }
    for (const proto::Index& index : *input_.read_indices) {
      read.insert(index.uuid);
    }
    std::erase_if(out_.indices, [&](const proto::Index& index) {
      const bool replaced =
          !read.contains(index.uuid) &&
          std::any_of(transaction_.new_indices.begin(), transaction_.new_indices.end(),
                      [&](const proto::Index& added) { return added.name == index.name; });
      return replaced || removed.contains(index.uuid);
    });
    out_.indices.insert(out_.indices.end(), transaction_.new_indices.begin(),
                        transaction_.new_indices.end());
    return Status::Ok();
  }

  Status Rewrite() {
    std::vector<RewrittenFragments> groups;
    for (proto::RewriteGroup& group : transaction_.groups) {
      RewrittenFragments& ids = groups.emplace_back();
      for (const proto::Fragment& old : group.old_fragments) {
        ids.old_ids.push_back(old.id);
      }
      PCHRONICLE_RETURN_IF_ERROR(RemoveFragments(ids.old_ids));
      for (proto::Fragment& fragment : group.new_fragments) {
        PCHRONICLE_RETURN_IF_ERROR(Identify(SIZE_MAX, &fragment));
        ids.new_ids.push_back(fragment.id);
        manifest().fragments.push_back(fragment);
      }
    }
    const auto remapped = ReplaceRewritten(&transaction_.rewritten_indices, &out_.indices);
    CoverRewritten(groups, stable_, remapped, &out_.indices);
    return Status::Ok();
  }

  // A file without any field of the schema is of no use, but a fragment keeps one.
  void DropUnusedFiles() {
    std::set<int32_t> ids;
    for (const proto::Field& field : manifest().fields) {
      ids.insert(field.id);
    }
    for (proto::Fragment& fragment : manifest().fragments) {
      std::vector<proto::DataFile> used;
      for (const proto::DataFile& file : fragment.files) {
        if (std::any_of(file.fields.begin(), file.fields.end(),
                        [&](int32_t field) { return ids.contains(field); })) {
          used.push_back(file);
        }
      }
      if (!used.empty()) {
        fragment.files = std::move(used);
      }
    }
  }

  Status Restore() {
    const proto::Manifest& old = input_.restored->manifest;
    const uint64_t next_row_id = std::max(manifest().next_row_id, old.next_row_id);
    proto::Manifest& now = manifest();
    now.fields = old.fields;
    now.fragments = old.fragments;
    now.schema_metadata = old.schema_metadata;
    now.reader_flags = old.reader_flags;
    now.writer_flags = old.writer_flags;
    now.file_format = old.file_format;
    now.file_version = old.file_version;
    now.config = old.config;
    now.table_metadata = old.table_metadata;
    now.base_paths = old.base_paths;
    now.next_row_id = next_row_id;
    out_.indices = input_.restored->indices;
    return Status::Ok();
  }

  static void ApplyUpdates(const std::optional<proto::UpdateMap>& updates, proto::Metadata* map) {
    if (!updates) {
      return;
    }
    if (updates->replace) {
      map->clear();
    }
    for (const proto::UpdateMap::Entry& entry : updates->entries) {
      if (entry.value) {
        map->insert_or_assign(entry.key, *entry.value);
      } else {
        map->erase(entry.key);
      }
    }
  }

  const NextVersionInput& input_;
  Change& change_;
  proto::Transaction& transaction_;
  VersionContent out_;
  uint64_t next_fragment_ = 0;
  bool stable_ = false;
};

}  // namespace

Result<VersionContent> BuildNextVersion(const NextVersionInput& input, Change* change) {
  return Builder(input, change).Build();
}

}  // namespace pchronicle::lance
