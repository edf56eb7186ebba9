#include "pchronicle/lance/edit/cleanup.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "pchronicle/lance/edit/referenced_files.h"
#include "pchronicle/lance/table/feature_flags.h"
#include "pchronicle/lance/table/references.h"

namespace pchronicle::lance {
namespace {

// Versions that something outside the table refers to.
Result<std::set<uint64_t>> PinnedVersions(const io::Store& store, const std::string& branch) {
  std::set<uint64_t> out;
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<Tag> tags, ListTags(store));
  for (const Tag& tag : tags) {
    if (tag.branch == branch) {
      out.insert(tag.version);
    }
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<Branch> branches, ListBranches(store));
  for (const Branch& child : branches) {
    if (child.parent == branch) {
      out.insert(child.parent_version);
    }
  }
  return out;
}

/// One clean-up: versions first, then what only removed ones refer to.
class Cleaner {
 public:
  Cleaner(std::shared_ptr<io::Store> store, const CleanupOptions& options)
      : store_(std::move(store)), options_(options), root_(BranchRoot(options.edit.branch)) {}

  Result<CleanupReport> Run() {
    PCHRONICLE_RETURN_IF_ERROR(ReadVersions());
    PCHRONICLE_ASSIGN_OR_RETURN(std::vector<StoredFile> files, ListStoredFiles(*store_, root_));
    // What was committed or tagged while the files were listed.
    PCHRONICLE_RETURN_IF_ERROR(ReadVersions());
    PCHRONICLE_RETURN_IF_ERROR(Decide());
    // Manifests first: who restores a version either finds it gone, or has committed by now and is
    // seen by this look.
    PCHRONICLE_RETURN_IF_ERROR(DeleteVersions());
    PCHRONICLE_RETURN_IF_ERROR(ReadVersions());
    SortFiles();
    std::vector<StoredFile> going;
    const int64_t now =
        options_.now_ns.value_or(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count());
    for (StoredFile& file : files) {
      if (IsReferenced(kept_, file)) {
        continue;
      }
      if (IsReferenced(dropped_, file) || file.modified_ns <= now - options_.orphan_age_ns) {
        going.push_back(std::move(file));
      } else {
        ++report_.young_orphans;
      }
    }
    PCHRONICLE_RETURN_IF_ERROR(DeleteFiles(going));
    report_.versions_kept = versions_.size() - going_.size();
    return report_;
  }

 private:
  // Reads versions that were not read yet.
  Status ReadVersions() {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<VersionEntry> entries,
                                ListVersions(*store_, root_ + "_versions"));
    if (entries.empty()) {
      return Status::NotFound("no Lance table: no version in _versions");
    }
    for (const VersionEntry& entry : entries) {
      PCHRONICLE_RETURN_IF_ERROR(options_.edit.CheckContext());
      if (!versions_.contains(entry.version)) {
        PCHRONICLE_ASSIGN_OR_RETURN(ManifestFile file, ReadManifestFile(*store_, entry.path));
        PCHRONICLE_RETURN_IF_ERROR(CheckFlags(file.manifest));
        Version& version = versions_[entry.version];
        version.path = entry.path;
        version.seconds = file.manifest.timestamp_seconds;
        version.nanos = file.manifest.timestamp_nanos;
        version.files.Add(file);
      }
    }
    return ReadOtherBranches();
  }

