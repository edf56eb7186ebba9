#include "pchronicle/sql/watchdog.h"

namespace pchronicle::sql {

Watchdog::Watchdog(duckdb::ClientContext& client, const Context& context)
    : client_(client), context_(context), thread_([this] { Watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watchdog::Watch() {
  constexpr std::chrono::milliseconds kPeriod(20);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kPeriod, [this] { return done_; })) {
    // Again and again until the query has ended: the engine forgets an interrupt that comes between
    // two steps.
    if (!context_.Check().ok()) {
      client_.Interrupt();
    }
  }
}

}  // namespace pchronicle::sql
