#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

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
  // Hints of earlier reads that are true for every query (STL-126, STL-128). What a query lost is
  // its own: QueryScope.
  bool skim_first = false;
  bool serial = false;
  bool open_tail = false;  // a reading met a last line that is cut off (BR-11)
  uint64_t resolves = 0;   // openings for detection (LZY-07): 1 at most, but for cancelled ones

  void AddHints(const model::SourceNotes& found);
  void SetSerial();
  void SetOpenTail();
  bool IsSerial();
  bool SkimsFirst();
};

}  // namespace pchronicle::catalog
