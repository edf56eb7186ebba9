#include "pchronicle/lance/edit/commit.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "pchronicle/io/path_check.h"
#include "pchronicle/lance/edit/conflict.h"
#include "pchronicle/lance/edit/deletions.h"
#include "pchronicle/lance/edit/manifest_bytes.h"
#include "pchronicle/lance/edit/next_version.h"
#include "pchronicle/lance/edit/unique_name.h"
#include "pchronicle/lance/table/feature_flags.h"

namespace pchronicle::lance {
namespace {

using Operation = proto::Transaction::Operation;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// One change on its way to a version.
class Committer {
 public:
  Committer(std::shared_ptr<io::Store> store, Change change, const EditOptions& options)
      : store_(std::move(store)),
        change_(std::move(change)),
        options_(options),
        root_(BranchRoot(options.branch)),
        checked_(change_.transaction.read_version),
        wait_(options.first_wait) {
    change_.transaction.uuid = UuidText(RandomUuid());
    change_.transaction.properties = options.properties;
  }

  Result<Committed> Run(UnpublishedFiles* files) {
    Result<Committed> out = RunAttempts();
    if (out.ok() || unknown_) {
      files->Keep();
      own_files_.Keep();
    }
    return out;
  }

 private:
  Result<Committed> RunAttempts() {
    for (int attempt = 1; attempt <= std::max(options_.attempts, 1); ++attempt) {
      if (attempt > 1) {
        Wait();
      }
      PCHRONICLE_RETURN_IF_ERROR(options_.CheckContext());
      PCHRONICLE_RETURN_IF_ERROR(ReadNewer());
      if (committed_) {
        return Committed{*committed_, attempt};
      }
      PCHRONICLE_ASSIGN_OR_RETURN(const std::optional<uint64_t> version, Attempt());
      if (version) {
        WriteHint(*version);
        return Committed{*version, attempt};
      }
    }
    return Status::Unavailable(
        "{} others committed first, {} times in a row; nothing was changed, the {} is lost; try it "
        "again later",
        store_->uri(), std::max(options_.attempts, 1),
        proto::OperationName(change_.transaction.operation));
  }

  // Finds the newest version and checks all that were committed since the last look.
  Status ReadNewer() {
    Result<std::vector<VersionEntry>> versions = ListVersions(*store_, root_ + "_versions");
    if (!versions.ok() && versions.status().code() != StatusCode::kNotFound) {
      return versions.status();
    }
    const bool empty = !versions.ok() || versions->empty();
    if (empty && change_.transaction.read_version == 0) {
      return Status::Ok();
    }
    if (empty || versions->back().version < checked_) {
      return Status::NotFound("{}: version {} is not there any more", store_->uri(), checked_);
    }
    scheme_ = versions->back().scheme;
    for (const VersionEntry& entry : *versions) {
      if (entry.version > checked_ || (latest_ == nullptr && entry.version == checked_)) {
        PCHRONICLE_RETURN_IF_ERROR(ReadVersion(entry));
      }
    }
    return CheckWriterFlags(latest_->manifest.writer_flags, store_->uri(),
                            latest_->manifest.version, latest_->manifest.writer.Text());
  }

  Status ReadVersion(const VersionEntry& entry) {
    PCHRONICLE_ASSIGN_OR_RETURN(ManifestFile file, ReadManifestFile(*store_, entry.path));
    if (entry.version > checked_) {
      Result<std::optional<proto::Transaction>> theirs =
          ReadTransaction(*store_, root_ + "_transactions", file);
      if (theirs.ok() && *theirs && (*theirs)->uuid == change_.transaction.uuid) {
        committed_ = entry.version;  // an earlier try got through although the store said otherwise
      } else {
        PCHRONICLE_RETURN_IF_ERROR(CheckAgainst(entry.version, theirs));
      }
      checked_ = entry.version;
    }
    latest_ = std::make_unique<ManifestFile>(std::move(file));
    return Status::Ok();
  }

