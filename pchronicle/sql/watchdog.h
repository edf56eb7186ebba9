#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "pchronicle/base/context.h"
#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// Stops a connection's query when its context is cancelled or its deadline passes, also while the
/// engine is busy with work of its own (sorting, joining). Lives as long as the query.
class Watchdog {
 public:
  Watchdog(duckdb::ClientContext& client, const Context& context);
  ~Watchdog();

 private:
  void Watch();

  duckdb::ClientContext& client_;
  const Context& context_;
  std::mutex mutex_;  // guards done_
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace pchronicle::sql
