#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "pchronicle/base/status.h"

namespace pchronicle::lance {

/// Where the bytes of a file go, with the position reached. Not thread-safe.
class FileSink {
 public:
  using Write = std::function<Status(std::string_view bytes)>;
  explicit FileSink(Write write) : write_(std::move(write)) {}

  uint64_t at() const { return at_; }
  Status Put(std::string_view bytes) {
    at_ += bytes.size();
    return bytes.empty() ? Status::Ok() : write_(bytes);
  }
  /// Fills up to a multiple of 64, where every buffer starts.
  Status Align() {
    constexpr uint64_t kAlignment = 64;
    return Put(std::string(static_cast<size_t>((kAlignment - at_ % kAlignment) % kAlignment), 'H'));
  }

 private:
  Write write_;
  uint64_t at_ = 0;
};

}  // namespace pchronicle::lance
