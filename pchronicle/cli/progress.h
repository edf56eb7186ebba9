#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

#include "pchronicle/cli/console.h"

namespace pchronicle::cli {

/// One repainted line on stderr for work of over a second (cli.md 10). Silent when stderr is no
/// terminal or the log level hides it. Update is thread-safe; the line is wiped by the destructor,
/// or by Finish.
class Progress {
 public:
  Progress(const Console& console, std::string stage);
  ~Progress() { Finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of `total`; total 0 when unknown.
  void Update(size_t done, size_t total);
  void Finish();

 private:
  const bool enabled_;
  const std::string stage_;
  std::mutex mutex_;  // guards all below
  std::chrono::steady_clock::time_point next_;
  bool painted_ = false;
};

}  // namespace pchronicle::cli
