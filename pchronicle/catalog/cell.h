#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::catalog {

/// What was found out about a source, shared by everything that reads it. Thread-safe.
struct Source::Cell {
  std::mutex mutex;                  // guards what follows
  std::condition_variable resolved;  // signalled when `running` falls
  bool running = false;              // one thread resolves, the others wait (LZY-02)
  std::optional<Result<std::shared_ptr<const ResolvedSource>>>
      outcome;                           // success or failure, for good (LZY-03)
  std::optional<SourceContent> content;  // after a full read
  /// Of all reads so far (STL-126 to 128), by the range that was read: document numbers count from
  /// its begin.
  std::map<std::pair<uint64_t, uint64_t>, model::SourceNotes> notes;
  bool serial = false;    // ids collide across ranges: one reader for the whole file (STL-128)
  uint64_t resolves = 0;  // openings for detection (LZY-07): 1 at most, but for cancelled ones

  void AddNotes(json::RecordRange range, const model::SourceNotes& found);
  model::SourceNotes Notes(json::RecordRange range);
  void SetSerial();
  bool IsSerial();
};

}  // namespace pchronicle::catalog
