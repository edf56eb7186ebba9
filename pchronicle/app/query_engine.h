#pragma once

#include <future>
#include <memory>
#include <string>

#include "pchronicle/base/result.h"
#include "pchronicle/sql/engine.h"

namespace pchronicle::app {

/// The SQL engine, loaded from its module when it is first wanted (D27). Loading takes some
/// milliseconds and runs beside other work: start it, discover the Dataset, then use it. One query
/// at a time may Get; the engine itself is thread-safe.
class EngineLoader {
 public:
  /// Begins to load on another thread.
  explicit EngineLoader(const sql::EngineOptions& options);
  ~EngineLoader();
  EngineLoader(const EngineLoader&) = delete;
  EngineLoader& operator=(const EngineLoader&) = delete;

  /// Waits for the engine. The error is the same every time.
  Result<sql::Engine*> Get();
  /// Leaves the engine to the end of the process: taking it apart takes longer than a small query.
  /// For programs that end without running destructors.
  void Abandon();

 private:
  std::future<Result<std::unique_ptr<sql::Engine>>> loading_;
  std::unique_ptr<sql::Engine> engine_;
  Status failure_;
};

/// Names the module's file; then it is looked for nowhere else. Not heard by programs that run with
/// more rights than their user.
inline constexpr const char* kModuleVariable = "PCHRONICLE_SQL_MODULE";

/// Where the module is looked for, seen from the folder of the program or shared library that this
/// code is part of: beside it, in `pchronicle` and `lib` below it, in `lib` beside it, and where an
/// installed program has it.
std::vector<std::string> ModulePlaces();

}  // namespace pchronicle::app
