#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "pchronicle/base/status.h"

namespace pchronicle {

/// Cancellation and deadline of one operation. Thread-safe; shared by reference.
class Context {
 public:
  Context() = default;
  explicit Context(std::chrono::steady_clock::time_point deadline) : deadline_(deadline) {}

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  std::optional<std::chrono::steady_clock::time_point> deadline() const { return deadline_; }
  /// kCancelled or kUnavailable (deadline passed) when the operation should stop.
  Status Check() const {
    if (cancelled()) {
      return Status::Cancelled("cancelled");
    }
    if (deadline_ && std::chrono::steady_clock::now() > *deadline_) {
      return Status::Unavailable("deadline passed");
    }
    return Status::Ok();
  }

 private:
  std::atomic<bool> cancelled_{false};
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

}  // namespace pchronicle
