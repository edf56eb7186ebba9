#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

#include "pchronicle/cli/console.h"

namespace pchronicle::cli {

/// One repainted line on stderr for work of over a second (cli.md 10): stage, seconds, and how much
/// is done where that is known. Silent when stderr is no terminal or the log level hides it. Update
/// is thread-safe; a thread of its own paints, and the line is wiped by Finish or the destructor.
class Progress {
 public:
  Progress(const Console& console, std::string stage);
  ~Progress() { Finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of `total`; total 0 when unknown.
  void Update(size_t done, size_t total) {
    done_.store(done, std::memory_order_relaxed);
    total_.store(total, std::memory_order_relaxed);
  }
  void Finish();

 private:
  void Paint();

  const std::string stage_;
  std::atomic<size_t> done_{0}, total_{0};
  std::mutex mutex_;  // guards finished_
  std::condition_variable wake_;
  bool finished_ = false;
  std::thread painter_;  // only when shown
};

}  // namespace pchronicle::cli
