#include "pchronicle/io/nameless_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace pchronicle::io {

NamelessFile::NamelessFile(NamelessFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      size_(std::exchange(other.size_, 0)),
      folder_(std::move(other.folder_)) {}

NamelessFile& NamelessFile::operator=(NamelessFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(folder_, other.folder_);
  return *this;
}

Status NamelessFile::Open() {
  const char* folder = std::getenv("TMPDIR");
  folder_ = folder != nullptr && *folder != '\0' ? folder : "/tmp";
  fd_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    std::string name = folder_ + "/pchronicle-XXXXXX";
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ >= 0) {
      ::unlink(name.c_str());
    }
  }
  if (fd_ < 0) {
    return Status::Io("make a temporary file in '{}': {}", folder_, std::strerror(errno));
  }
  return Status::Ok();
}

void NamelessFile::Close() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
  fd_ = -1;
  size_ = 0;
}

Status NamelessFile::Append(std::string_view bytes) {
  uint64_t at = size_;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return Status::Io("write to a temporary file in '{}': {}", folder_, std::strerror(errno));
    }
    bytes.remove_prefix(static_cast<size_t>(written));
    at += static_cast<uint64_t>(written);
  }
  size_ = at;
  return Status::Ok();
}

Status NamelessFile::ReadAt(uint64_t offset, std::span<char> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return Status::Io("read a temporary file in '{}' back: {}", folder_,
                        got == 0 ? "it is cut off" : std::strerror(errno));
    }
    out = out.subspan(static_cast<size_t>(got));
    offset += static_cast<uint64_t>(got);
  }
  return Status::Ok();
}

}  // namespace pchronicle::io
