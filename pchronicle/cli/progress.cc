#include "pchronicle/cli/progress.h"

#include <fmt/core.h>

#include <cstdio>

namespace pchronicle::cli {
namespace {

constexpr std::chrono::milliseconds kQuietStart{1000};
constexpr std::chrono::milliseconds kRepaint{100};

}  // namespace

Progress::Progress(const Console& console, std::string stage)
    : enabled_(console.stderr_terminal() && console.level() >= LogLevel::kInfo),
      stage_(std::move(stage)),
      next_(std::chrono::steady_clock::now() + kQuietStart) {}

void Progress::Update(size_t done, size_t total) {
  if (!enabled_) {
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (now < next_) {
    return;
  }
  next_ = now + kRepaint;
  painted_ = true;
  const std::string line = total == 0 ? fmt::format("\r{:<9} {}\x1b[K", stage_, done)
                                      : fmt::format("\r{:<9} {}/{} ({}%)\x1b[K", stage_, done,
                                                    total, done * 100 / total);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void Progress::Finish() {
  const std::lock_guard lock(mutex_);
  if (painted_) {
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
    painted_ = false;
  }
}

}  // namespace pchronicle::cli
