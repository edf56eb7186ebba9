#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/io/nameless_file.h"

namespace pchronicle::app {

/// Bytes of a result that is held back until it is known to be complete (D22): in memory while
/// small, then in a nameless temporary file that vanishes with the object. One thread.
class Spool {
 public:
  /// `memory_bytes` are kept before the file is made.
  explicit Spool(uint64_t memory_bytes = 8ULL << 20) : memory_bytes_(memory_bytes) {}
  ~Spool();
  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&& other) noexcept;

  Status Append(std::string_view bytes);
  uint64_t size() const { return size_; }
  bool in_file() const { return file_.is_open(); }
  /// Gives all bytes in order, in pieces of at most a MiB. Stops at the first error of `sink` and
  /// returns it, or with kCancelled when `context` is given and cancelled.
  Status ForEach(const std::function<Status(std::string_view)>& sink,
                 const Context* context = nullptr) const;
  void Clear();

 private:
  Status Spill();

  uint64_t memory_bytes_;
  std::string memory_;  // all bytes, or those not yet written to the file
  io::NamelessFile file_;
  uint64_t size_ = 0;
};

}  // namespace pchronicle::app
