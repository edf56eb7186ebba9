#include "pchronicle/app/query_spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace pchronicle::app {
namespace {

std::string TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

/// A file without a name, so that nothing is left behind however the process ends.
Result<int> OpenNameless(const std::string& folder) {
  int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    std::string name = folder + "/pchronicle-XXXXXX";
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) {
      ::unlink(name.c_str());
    }
  }
  if (fd < 0) {
    return Status::Io("make a temporary file in '{}': {}", folder, std::strerror(errno));
  }
  return fd;
}

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return Status::Io("write the result to a temporary file: {}", std::strerror(errno));
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Status::Ok();
}

}  // namespace

Spool::~Spool() { Clear(); }

Spool::Spool(Spool&& other) noexcept
    : memory_bytes_(other.memory_bytes_),
      memory_(std::exchange(other.memory_, {})),
      fd_(std::exchange(other.fd_, -1)),
      size_(std::exchange(other.size_, 0)) {}

Spool& Spool::operator=(Spool&& other) noexcept {
  std::swap(memory_bytes_, other.memory_bytes_);
  std::swap(memory_, other.memory_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  return *this;
}

Status Spool::Append(std::string_view bytes) {
  memory_ += bytes;
  size_ += bytes.size();
  return memory_.size() > memory_bytes_ ? Spill() : Status::Ok();
}

Status Spool::Spill() {
  if (fd_ < 0) {
    PCHRONICLE_ASSIGN_OR_RETURN(fd_, OpenNameless(TemporaryFolder()));
  }
  PCHRONICLE_RETURN_IF_ERROR(WriteAll(fd_, memory_));
  memory_.clear();
  return Status::Ok();
}

Status Spool::ForEach(const std::function<Status(std::string_view)>& sink,
                      const Context* context) const {
  constexpr size_t kPiece = 1 << 20;
  const auto give = [&](std::string_view piece) {
    return context != nullptr && context->cancelled() ? Status::Cancelled("cancelled")
                                                      : sink(piece);
  };
  if (fd_ >= 0) {
    std::string piece(kPiece, '\0');
    const uint64_t in_file = size_ - memory_.size();
    for (uint64_t at = 0; at < in_file;) {
      const ssize_t read = ::pread(fd_, piece.data(), std::min<uint64_t>(kPiece, in_file - at),
                                   static_cast<off_t>(at));
      if (read < 0 && errno == EINTR) {
        continue;
      }
      if (read <= 0) {
        return Status::Io("read the result back: {}",
                          read == 0 ? "it is cut off" : std::strerror(errno));
      }
      PCHRONICLE_RETURN_IF_ERROR(
          give(std::string_view(piece).substr(0, static_cast<size_t>(read))));
      at += static_cast<uint64_t>(read);
    }
  }
  for (size_t at = 0; at < memory_.size(); at += kPiece) {
    PCHRONICLE_RETURN_IF_ERROR(give(std::string_view(memory_).substr(at, kPiece)));
  }
  return Status::Ok();
}

void Spool::Clear() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
  fd_ = -1;
  memory_.clear();
  size_ = 0;
}

}  // namespace pchronicle::app
