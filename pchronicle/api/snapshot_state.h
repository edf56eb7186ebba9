#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "pchronicle/app/query.h"
#include "pchronicle/app/query_engine.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/pchronicle.h"
#include "pchronicle/sql/engine.h"

namespace pchronicle {

/// What the handles of a snapshot share. Thread-safe.
struct Snapshot::State {
  std::vector<Mount> mounts;
  OpenOptions options;
  std::shared_ptr<const catalog::Snapshot> catalog;

  /// The session of all queries; made, and the engine loaded, by the first one.
  Result<const app::QuerySession*> Session() const;

 private:
  mutable std::mutex mutex_;  // guards what follows
  mutable std::unique_ptr<app::EngineLoader> loader_;
  mutable std::unique_ptr<const app::QuerySession> session_;
};

}  // namespace pchronicle
