#include "pchronicle/app/relation_reader.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

namespace pchronicle::app {
namespace {

// State of the workers of one scan.
struct Shared {
  std::mutex mutex;  // guards status, and calls of visit
  Status status;
};

void Work(catalog::QueryScope& scope, catalog::RelationScan& scan, const RowVisitor& visitor,
          Shared& shared) {
  const auto stop = [&](Status status) {
    const std::lock_guard lock(shared.mutex);
    if (shared.status.ok()) {
      shared.status = std::move(status);
    }
  };
  while (true) {
    {
      const std::lock_guard lock(shared.mutex);
      // Not for a restart: all findings must be known before the second pass (STL-127); tasks hand
      // on no rows then.
      if (!shared.status.ok()) {
        return;
      }
    }
    auto task = scan.NextTask();
    if (!task.ok()) {
      return stop(task.status());
    }
    if (*task == nullptr) {
      return;
    }
    while (true) {
      if (Status status = scope.context().Check(); !status.ok()) {
        return stop(std::move(status));
      }
      const Result<columnar::Batch*> batch = (*task)->Next();
      if (!batch.ok()) {
        return stop(batch.status());
      }
      if (*batch == nullptr) {
        break;
      }
      const std::lock_guard lock(shared.mutex);
      visitor.visit(**batch);
    }
  }
}

Status RunOnce(catalog::QueryScope& scope, const catalog::ScanRequest& request,
               const RowVisitor& visitor) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<catalog::RelationScan> scan,
                              catalog::RelationScan::Create(scope, request));
  Shared shared;
  const size_t count =
      std::clamp<size_t>(scan->max_threads(), 1, std::max(1U, std::thread::hardware_concurrency()));
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < count; ++i) {
      threads.emplace_back([&] { Work(scope, *scan, visitor, shared); });
    }
    Work(scope, *scan, visitor, shared);
  }
  return std::move(shared.status);
}

}  // namespace

Status ReadRelation(catalog::QueryScope& scope, const catalog::ScanRequest& request,
                    const RowVisitor& visitor) {
  PCHRONICLE_RETURN_IF_ERROR(RunOnce(scope, request, visitor));
  if (!scope.restart_requested()) {
    return Status::Ok();
  }
  scope.BeginRestart();
  visitor.reset();
  PCHRONICLE_RETURN_IF_ERROR(RunOnce(scope, request, visitor));
  return scope.restart_requested() ? Status::Internal("a source changed between two passes over it")
                                   : Status::Ok();
}

}  // namespace pchronicle::app
