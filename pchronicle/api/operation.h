#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <set>

#include "pchronicle/base/context.h"
#include "pchronicle/pchronicle.h"

namespace pchronicle {

/// The operations that a switch has to stop. Thread-safe.
struct Cancellation::State {
  mutable std::mutex mutex;  // guards what follows
  bool cancelled = false;
  std::set<Context*> running;
};

/// The context of one operation of the public library: it ends after a timeout and when its switch
/// is used.
class Operation {
 public:
  /// A timeout of 0 is none; kInvalidArgument for a negative one.
  static Status CheckTimeout(std::chrono::milliseconds timeout);
  Operation(std::chrono::milliseconds timeout, const std::optional<Cancellation>& cancellation);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  const Context& context() const { return *context_; }

 private:
  std::optional<Context> context_;
  const std::shared_ptr<Cancellation::State> switch_;
};

}  // namespace pchronicle
