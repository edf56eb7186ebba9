#include "pchronicle/lance/edit/deletions.h"

#include <algorithm>

#include "pchronicle/lance/edit/unique_name.h"
#include "pchronicle/lance/table/deletion_file.h"

namespace pchronicle::lance {
namespace {

const proto::Fragment* Find(const proto::Manifest& manifest, uint64_t id) {
  const auto& all = manifest.fragments;
  const auto it = std::lower_bound(
      all.begin(), all.end(), id, [](const auto& fragment, uint64_t i) { return fragment.id < i; });
  return it == all.end() || it->id != id ? nullptr : &*it;
}

Result<RoaringBitmap> Deleted(const TablePaths& paths, const proto::Fragment& fragment) {
  ReadCounters reads;
  return fragment.deletion ? ReadDeletionFile(paths, fragment, &reads) : RoaringBitmap();
}

Status Lost(const VersionPair& versions, uint64_t fragment, std::string_view why) {
  return Status::Conflict(
      "fragment {} {} between version {}, on which this change was made, and version {}; nothing "
      "was changed; run it again on the newest version",
      fragment, why, versions.read->version, versions.latest->version);
}

// The fragment as it was read and as it is now; nothing to merge when both are the same.
struct Both {
  const proto::Fragment *read, *latest;
  bool same() const { return read->deletion == latest->deletion; }
};
Result<Both> FindBoth(const VersionPair& versions, uint64_t id) {
  const Both both{Find(*versions.read, id), Find(*versions.latest, id)};
  if (both.read == nullptr) {
    return Status::Internal("fragment {} is not in version {}", id, versions.read->version);
  }
  if (both.latest == nullptr) {
    return Lost(versions, id, "was removed");
  }
  if (both.latest->files != both.read->files) {
    return Lost(versions, id, "got other data files");
  }
  return both;
}

}  // namespace

Status WriteDeletions(const std::string& root, uint64_t read_version, const RoaringBitmap& deleted,
                      UnpublishedFiles* files, proto::Fragment* fragment) {
  proto::DeletionFile file;
  file.kind = proto::DeletionFile::Kind::kBitmap;
  file.read_version = read_version;
  file.id = RandomU64();
  file.deleted_rows = deleted.cardinality();
  const std::string path = root + "_deletions/" + file.Name(fragment->id);
  files->Add(path);
  PCHRONICLE_RETURN_IF_ERROR(
      files->store().Put(path, deleted.Encode(), /*if_absent=*/true).WithContext(path));
  fragment->deletion = std::move(file);
  return Status::Ok();
}

Status DeleteFromFragments(const Table& table, const RowsByFragment& rows, UnpublishedFiles* files,
                           proto::Transaction* transaction) {
  for (const auto& [id, more] : rows) {
    const std::optional<size_t> position = table.FindFragment(id);
    if (!position) {
      return Status::Internal("fragment {} is not in {}", id, table.Describe());
    }
    proto::Fragment fragment = table.fragments()[*position];
    PCHRONICLE_ASSIGN_OR_RETURN(const auto before, table.Deletions(*position));
    const RoaringBitmap deleted = before == nullptr ? more.Union(more) : more.Union(*before);
    if (deleted.cardinality() == fragment.physical_rows) {
      transaction->removed_fragments.push_back(id);
      continue;
    }
    PCHRONICLE_RETURN_IF_ERROR(
        WriteDeletions(table.paths().InRoot(""), table.version(), deleted, files, &fragment));
    transaction->updated_fragments.push_back(std::move(fragment));
  }
  return Status::Ok();
}

Status MergeDeletions(const VersionPair& versions, const std::string& root, UnpublishedFiles* files,
                      proto::Transaction* transaction) {
  for (const uint64_t id : transaction->removed_fragments) {
    PCHRONICLE_ASSIGN_OR_RETURN(const Both both, FindBoth(versions, id));
    if (!both.same()) {
      return Lost(versions, id, "lost rows that this change deletes, too,");
    }
  }
  std::vector<proto::Fragment> updated;
  for (proto::Fragment& fragment : transaction->updated_fragments) {
    PCHRONICLE_ASSIGN_OR_RETURN(const Both both, FindBoth(versions, fragment.id));
    if (both.same()) {
      updated.push_back(std::move(fragment));
      continue;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const RoaringBitmap before, Deleted(*versions.paths, *both.read));
    PCHRONICLE_ASSIGN_OR_RETURN(const RoaringBitmap now, Deleted(*versions.paths, *both.latest));
    PCHRONICLE_ASSIGN_OR_RETURN(const RoaringBitmap ours, Deleted(*versions.paths, fragment));
    if (ours.Without(before).Intersect(now.Without(before)).cardinality() != 0) {
      return Lost(versions, fragment.id, "lost rows that this change deletes, too,");
    }
    const RoaringBitmap all = ours.Union(now);
    if (all.cardinality() == fragment.physical_rows) {
      transaction->removed_fragments.push_back(fragment.id);
      continue;
    }
    proto::Fragment merged = *both.latest;
    PCHRONICLE_RETURN_IF_ERROR(WriteDeletions(root, versions.latest->version, all, files, &merged));
    updated.push_back(std::move(merged));
  }
  transaction->updated_fragments = std::move(updated);
  return Status::Ok();
}

}  // namespace pchronicle::lance
