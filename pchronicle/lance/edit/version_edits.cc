#include "pchronicle/lance/edit/version_edits.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "pchronicle/base/timestamp.h"
#include "pchronicle/io/path_check.h"
#include "pchronicle/lance/table/reference_json.h"

namespace pchronicle::lance {
namespace {

std::optional<proto::UpdateMap> ToUpdates(const ConfigChange::Pairs& pairs) {
  if (pairs.empty()) {
    return std::nullopt;
  }
  proto::UpdateMap out;
  for (const auto& [key, value] : pairs) {
    out.entries.push_back({key, value});
  }
  return out;
}

bool IsReferenceCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

Status CheckTagName(std::string_view name) {
  const bool fits = !name.empty() && name != "." && name != ".." &&
                    std::all_of(name.begin(), name.end(), IsReferenceCharacter);
  return fits ? Status::Ok()
              : Status::InvalidArgument(
                    "'{}' is no name of a tag: letters, digits, '.', '-' and '_' are", name);
}

std::string TagPath(std::string_view name) { return fmt::format("_refs/tags/{}.json", name); }

// The file of a tag, after the version was found. `created`: of the tag it replaces.
Result<std::string> TagText(const io::Store& store, uint64_t version, const std::string& branch,
                            const std::string& created) {
  PCHRONICLE_RETURN_IF_ERROR(io::CheckRelative(branch));
  if (!std::all_of(branch.begin(), branch.end(),
                   [](char c) { return c == '/' || IsReferenceCharacter(c); })) {
    return Status::InvalidArgument("'{}' is no name of a branch", branch);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<VersionEntry> versions,
                              ListVersions(store, BranchRoot(branch) + "_versions"));
  for (const VersionEntry& entry : versions) {
    if (entry.version == version) {
      PCHRONICLE_ASSIGN_OR_RETURN(const io::Entry file, store.Stat(entry.path));
      const std::string now =
          FormatTimestamp(std::chrono::duration_cast<std::chrono::nanoseconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count());
      return fmt::format(R"({{"branch":{},"version":{},"createdAt":"{}","updatedAt":"{}",)"
                         R"("manifestSize":{},"metadata":{{}}}})",
                         branch.empty() ? "null" : "\"" + branch + "\"", version,
                         created.empty() ? now : created, now, file.size);
    }
  }
  return Status::NotFound("{}: version {} does not exist, so it cannot be tagged", store.uri(),
                          version);
}

// Whether a clean-up took files of the version that was restored. As long as the old version is
// there, any clean-up sees the new one before it deletes files.
Status CheckRestored(const std::shared_ptr<io::Store>& store, uint64_t version, uint64_t restored,
                     const EditOptions& options) {
  OpenOptions open;
  open.version = restored;
  open.branch = options.branch;
  open.open_base = options.open_base;
  if (Table::Open(store, open).status().code() != StatusCode::kNotFound) {
    return Status::Ok();
  }
  open.version = version;
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table, Table::Open(store, open));
  const auto check = [&](FileKind kind, const std::string& name,
                         const std::optional<uint32_t>& base) -> Status {
    PCHRONICLE_ASSIGN_OR_RETURN(const FilePlace place, table->paths().Locate(kind, name, base));
    if (place.store->Stat(place.path).status().code() != StatusCode::kNotFound) {
      return Status::Ok();
    }
    return Status::Unavailable(
        "{}: version {} was written, but a clean-up removed version {} and its file {} meanwhile; "
        "restore another version",
        store->uri(), version, restored, place.path);
  };
  for (const proto::Fragment& fragment : table->fragments()) {
    for (const proto::DataFile& file : fragment.files) {
      PCHRONICLE_RETURN_IF_ERROR(check(FileKind::kData, file.path, file.base_id));
    }
    if (fragment.deletion) {
      PCHRONICLE_RETURN_IF_ERROR(check(FileKind::kDeletion, fragment.deletion->Name(fragment.id),
                                       fragment.deletion->base_id));
    }
  }
  return Status::Ok();
}

}  // namespace

Result<Committed> RestoreVersion(const std::shared_ptr<io::Store>& store, uint64_t version,
                                 const EditOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table, OpenToEdit(store, options));
  OpenOptions old;
  old.version = version;
  old.branch = options.branch;
  old.open_base = options.open_base;
  // Also refuses what this reader cannot read.
  PCHRONICLE_RETURN_IF_ERROR(Table::Open(store, old).status());
  Change change;
  change.transaction.operation = proto::Transaction::Operation::kRestore;
  change.transaction.read_version = table->version();
  change.transaction.restored_version = version;
  UnpublishedFiles files(store);
  PCHRONICLE_ASSIGN_OR_RETURN(const Committed committed,
                              Commit(store, std::move(change), options, &files));
  PCHRONICLE_RETURN_IF_ERROR(CheckRestored(store, committed.version, version, options));
  return committed;
}

Result<Committed> UpdateConfig(const std::shared_ptr<io::Store>& store, const ConfigChange& update,
                               const EditOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table, OpenToEdit(store, options));
  Change change;
  change.transaction.operation = proto::Transaction::Operation::kUpdateConfig;
  change.transaction.read_version = table->version();
  change.transaction.config_updates = ToUpdates(update.config);
  change.transaction.table_metadata_updates = ToUpdates(update.table_metadata);
  change.transaction.schema_metadata_updates = ToUpdates(update.schema_metadata);
  UnpublishedFiles files(store);
  return Commit(store, std::move(change), options, &files);
}

Status CreateTag(const std::shared_ptr<io::Store>& store, const std::string& name, uint64_t version,
                 const std::string& branch) {
  PCHRONICLE_RETURN_IF_ERROR(CheckTagName(name));
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string text, TagText(*store, version, branch, {}));
  const Status put = store->Put(TagPath(name), text, /*if_absent=*/true);
  return put.code() == StatusCode::kAlreadyExists
             ? Status::AlreadyExists("{}: tag '{}' is there already", store->uri(), name)
             : put;
}

Status UpdateTag(const std::shared_ptr<io::Store>& store, const std::string& name, uint64_t version,
                 const std::string& branch) {
  PCHRONICLE_RETURN_IF_ERROR(CheckTagName(name));
  PCHRONICLE_RETURN_IF_ERROR(ReadTag(*store, name).status());
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string before,
                              io::ReadAll(*store, TagPath(name), 1 << 20));
  PCHRONICLE_ASSIGN_OR_RETURN(const columnar::Metadata members, ReadReferenceJson(before));
  const auto created = members.find("createdAt");
  const Result<Instant> time =
      created == members.end() ? Status::NotFound("no time") : ParseTimestampText(created->second);
  PCHRONICLE_ASSIGN_OR_RETURN(
      const std::string text,
      TagText(*store, version, branch, time.ok() ? FormatTimestamp(time->nanoseconds) : ""));
  return store->Put(TagPath(name), text, /*if_absent=*/false);
}

Status DeleteTag(const std::shared_ptr<io::Store>& store, const std::string& name) {
  PCHRONICLE_RETURN_IF_ERROR(CheckTagName(name));
  PCHRONICLE_RETURN_IF_ERROR(ReadTag(*store, name).status());
  return store->Delete(TagPath(name));
}

}  // namespace pchronicle::lance
