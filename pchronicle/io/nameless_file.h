#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::io {

/// A temporary file in $TMPDIR (else /tmp) that has no name, so that nothing is left behind however
/// the process ends. Appending is for one thread at a time; reading what was appended before is
/// thread-safe.
class NamelessFile {
 public:
  NamelessFile() = default;  // not open
  NamelessFile(NamelessFile&& other) noexcept;
  NamelessFile& operator=(NamelessFile&& other) noexcept;
  ~NamelessFile() { Close(); }

  Status Open();
  void Close();
  bool is_open() const { return fd_ >= 0; }
  uint64_t size() const { return size_; }
  /// After a failure (a full disk) nothing of `bytes` counts.
  Status Append(std::string_view bytes);
  /// Fills all of `out` from `offset`, which ends inside the file.
  Status ReadAt(uint64_t offset, std::span<char> out) const;

 private:
  int fd_ = -1;
  uint64_t size_ = 0;
  std::string folder_;
};

}  // namespace pchronicle::io
