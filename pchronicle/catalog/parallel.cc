#include "pchronicle/catalog/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace pchronicle::catalog {

size_t WorkerCount(size_t wanted, size_t most) {
  if (wanted != 0) {
    return wanted;
  }
  return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, most);
}

void ParallelFor(size_t count, size_t workers, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      work(i);
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(workers, count); ++i) {
    try {
      threads.emplace_back(run);
    } catch (const std::system_error&) {
      break;  // no more threads to be had: the caller's does the rest
    }
  }
  run();
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace pchronicle::catalog
