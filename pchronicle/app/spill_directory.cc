#include "pchronicle/app/spill_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace pchronicle::app {
namespace {

constexpr std::string_view kPrefix = ".pchronicle-spill-";

/// Opens a folder and locks it; nothing when another process has it, or it is gone.
std::optional<int> Lock(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    return std::nullopt;
  }
  struct stat held, now;
  // The name may have been removed between the two calls: then the lock is of no use.
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 || ::fstat(fd, &held) != 0 ||
      ::lstat(path.c_str(), &now) != 0 || held.st_ino != now.st_ino || held.st_dev != now.st_dev) {
    ::close(fd);
    return std::nullopt;
  }
  return fd;
}

void RemoveAll(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
}

/// Removes what processes that no longer live have left.
void RemoveAbandoned(const std::string& parent) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(parent, error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = it->path().string();
    if (it->path().filename().string().starts_with(kPrefix)) {
      if (const auto fd = Lock(path)) {
        RemoveAll(path);
        ::close(*fd);
      }
    }
  }
}

}  // namespace

Result<SpillDirectory> SpillDirectory::Create(const std::string& parent) {
  struct stat st;
  if (::stat(parent.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) {
    return Status::NotFound("the spill directory '{}' is no existing directory", parent);
  }
  RemoveAbandoned(parent);
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string path = parent + "/" + std::string(kPrefix) + "XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      return Status::Io("make a folder in the spill directory '{}': {}", parent,
                        std::strerror(errno));
    }
    // Another process may take it for abandoned before it is locked: then a new one is made.
    if (const auto fd = Lock(path)) {
      return SpillDirectory(std::move(path), *fd);
    }
  }
  return Status::Io("lock a folder in the spill directory '{}'", parent);
}

SpillDirectory::SpillDirectory(SpillDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

SpillDirectory& SpillDirectory::operator=(SpillDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

SpillDirectory::~SpillDirectory() {
  if (!path_.empty()) {
    RemoveAll(path_);
    ::close(lock_);
  }
}

}  // namespace pchronicle::app
