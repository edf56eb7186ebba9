#pragma once

#include <memory>
#include <string>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/engine.h"

namespace pchronicle::sql {

/// What the engine may use, for messages.
struct MemoryLimits {
  uint64_t memory = 0;
  uint64_t spill = 0;  // 0: no limit of its own
  bool spills = false;
};

/// One statement of one caller, with a connection of its own: its rows as they come, and errors as
/// our statuses. Must not outlive the database, the scans and the context.
class RunningQuery : public ResultStream {
 public:
  static std::unique_ptr<RunningQuery> Create(duckdb::DuckDB& database, const MemoryLimits& limits,
                                              ScanFactory& scans, const Context& context,
                                              std::string sql);
  virtual duckdb::ClientContext& client() = 0;
  /// Plans and starts the statement. Called once, before anything else.
  virtual Status Start(duckdb::unique_ptr<duckdb::SQLStatement> statement) = 0;
};

}  // namespace pchronicle::sql
