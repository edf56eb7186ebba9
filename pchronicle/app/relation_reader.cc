#include "pchronicle/app/relation_reader.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pchronicle::app {
namespace {

/// The workers of one scan.
class Reading {
 public:
  Reading(catalog::QueryScope& scope, catalog::RelationScan& scan,
          const catalog::ScanRequest& request, const RowVisitor& visitor)
      : scope_(scope), scan_(scan), visitor_(visitor) {
    const auto file = std::find(request.columns.begin(), request.columns.end(), kFileColumn);
    file_column_ = static_cast<size_t>(file - request.columns.begin());
    PCHRONICLE_CHECK(!visitor_.enough || file != request.columns.end());
  }

  void Work() {
    while (MayGoOn()) {
      auto task = scan_.NextTask();
      if (!task.ok()) {
        return Fail(UINT64_MAX, task.status());
      }
      if (*task == nullptr) {
        return;
      }
      std::string last_file;
      if (Status status = ReadTask(**task, &last_file); !status.ok()) {
        return Fail((*task)->order(), std::move(status));
      }
      if (visitor_.enough) {
        Finished((*task)->order(), std::move(last_file));
      }
    }
  }

  /// The visitor has all it needs: what else happened does not matter.
  bool satisfied() const { return satisfied_; }
  Status TakeStatus() { return std::move(error_); }

 private:
  static constexpr uint16_t kFileColumn = 0;

  /// Not for a restart: all findings must be known before the second pass (STL-127); tasks hand on
  /// no rows then.
  bool MayGoOn() {
    const std::lock_guard lock(mutex_);
    return error_.ok() && !satisfied_;
  }

  Status ReadTask(catalog::ScanTask& task, std::string* last_file) {
    while (!satisfied_) {
      PCHRONICLE_RETURN_IF_ERROR(scope_.context().Check());
      PCHRONICLE_ASSIGN_OR_RETURN(const columnar::Batch* batch, task.Next());
      if (batch == nullptr) {
        break;
      }
      if (visitor_.enough && batch->rows > 0) {
        last_file->assign(batch->columns[file_column_].texts()[batch->rows - 1]);
      }
      if (visitor_.concurrent) {
        visitor_.visit(*batch);
      } else {
        const std::lock_guard lock(mutex_);
        visitor_.visit(*batch);
      }
    }
    return Status::Ok();
  }

  void Fail(uint64_t order, Status status) {
    const std::lock_guard lock(mutex_);
    if (error_.ok() || (visitor_.enough && order < failed_order_)) {
      error_ = std::move(status);
      failed_order_ = order;
    }
  }

  /// Tasks come in the order of their files, so a file that the last of an unbroken row of finished
  /// tasks has reached bounds what is still to come.
  void Finished(uint64_t order, std::string last_file) {
    const std::lock_guard lock(mutex_);
    finished_.emplace(order, std::move(last_file));
    for (auto it = finished_.find(next_); it != finished_.end(); it = finished_.find(++next_)) {
      if (!it->second.empty()) {
        reached_ = std::move(it->second);
      }
      finished_.erase(it);
    }
    // After a request for a restart tasks hold rows back.
    if (!reached_.empty() && !scope_.restart_requested() && !satisfied_) {
      satisfied_ = visitor_.enough(reached_);
    }
  }

  catalog::QueryScope& scope_;
  catalog::RelationScan& scan_;
  const RowVisitor& visitor_;
  size_t file_column_ = 0;
  std::atomic<bool> satisfied_{false};
  std::mutex mutex_;  // guards what follows, and calls of the visitor
  Status error_;
  uint64_t failed_order_ = 0;
  std::map<uint64_t, std::string> finished_;  // tasks behind one that is still read
  uint64_t next_ = 0;                         // first task that is not known to be finished
  std::string reached_;
};

/// False: a second pass is needed.
Result<bool> RunOnce(catalog::QueryScope& scope, const catalog::ScanRequest& request,
                     const RowVisitor& visitor) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<catalog::RelationScan> scan,
                              catalog::RelationScan::Create(scope, request));
  Reading reading(scope, *scan, request, visitor);
  const size_t count =
      std::clamp<size_t>(scan->max_threads(), 1, std::max(1U, std::thread::hardware_concurrency()));
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < count; ++i) {
      threads.emplace_back([&] { reading.Work(); });
    }
    reading.Work();
  }
  if (reading.satisfied()) {
    return true;
  }
  PCHRONICLE_RETURN_IF_ERROR(reading.TakeStatus());
  return !scope.restart_requested();
}

}  // namespace

Status ReadRelation(catalog::QueryScope& scope, const catalog::ScanRequest& request,
                    const RowVisitor& visitor) {
  PCHRONICLE_ASSIGN_OR_RETURN(const bool done, RunOnce(scope, request, visitor));
  if (done) {
    return Status::Ok();
  }
  scope.BeginRestart();
  visitor.reset();
  PCHRONICLE_ASSIGN_OR_RETURN(const bool done_now, RunOnce(scope, request, visitor));
  return done_now ? Status::Ok() : Status::Internal("a source changed between two passes over it");
}

}  // namespace pchronicle::app
