#include "pchronicle/io/local_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace pchronicle::io {

Status FromErrno(int error, std::string_view action, std::string_view path) {
  const std::string text = std::generic_category().message(error);
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Status::NotFound("{} '{}': {}", action, path, text);
    case EACCES:
    case EPERM:
      return Status::PermissionDenied("{} '{}': {}", action, path, text);
    case EEXIST:
      return Status::AlreadyExists("{} '{}': {}", action, path, text);
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
      return Status::ResourceExhausted("{} '{}': {}", action, path, text);
    default:
      return Status::Io("{} '{}': {}", action, path, text);
  }
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

namespace {

Status SyncDirectory(const std::string& directory) {
  const FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0 || ::fsync(fd.get()) != 0) {
    return FromErrno(errno, "sync", directory);
  }
  return Status::Ok();
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

// Gives `from` the name `to` unless that is taken; 0 or an errno. File systems that cannot rename
// that way have hard links, and the other way round.
int RenameIfAbsent(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) {
    return errno;
  }
  if (::link(from.c_str(), to.c_str()) != 0) {
    return errno;
  }
  ::unlink(from.c_str());
  return 0;
}

}  // namespace

Status MakeDirectories(const std::string& root, const std::string& directory) {
  if (directory == root || ::mkdir(directory.c_str(), 0777) == 0) {
    return directory == root ? Status::Ok() : SyncDirectory(DirectoryOf(directory));
  }
  if (errno == EEXIST) {
    return Status::Ok();  // what is no directory is found by whoever opens a file in it
  }
  const std::string parent = DirectoryOf(directory);
  if (errno != ENOENT || parent == directory || parent.size() < root.size()) {
    return FromErrno(errno, "make directory", directory);
  }
  PCHRONICLE_RETURN_IF_ERROR(MakeDirectories(root, parent));
  if (::mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST) {
    return FromErrno(errno, "make directory", directory);
  }
  return SyncDirectory(parent);
}

Result<std::unique_ptr<TemporaryFile>> TemporaryFile::Create(const std::string& root,
                                                             std::string path) {
  std::string directory = DirectoryOf(path);
  for (bool made = false;;) {
    // Random: other processes, also on other machines, may write to the directory.
    uint64_t token = 0;
    if (::getrandom(&token, sizeof(token), 0) != sizeof(token)) {
      return FromErrno(errno, "draw a name for", path);
    }
    std::string temporary = fmt::format("{}/{}{:016x}", directory, kTemporaryPrefix, token);
    FileDescriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd.get() >= 0) {
      return std::unique_ptr<TemporaryFile>(new TemporaryFile(
          std::move(fd), std::move(temporary), std::move(path), std::move(directory)));
    }
    if (errno == ENOENT && !made) {
      PCHRONICLE_RETURN_IF_ERROR(MakeDirectories(root, directory));
      made = true;
    } else if (errno != EEXIST) {
      return FromErrno(errno, "create", temporary);
    }
  }
}

Status TemporaryFile::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd_.get(), bytes.data(), bytes.size());
    if (wrote < 0) {
      if (errno == EINTR) {
        continue;
      }
      return FromErrno(errno, "write", temporary_);
    }
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return Status::Ok();
}

Status TemporaryFile::Publish(bool replace) {
  if (::fsync(fd_.get()) != 0) {
    return FromErrno(errno, "sync", temporary_);
  }
  const int error = replace ? (::rename(temporary_.c_str(), path_.c_str()) == 0 ? 0 : errno)
                            : RenameIfAbsent(temporary_, path_);
  if (error != 0) {
    return FromErrno(error, "publish", path_);
  }
  temporary_.clear();
  return SyncDirectory(directory_);
}

void TemporaryFile::Remove() {
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    temporary_.clear();
  }
}

}  // namespace pchronicle::io
