#include <atomic>
#include <mutex>

#include "pchronicle/catalog/full_read.h"
#include "pchronicle/catalog/parallel.h"
#include "pchronicle/catalog/problem.h"
#include "pchronicle/catalog/scan_task.h"
#include "pchronicle/model/run_tree.h"

namespace pchronicle::catalog {
namespace {

class RunTreeTask final : public ScanTask {
 public:
  RunTreeTask(ScanState& state, std::vector<size_t> sources)
      : state_(state), sources_(std::move(sources)) {
    std::vector<columnar::Type> types;
    for (const uint16_t column : state_.request.columns) {
      types.push_back(model::RelationColumns(model::Relation::kRunTree)[column].field.type);
    }
    batch_ = columnar::Batch(types);
  }

  uint64_t order() const override { return 0; }

  Result<columnar::Batch*> Next() override {
    if (tree_ == nullptr) {
      PCHRONICLE_RETURN_IF_ERROR(Collect());
    }
    PCHRONICLE_RETURN_IF_ERROR(state_.scope.context().Check());
    batch_.Clear();
    const size_t end = std::min(next_ + columnar::kBatchRows, tree_->rows());
    if (end == next_) {
      return static_cast<columnar::Batch*>(nullptr);
    }
    tree_->Append(next_, end, state_.request.columns, batch_);
    batch_.rows = end - next_;
    next_ = end;
    ScanCounters counters;
    counters.rows_scanned = counters.rows_emitted = batch_.rows;
    state_.Count(nullptr, counters);
    return &batch_;
  }

 private:
  Status Collect() {
    const Limits& limits = state_.scope.snapshot().options().limits;
    std::vector<std::unique_ptr<model::RunTreeCollector>> parts(sources_.size());
    std::mutex mutex;  // guards failure
    Status failure;
    std::atomic<bool> failed{false};
    ParallelFor(sources_.size(), WorkerCount(limits.max_concurrent_files), [&](size_t i) {
      if (failed.load(std::memory_order_relaxed)) {
        return;
      }
      if (Status status = CollectOne(limits, sources_[i], parts[i]); !status.ok()) {
        const std::lock_guard lock(mutex);
        failed.store(true, std::memory_order_relaxed);
        failure = failure.ok() ? std::move(status) : std::move(failure);
      }
    });
    PCHRONICLE_RETURN_IF_ERROR(failure);
    tree_ = model::RunTree::Build(std::move(parts));
    return Status::Ok();
  }

  Status CollectOne(const Limits& limits, size_t index,
                    std::unique_ptr<model::RunTreeCollector>& collector) {
    const Source& source = state_.dataset.sources[index];
    const auto make = [&](const std::shared_ptr<const ResolvedSource>&) -> PassSink {
      collector = model::RunTreeCollector::Make(source.file);
      return {collector.get(), [&] { return KeptProblems(collector->problems()); },
              [] { return false; }};
    };
    make(nullptr);
    ScanMeter meter;
    PCHRONICLE_ASSIGN_OR_RETURN(FullRead read,
                                ReadFully(state_.dataset, source, limits, state_.scope.context(),
                                          model::RunTreeCollector::Fields(), make));
    ScanCounters counters;
    counters.sources_opened = 1;
    counters.bytes_read = read.bytes_read;
    counters.compressed_bytes_read = read.compressed_bytes_read;
    counters.streamed_records = read.records;
    counters.buffer_peak_bytes = read.buffer_peak_bytes;
    counters.id_peak_bytes = read.id_peak_bytes;
    meter.AddTo(counters);
    state_.Count(&source, counters);
    if (!state_.scope.report_errors() && !read.problems.empty()) {
      return ToStatus(read.problems.front());
    }
    state_.scope.AddProblems({}, std::move(read.problems), read.problems_left_out);
    return Status::Ok();
  }

  ScanState& state_;
  const std::vector<size_t> sources_;
  columnar::Batch batch_;
  std::unique_ptr<model::RunTree> tree_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<ScanTask> MakeRunTreeTask(ScanState& state, std::vector<size_t> sources) {
  return std::make_unique<RunTreeTask>(state, std::move(sources));
}

}  // namespace pchronicle::catalog
