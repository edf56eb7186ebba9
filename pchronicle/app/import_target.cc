#include "pchronicle/app/import_target.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "pchronicle/app/durable_file.h"
#include "pchronicle/app/inventory.h"

namespace pchronicle::app {
namespace {

namespace fs = std::filesystem;

bool IsInside(const fs::path& inner, const fs::path& outer) {
  const auto [outer_end, inner_at] =
      std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return outer_end == outer.end();
}

}  // namespace

StagingFolder::~StagingFolder() {
  if (!path_.empty()) {
    std::error_code error;
    fs::remove_all(path_, error);
  }
}

Status CheckImportTarget(const ImportOptions& options, const Context& context) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(options.to, error))) {
    return Status::Ok();
  }
  if (!options.replace) {
    return Status::AlreadyExists("{} already exists; choose another --to, or pass --replace",
                                 options.to);
  }
  if (!options.text && IsInside(fs::weakly_canonical(options.from, error),
                                fs::weakly_canonical(options.to, error))) {
    return Status::InvalidArgument(
        "the source {} lies inside the Dataset {} that would be replaced", options.from,
        options.to);
  }
  return CheckReplaceable(options.to, context);
}

Status CheckReplaceable(const std::string& target, const Context& context) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(target, error);
  const char* home = std::getenv("HOME");
  if (path == path.root_path() || (home != nullptr && path == fs::weakly_canonical(home, error))) {
    return Status::InvalidArgument("{} must not be replaced", target);
  }
  if (!fs::is_directory(fs::symlink_status(target, error))) {
    return Status::InvalidArgument("{} is no directory and cannot be replaced by a Dataset",
                                   target);
  }
  if (fs::is_empty(path, error)) {
    return Status::Ok();
  }
  catalog::SnapshotOptions options;
  options.errors = catalog::ErrorPolicy::kReport;
  PCHRONICLE_ASSIGN_OR_RETURN(const auto snapshot,
                              OpenDataset({target, path.string()}, options, context));
  return snapshot->datasets().front().sources.empty()
             ? Status::InvalidArgument("nothing in {} is a Source; it is not replaced", target)
             : Status::Ok();
}

Status PublishFolder(StagingFolder& staging, const ImportOptions& options) {
  if (!options.replace || !fs::exists(options.to)) {
    PCHRONICLE_RETURN_IF_ERROR(RenameNew(staging.path(), options.to));
    staging.Release();
    return Status::Ok();
  }
  if (::syscall(SYS_renameat2, AT_FDCWD, staging.path().c_str(), AT_FDCWD, options.to.c_str(),
                RENAME_EXCHANGE) == 0) {
    return SyncDirectory(fs::path(options.to).parent_path().empty()
                             ? "."
                             : fs::path(options.to).parent_path().string());
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return Status::Io("replace {}: {}", options.to, std::strerror(errno));
  }
  StagingFolder old(StagingName(options.to));
  PCHRONICLE_RETURN_IF_ERROR(RenameNew(options.to, old.path()));
  if (Status published = RenameNew(staging.path(), options.to); !published.ok()) {
    const Status back = RenameNew(old.path(), options.to);
    old.Release();
    return back.ok() ? published
                     : published.WithContext("the old Dataset is kept as " + old.path());
  }
  staging.Release();
  return Status::Ok();
}

}  // namespace pchronicle::app
