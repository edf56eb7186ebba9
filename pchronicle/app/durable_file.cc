#include "pchronicle/app/durable_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace pchronicle::app {
namespace {

std::string ParentOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent;
}

Status FromErrno(int error, std::string_view what, const std::string& path) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Status::NotFound("{} {}: {}", what, path, std::strerror(error));
    case EEXIST:
    case ENOTEMPTY:
      return Status::AlreadyExists("{} already exists", path);
    case EACCES:
    case EPERM:
    case EROFS:
      return Status::PermissionDenied("{} {}: {}", what, path, std::strerror(error));
    default:
      return Status::Io("{} {}: {}", what, path, std::strerror(error));
  }
}

}  // namespace

std::string StagingName(const std::string& target) {
  static std::atomic<uint64_t> counter{0};
  const std::filesystem::path path(target);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return fmt::format("{}/.{}.staging-{}-{:x}-{}", ParentOf(target), path.filename().string(),
                     ::getpid(), static_cast<uint64_t>(now.tv_nsec), counter.fetch_add(1));
}

Status SyncDirectory(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    return FromErrno(errno, "open folder", path);
  }
  const int failed = ::fsync(fd) != 0 ? errno : 0;
  ::close(fd);
  // Some file systems cannot flush a folder; they say EINVAL.
  return failed != 0 && failed != EINVAL ? FromErrno(failed, "flush folder", path) : Status::Ok();
}

Status RenameNew(const std::string& from, const std::string& to) {
  if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) !=
      0) {
    if (errno != EINVAL && errno != ENOSYS) {
      return FromErrno(errno, "publish", to);
    }
    // A file system without RENAME_NOREPLACE: link is create-only for files, rename refuses a
    // non-empty folder.
    struct stat info {};
    if (::lstat(to.c_str(), &info) == 0) {
      return Status::AlreadyExists("{} already exists", to);
    }
    if (::rename(from.c_str(), to.c_str()) != 0) {
      return FromErrno(errno, "publish", to);
    }
  }
  return SyncDirectory(ParentOf(to));
}

Result<std::unique_ptr<StagedFile>> StagedFile::Create(std::string target, IfExists if_exists,
                                                       mode_t mode) {
  struct stat info {};
  if (::lstat(target.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) {
      return Status::InvalidArgument("{} exists and is not a regular file", target);
    }
    if (if_exists == IfExists::kFail) {
      return Status::AlreadyExists("{} already exists; pass --overwrite to replace it", target);
    }
  }
  std::unique_ptr<StagedFile> file(new StagedFile());
  file->target_ = std::move(target);
  file->if_exists_ = if_exists;
  file->staging_ = StagingName(file->target_);
  file->fd_ = ::open(file->staging_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file->fd_ < 0) {
    const int error = errno;
    file->staging_.clear();
    return FromErrno(error, "create", file->target_);
  }
  return file;
}

StagedFile::~StagedFile() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
  if (!staging_.empty()) {
    ::unlink(staging_.c_str());
  }
}

Status StagedFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) {
        continue;
      }
      return FromErrno(errno, "write", target_);
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return Status::Ok();
}

Status StagedFile::Publish() {
  if (::fsync(fd_) != 0) {
    return FromErrno(errno, "flush", target_);
  }
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0) {
    return FromErrno(errno, "close", target_);
  }
  if (if_exists_ == IfExists::kFail) {
    PCHRONICLE_RETURN_IF_ERROR(RenameNew(staging_, target_));
    staging_.clear();
    return Status::Ok();
  }
  if (::rename(staging_.c_str(), target_.c_str()) != 0) {
    return FromErrno(errno, "publish", target_);
  }
  staging_.clear();
  return SyncDirectory(ParentOf(target_));
}

Status ReplaceFile(const std::string& path, std::string_view bytes, mode_t mode) {
  std::error_code error;
  // A configuration file that is a symbolic link stays one: what it points to is replaced.
  std::string target = path;
  if (std::filesystem::is_symlink(path, error)) {
    target = std::filesystem::weakly_canonical(path, error).string();
  }
  std::filesystem::create_directories(ParentOf(target), error);
  if (error) {
    return FromErrno(error.value(), "create folder", ParentOf(target));
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<StagedFile> file,
                              StagedFile::Create(target, StagedFile::IfExists::kReplace, mode));
  PCHRONICLE_RETURN_IF_ERROR(file->Write(bytes));
  return file->Publish();
}

}  // namespace pchronicle::app