  Status CheckAgainst(uint64_t version, const Result<std::optional<proto::Transaction>>& theirs) {
    const proto::Transaction& ours = change_.transaction;
    if (ours.read_version == 0) {
      return Status::AlreadyExists("{}: there is a table already, version {}", store_->uri(),
                                   version);
    }
    if (version != checked_ + 1) {
      return Status::Conflict(
          "{}: version {} was removed since version {} was read, so nobody can tell what it did; "
          "the {} is lost; run it again on the newest version",
          store_->uri(), checked_ + 1, ours.read_version, proto::OperationName(ours.operation));
    }
    if (!theirs.ok() || !*theirs) {
      return Status::Conflict(
          "{}: version {} does not tell what it did ({}); the {} is lost; run it again on the "
          "newest version",
          store_->uri(), version, theirs.ok() ? "it has no transaction" : theirs.status().message(),
          proto::OperationName(ours.operation));
    }
    if (change_.inserts_by_key && (*theirs)->operation == Operation::kUpdate &&
        !(*theirs)->new_fragments.empty()) {
      return Status::Conflict(
          "{}: version {} brought rows that may have the keys of rows inserted here; the {} is "
          "lost; run it again on the newest version",
          store_->uri(), version, proto::OperationName(ours.operation));
    }
    const bool stable =
        latest_ != nullptr && (latest_->manifest.reader_flags & kFlagStableRowIds) != 0;
    return CheckConflict(ours, **theirs, version, stable).WithContext(store_->uri());
  }

