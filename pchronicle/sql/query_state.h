#pragma once

#include <mutex>

#include "pchronicle/base/status.h"
#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/engine.h"

namespace pchronicle::sql {

/// What the scans of one running query share: where rows come from, and the first failure, kept as
/// it was so that the caller gets our status and not the engine's text. Thread-safe.
class QueryState : public duckdb::ClientContextState {
 public:
  static constexpr const char* kKey = "pchronicle_query";

  QueryState(ScanFactory& scans, const Context& context) : scans_(scans), context_(context) {}

  static duckdb::shared_ptr<QueryState> Get(duckdb::ClientContext& client) {
    return client.registered_state->Get<QueryState>(kKey);
  }

  ScanFactory& scans() const { return scans_; }
  const Context& context() const { return context_; }

  /// Remembers the failure (the first one wins) and throws it.
  [[noreturn]] void Fail(const Status& status);
  Status failure() const;

 private:
  ScanFactory& scans_;
  const Context& context_;
  mutable std::mutex mutex_;  // guards failure_
  Status failure_;
};

}  // namespace pchronicle::sql
