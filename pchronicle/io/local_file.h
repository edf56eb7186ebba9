#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::io {

/// Names of files that were not published yet begin so.
inline constexpr std::string_view kTemporaryPrefix = ".pchronicle-tmp-";

/// The failure of a system call; `error` is its errno.
Status FromErrno(int error, std::string_view action, std::string_view path);

/// Owns an open file.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor();
  int get() const { return fd_; }
  int Release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

/// Makes `directory` and what is missing between it and `root` ("": anything), durable.
Status MakeDirectories(const std::string& root, const std::string& directory);

/// A file that gets its name when it is complete. Its temporary name starts with a dot, so that
/// nothing takes it for an object, and stands in the same directory, so that publishing is one
/// atomic step. Not thread-safe.
class TemporaryFile {
 public:
  /// `path`: absolute, below the directory `root`; directories between them are made.
  static Result<std::unique_ptr<TemporaryFile>> Create(const std::string& root, std::string path);
  ~TemporaryFile() { Remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  Status Append(std::string_view bytes);
  /// Gives the file its name once its bytes are on the disk, and makes the name durable, too.
  /// Without `replace` a name that is taken is kAlreadyExists, decided by the kernel. After a
  /// failure other than that the name may be there.
  Status Publish(bool replace);
  /// Drops the file unless it was published.
  void Remove();

 private:
  TemporaryFile(FileDescriptor fd, std::string temporary, std::string path, std::string directory)
      : fd_(std::move(fd)),
        temporary_(std::move(temporary)),
        path_(std::move(path)),
        directory_(std::move(directory)) {}

  FileDescriptor fd_;
  std::string temporary_;  // empty: published or removed
  const std::string path_, directory_;
};

}  // namespace pchronicle::io