  // Writes the version behind latest_. Nothing: another writer got its number.
  Result<std::optional<uint64_t>> Attempt() {
    own_files_.DeleteAll();
    Change change = change_;
    PCHRONICLE_RETURN_IF_ERROR(Rebase(&change.transaction));
    NextVersionInput input;
    input.latest = latest_.get();
    input.now_ns = NowNs();
    ManifestFile restored;
    if (change.transaction.operation == Operation::kRestore) {
      PCHRONICLE_ASSIGN_OR_RETURN(restored, ReadOld(change.transaction.restored_version));
      input.restored = &restored;
    }
    if (change.transaction.operation == Operation::kCreateIndex) {
      PCHRONICLE_RETURN_IF_ERROR(NeedReadVersion());
      input.read_indices = &read_->indices;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(VersionContent next, BuildNextVersion(input, &change));
    const std::string transaction = proto::Write(change.transaction).Take();
    if ((next.manifest.writer_flags & kFlagNoTransactionFiles) == 0) {
      next.manifest.transaction_file =
          fmt::format("{}-{}.txn", change.transaction.read_version, change.transaction.uuid);
      const std::string path = root_ + "_transactions/" + next.manifest.transaction_file;
      own_files_.Add(path);
      PCHRONICLE_RETURN_IF_ERROR(store_->Put(path, transaction, /*if_absent=*/false));
    } else {
      next.manifest.transaction_file.clear();
    }
    const uint64_t version = next.manifest.version;
    PCHRONICLE_ASSIGN_OR_RETURN(
        const std::string bytes,
        EncodeManifestFile(std::move(next.manifest), next.indices, transaction));
    PCHRONICLE_RETURN_IF_ERROR(options_.CheckContext());
    return PutManifest(version, bytes);
  }

  Result<std::optional<uint64_t>> PutManifest(uint64_t version, const std::string& bytes) {
    const std::string path = root_ + "_versions/" + ManifestName(version, scheme_);
    const Status put = store_->Put(path, bytes, /*if_absent=*/true);
    if (put.ok()) {
      return std::optional<uint64_t>(version);
    }
    if (put.code() == StatusCode::kAlreadyExists) {
      return std::optional<uint64_t>();  // maybe our own: ReadNewer looks at the uuid
    }
    // The write may have taken effect although it failed; the file itself tells.
    const Result<ManifestFile> there = ReadManifestFile(*store_, path);
    if (!there.ok() && there.status().code() == StatusCode::kNotFound) {
      return put;
    }
    if (!there.ok()) {
      unknown_ = true;
      return Status::Unavailable(
          "{}: whether version {} was written is not known ({}; {}); look at the newest version "
          "before trying again",
          store_->uri(), version, put.message(), there.status().message());
    }
    if (there->transaction && there->transaction->uuid == change_.transaction.uuid) {
      return std::optional<uint64_t>(version);
    }
    return std::optional<uint64_t>();
  }

  // Deletions were written against the version that was read.
  Status Rebase(proto::Transaction* transaction) {
    const bool deletes = transaction->operation == Operation::kDelete ||
                         transaction->operation == Operation::kUpdate;
    if (!deletes || latest_->manifest.version == transaction->read_version) {
      return Status::Ok();
    }
    PCHRONICLE_RETURN_IF_ERROR(NeedReadVersion());
    const TablePaths paths(store_, root_, latest_->manifest.base_paths, options_.open_base);
    return MergeDeletions({&paths, &read_->manifest, &latest_->manifest}, root_, &own_files_,
                          transaction)
        .WithContext(store_->uri());
  }

  Status NeedReadVersion() {
    if (read_ == nullptr) {
      PCHRONICLE_ASSIGN_OR_RETURN(ManifestFile file, ReadOld(change_.transaction.read_version));
      read_ = std::make_unique<ManifestFile>(std::move(file));
    }
    return Status::Ok();
  }

  Result<ManifestFile> ReadOld(uint64_t version) {
    for (const NameScheme scheme : {scheme_, NameScheme::kV1, NameScheme::kV2}) {
      Result<ManifestFile> file =
          ReadManifestFile(*store_, root_ + "_versions/" + ManifestName(version, scheme));
      if (file.ok() || file.status().code() != StatusCode::kNotFound) {
        return file;
      }
    }
    return Status::NotFound("{}: version {} does not exist", store_->uri(), version);
  }

  // Readers work without it, so a failure is none.
  void WriteHint(uint64_t version) {
    const Status ignored = store_->Put(root_ + "_versions/latest_version_hint.json",
                                       fmt::format("{{\"version\":{}}}", version), false);
    static_cast<void>(ignored);
  }

  void Wait() {
    const auto part = static_cast<int64_t>(RandomU64() % 1024);
    std::this_thread::sleep_for(std::chrono::microseconds(wait_.count() * 1000 * part / 1024));
    wait_ = std::min(wait_ * 2, options_.longest_wait);
  }

  const std::shared_ptr<io::Store> store_;
  Change change_;  // as it was made; every attempt brings a copy onto the newest version
  const EditOptions& options_;
  const std::string root_;
  uint64_t checked_;  // newest version that was checked
  NameScheme scheme_ = NameScheme::kV2;
  std::unique_ptr<ManifestFile> latest_, read_;
  std::optional<uint64_t> committed_;
  bool unknown_ = false;
  UnpublishedFiles own_files_{store_};
  std::chrono::milliseconds wait_;
};

}  // namespace

Result<std::shared_ptr<const Table>> OpenToEdit(const std::shared_ptr<io::Store>& store,
                                                const EditOptions& options) {
  PCHRONICLE_RETURN_IF_ERROR(options.CheckContext());
  OpenOptions open;
  open.version = options.read_version;
  open.branch = options.branch;
  open.open_base = options.open_base;
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<const Table> table, Table::Open(store, open));
  PCHRONICLE_RETURN_IF_ERROR(CheckWriterFlags(table->manifest().writer_flags, table->uri(),
                                              table->version(), table->manifest().writer.Text()));
  return table;
}

Result<Committed> Commit(const std::shared_ptr<io::Store>& store, Change change,
                         const EditOptions& options, UnpublishedFiles* files) {
  PCHRONICLE_RETURN_IF_ERROR(io::CheckRelative(options.branch));
  return Committer(store, std::move(change), options).Run(files);
}

}  // namespace pchronicle::lance
