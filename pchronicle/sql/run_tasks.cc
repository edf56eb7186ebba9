#include "pchronicle/sql/run_tasks.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace pchronicle::sql {
namespace {

using std::chrono::microseconds;

/// A worker that is about to end its task is not slept over.
constexpr int kYields = 32;
constexpr microseconds kShortestNap(20);
constexpr microseconds kLongestNap(500);

/// How a thread without a task waits for the others.
class Naps {
 public:
  void Next() {
    if (yields_ < kYields) {
      ++yields_;
      std::this_thread::yield();
      return;
    }
    std::this_thread::sleep_for(nap_);
    nap_ = std::min(nap_ * 2, kLongestNap);
  }
  void HadWork() { *this = Naps(); }

 private:
  int yields_ = 0;
  microseconds nap_ = kShortestNap;
};

}  // namespace

void RunUntilReady(duckdb::PendingQueryResult& pending) {
  Naps naps;
  while (true) {
    switch (pending.ExecuteTask()) {
      case duckdb::PendingExecutionResult::RESULT_NOT_READY:
        naps.HadWork();
        break;
      case duckdb::PendingExecutionResult::NO_TASKS_AVAILABLE:
        naps.Next();
        break;
      default:  // also blocked: the first rows wait to be fetched
        return;
    }
  }
}

void RunUntilChunk(duckdb::QueryResult& result) {
  if (result.type != duckdb::QueryResultType::STREAM_RESULT) {
    return;
  }
  auto& stream = result.Cast<duckdb::StreamQueryResult>();
  Naps naps;
  while (stream.IsOpen()) {
    switch (stream.ExecuteTask()) {
      case duckdb::StreamExecutionResult::CHUNK_NOT_READY:
        naps.HadWork();
        break;
      case duckdb::StreamExecutionResult::BLOCKED:
        stream.WaitForTask();
        naps.Next();
        break;
      case duckdb::StreamExecutionResult::NO_TASKS_AVAILABLE:
        naps.Next();
        break;
      default:
        return;
    }
  }
}

}  // namespace pchronicle::sql