  // Which versions go.
  Status Decide() {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::set<uint64_t> pinned,
                                PinnedVersions(*store_, options_.edit.branch));
    uint64_t behind = versions_.size();  // this version and those that are newer
    for (const auto& [number, version] : versions_) {
      const bool stays = behind-- <= std::max<uint64_t>(options_.retain, 1) ||
                         pinned.contains(number) || !IsOld(version);
      if (!stays) {
        going_.insert(number);
      }
    }
    return Status::Ok();
  }

  // Every version that does not go keeps its files, also one that came while others went.
  void SortFiles() {
    kept_ = of_branches_;
    for (const auto& [number, version] : versions_) {
      ReferencedFiles& files = going_.contains(number) ? dropped_ : kept_;
      files.data.insert(version.files.data.begin(), version.files.data.end());
      files.deletions.insert(version.files.deletions.begin(), version.files.deletions.end());
      files.indices.insert(version.files.indices.begin(), version.files.indices.end());
      files.transactions.insert(version.files.transactions.begin(),
                                version.files.transactions.end());
    }
  }

  // Every version of every other branch, since any of them may refer to files that lie here.
  Status ReadOtherBranches() {
    PCHRONICLE_ASSIGN_OR_RETURN(std::vector<Branch> branches, ListBranches(*store_));
    branches.push_back({});  // main
    for (const Branch& branch : branches) {
      if (branch.name == options_.edit.branch) {
        continue;
      }
      const Result<std::vector<VersionEntry>> entries =
          ListVersions(*store_, BranchRoot(branch.name) + "_versions");
      if (!entries.ok() && entries.status().code() == StatusCode::kNotFound) {
        continue;  // a branch that is only half made, or removed
      }
      PCHRONICLE_RETURN_IF_ERROR(entries.status());
      for (const VersionEntry& entry : *entries) {
        PCHRONICLE_RETURN_IF_ERROR(options_.edit.CheckContext());
        if (!read_of_branches_.contains(entry.path)) {
          PCHRONICLE_ASSIGN_OR_RETURN(const ManifestFile file,
                                      ReadManifestFile(*store_, entry.path));
          PCHRONICLE_RETURN_IF_ERROR(CheckFlags(file.manifest));
          of_branches_.AddOfOtherBases(file);
          read_of_branches_.insert(entry.path);
        }
      }
    }
    return Status::Ok();
  }

  // A feature that is not known may refer to files in ways that are not known.
  Status CheckFlags(const proto::Manifest& manifest) const {
    PCHRONICLE_RETURN_IF_ERROR(CheckReaderFlags(manifest.reader_flags, store_->uri(),
                                                manifest.version, manifest.writer.Text()));
    return CheckWriterFlags(manifest.writer_flags & ~kFlagMixedFileVersions, store_->uri(),
                            manifest.version, manifest.writer.Text());
  }

  struct Version {
    std::string path;
    int64_t seconds = 0, nanos = 0;
    ReferencedFiles files;
  };

  bool IsOld(const Version& version) const {
    if (!options_.older_than_ns) {
      return true;
    }
    const int64_t limit = *options_.older_than_ns;
    const int64_t whole =
        limit >= 0 ? limit / 1'000'000'000 : (limit - 999'999'999) / 1'000'000'000;
    return version.seconds != whole ? version.seconds < whole
                                    : version.nanos < limit - whole * 1'000'000'000;
  }

  Status Delete(const std::string& path) {
    const Status status = options_.dry_run ? Status::Ok() : store_->Delete(path);
    return status.code() == StatusCode::kNotFound ? Status::Ok() : status;
  }

  Status DeleteFiles(const std::vector<StoredFile>& going) {
    std::set<std::string> directories;
    for (const StoredFile& file : going) {
      PCHRONICLE_RETURN_IF_ERROR(options_.edit.CheckContext());
      PCHRONICLE_RETURN_IF_ERROR(Delete(file.path));
      report_.bytes += file.size;
      switch (file.kind) {
        case StoredFile::Kind::kData:
          ++report_.data_files;
          break;
        case StoredFile::Kind::kDeletion:
          ++report_.deletion_files;
          break;
        case StoredFile::Kind::kIndex:
          ++report_.index_files;
          break;
        case StoredFile::Kind::kTransaction:
          ++report_.transaction_files;
          break;
        case StoredFile::Kind::kTemporary:
          break;
      }
      const std::string directory = file.path.substr(0, file.path.rfind('/'));
      const std::string name = directory.substr(directory.rfind('/') + 1);
      // Only directories of one index or of the sidecars of one file.
      if (file.owner == name || file.owner == name + ".lance") {
        directories.insert(directory);
      }
    }
    for (const std::string& directory : directories) {
      if (!options_.dry_run) {
        // It may hold what is too young; then it stays.
        const Status ignored = store_->DeleteEmptyDirectory(directory);
        static_cast<void>(ignored);
      }
    }
    return Status::Ok();
  }

  Status DeleteVersions() {
    for (const uint64_t number : going_) {
      PCHRONICLE_RETURN_IF_ERROR(options_.edit.CheckContext());
      PCHRONICLE_RETURN_IF_ERROR(Delete(versions_.at(number).path));
      ++report_.versions;
    }
    return Status::Ok();
  }

  const std::shared_ptr<io::Store> store_;
  const CleanupOptions& options_;
  const std::string root_;
  std::map<uint64_t, Version> versions_;
  ReferencedFiles kept_, dropped_;
  ReferencedFiles of_branches_;  // files of this one that others refer to
  std::set<std::string> read_of_branches_;
  std::set<uint64_t> going_;
  CleanupReport report_;
};

}  // namespace

Result<CleanupReport> CleanUp(const std::shared_ptr<io::Store>& store,
                              const CleanupOptions& options) {
  Result<CleanupReport> out = Cleaner(store, options).Run();
  return out.ok() ? std::move(out) : Result<CleanupReport>(out.status().WithContext(store->uri()));
}

}  // namespace pchronicle::lance
