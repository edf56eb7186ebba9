#include "pchronicle/api/operation.h"

namespace pchronicle {

Cancellation::Cancellation() : state_(std::make_shared<State>()) {}

void Cancellation::Cancel() const {
  const std::lock_guard lock(state_->mutex);
  state_->cancelled = true;
  for (Context* const context : state_->running) {
    context->Cancel();
  }
}

bool Cancellation::cancelled() const {
  const std::lock_guard lock(state_->mutex);
  return state_->cancelled;
}

Status Operation::CheckTimeout(std::chrono::milliseconds timeout) {
  return timeout.count() >= 0
             ? Status::Ok()
             : Status::InvalidArgument("timeout must not be negative; 0 means none");
}

Operation::Operation(std::chrono::milliseconds timeout,
                     const std::optional<Cancellation>& cancellation)
    : switch_(cancellation ? cancellation->state_ : nullptr) {
  const auto now = std::chrono::steady_clock::now();
  // A timeout beyond the end of the clock is none.
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::time_point::max() - now);
  if (timeout.count() > 0 && timeout < left) {
    context_.emplace(now + timeout);
  } else {
    context_.emplace();
  }
  if (switch_ != nullptr) {
    const std::lock_guard lock(switch_->mutex);
    switch_->running.insert(&*context_);
    if (switch_->cancelled) {
      context_->Cancel();
    }
  }
}

Operation::~Operation() {
  if (switch_ != nullptr) {
    const std::lock_guard lock(switch_->mutex);
    switch_->running.erase(&*context_);
  }
}

}  // namespace pchronicle
