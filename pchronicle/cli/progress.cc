#include "pchronicle/cli/progress.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>

namespace pchronicle::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kQuietStart{1000};
constexpr std::chrono::milliseconds kRepaint{200};

std::string Line(const std::string& stage, size_t done, size_t total, Clock::duration elapsed) {
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  if (total == 0) {
    return fmt::format("{:<9} {} s", stage, seconds);
  }
  return fmt::format("{:<9} {}/{} ({}%)   {} s", stage, done, total, done * 100 / total, seconds);
}

}  // namespace

Progress::Progress(const Console& console, std::string stage) : stage_(std::move(stage)) {
  if (console.stderr_terminal() && console.level() >= LogLevel::kInfo) {
    painter_ = std::thread([this] { Paint(); });
  }
}

void Progress::Paint() {
  const Clock::time_point start = Clock::now();
  bool painted = false;
  std::unique_lock lock(mutex_);
  Clock::time_point next = start + kQuietStart;
  while (!wake_.wait_until(lock, next, [&] { return finished_; })) {
    const std::string line = Line(stage_, done_.load(), total_.load(), Clock::now() - start);
    std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
    std::fflush(stderr);
    painted = true;
    next = Clock::now() + kRepaint;
  }
  if (painted) {
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
  }
}

void Progress::Finish() {
  if (!painter_.joinable()) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  wake_.notify_one();
  painter_.join();
}

}  // namespace pchronicle::cli
