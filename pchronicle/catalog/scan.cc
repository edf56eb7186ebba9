#include "pchronicle/catalog/scan.h"

#include <algorithm>

#include "pchronicle/catalog/cell.h"
#include "pchronicle/catalog/parallel.h"
#include "pchronicle/catalog/scan_task.h"
#include "pchronicle/model/detect.h"

namespace pchronicle::catalog {
namespace {

/// Bytes of a line file that make one task; a file of less than two of them is not split.
constexpr uint64_t kRangeBytes = 8 << 20;
/// Small sources share a task up to this many bytes and sources.
constexpr uint64_t kTaskBytes = 1 << 20;
constexpr size_t kTaskSources = 64;
constexpr size_t kMostConcurrentSources = 16;
/// Tasks wanted per thread, so that the last ones end together.
constexpr size_t kTasksPerThread = 8;

class Scan final : public RelationScan {
 public:
  Scan(QueryScope& scope, ScanRequest request) : state_(scope, std::move(request)) {
    const bool lists = state_.request.relation == model::Relation::kSources;
    const bool tree = state_.request.relation == model::Relation::kRunTree;
    for (size_t i = 0; i < state_.dataset.sources.size(); ++i) {
      const Source& source = state_.dataset.sources[i];
      if (!lists && !Provides(source)) {
        continue;
      }
      ++total_;
      // A parent may lie in any file: the tree is pruned above the scan only (ADD-06).
      if (tree || Evaluate(state_.request.file_predicate, source.file) != Truth::kFalse) {
        matched_.push_back(i);
      }
    }
    state_.metrics.sources_total += total_;
    state_.metrics.sources_pruned += total_ - matched_.size();
    scope.metrics().sources_total += total_;
    scope.metrics().sources_pruned += total_ - matched_.size();
    const Limits& limits = scope.snapshot().options().limits;
    // Every task resolves one source at a time, so both limits bound the same threads.
    workers_ = std::min(WorkerCount(limits.max_concurrent_files),
                        WorkerCount(limits.max_concurrent_sources, kMostConcurrentSources));
    if (IsRowRelation(state_.request.relation)) {
      PlanTasks();
    }
  }

  size_t sources_total() const override { return total_; }
  size_t sources_matched() const override { return matched_.size(); }
  const ScanMetrics* metrics() const override { return &state_.metrics; }
  uint64_t bytes_matched() const override {
    if (state_.request.relation == model::Relation::kSources) {
      return 0;  // answered from the snapshot
    }
    uint64_t bytes = 0;
    for (const size_t i : matched_) {
      bytes += state_.dataset.sources[i].size_bytes.value_or(0);
    }
    return bytes;
  }
  size_t max_threads() const override { return std::clamp<size_t>(plans_.size(), 1, workers_); }

  Result<std::unique_ptr<ScanTask>> NextTask() override {
    const size_t task = next_.fetch_add(1);
    if (IsRowRelation(state_.request.relation)) {
      return task < plans_.size() ? MakeSourceTask(state_, plans_[task], task) : nullptr;
    }
    if (task > 0 || state_.request.relation == model::Relation::kEvents) {
      return std::unique_ptr<ScanTask>();
    }
    return state_.request.relation == model::Relation::kSources ? MakeSourcesTask(state_, matched_)
                                                                : MakeRunTreeTask(state_, matched_);
  }

 private:
  /// Only files hold trajectories so far; one that cannot be pinned or is never opened holds none
  /// (REL-09, DSC-16).
  bool Provides(const Source& source) const {
    return state_.request.relation != model::Relation::kEvents &&
           source.kind == SourceKind::kFile && source.error.ok() && source.ignored_reason.empty();
  }

  void PlanTasks() {
    const size_t per_task =
        std::clamp<size_t>(matched_.size() / (workers_ * kTasksPerThread), 1, kTaskSources);
    uint64_t bytes = 0;
    for (const size_t i : matched_) {
      const Source& source = state_.dataset.sources[i];
      const uint64_t size = source.size_bytes.value_or(0);
      if (size >= 2 * kRangeBytes && json::NameInside(source.file) == source.file &&
          model::ContainerByName(source.file) == json::Container::kLines) {
        PlanRanges(i, size);
        bytes = kTaskBytes;  // what follows starts a new task
        continue;
      }
      if (plans_.empty() || plans_.back().is_range || plans_.back().sources.size() >= per_task ||
          bytes + size > kTaskBytes) {
        plans_.emplace_back();
        bytes = 0;
      }
      plans_.back().sources.push_back(i);
      bytes += size;
    }
  }

  void PlanRanges(size_t source, uint64_t size) {
    const auto ids =
        state_.group != nullptr ? state_.group->ids(source) : std::make_shared<RangeIds>();
    for (uint64_t begin = 0; begin < size; begin += kRangeBytes) {
      TaskPlan& plan = plans_.emplace_back();
      plan.sources = {source};
      plan.is_range = true;
      plan.range.begin = begin;
      plan.range.end = size - begin <= kRangeBytes ? json::kToEnd : begin + kRangeBytes;
      plan.ids = ids;
    }
  }

  ScanState state_;
  size_t total_ = 0;
  std::vector<size_t> matched_;
  size_t workers_ = 1;
  std::vector<TaskPlan> plans_;
  std::atomic<size_t> next_{0};
};

}  // namespace

ScanState::ScanState(QueryScope& query, ScanRequest wanted)
    : scope(query),
      request(std::move(wanted)),
      dataset(query.snapshot().datasets()[request.dataset]) {
  if (!IsRowRelation(request.relation)) {
    return;
  }
  fields = FieldsOf(request);
  needs_ordinal = UsesColumn(request, "storage_ordinal");
  counts_only = request.columns.empty() && request.predicates.empty();
  QueryScope::Membership place = query.MembershipOf(request);
  if (place.group != nullptr) {
    group = std::move(place.group);
    member = place.member;
    needs_ordinal = group->needs_ordinal();
    counts_only = group->counts_only();
  }
}

Result<std::unique_ptr<RelationScan>> RelationScan::Create(QueryScope& scope, ScanRequest request) {
  if (request.dataset >= scope.snapshot().datasets().size()) {
    return Status::InvalidArgument("no Dataset number {}", request.dataset);
  }
  const size_t width = model::RelationColumns(request.relation).size();
  for (const uint16_t column : request.columns) {
    if (column >= width) {
      return Status::InvalidArgument("{} has no column number {}",
                                     model::RelationName(request.relation), column);
    }
  }
  for (const model::RowPredicate& predicate : request.predicates) {
    if (predicate.column >= width) {
      return Status::InvalidArgument("{} has no column number {}",
                                     model::RelationName(request.relation), predicate.column);
    }
  }
  scope.CountScan();
  return std::unique_ptr<RelationScan>(new Scan(scope, std::move(request)));
}

}  // namespace pchronicle::catalog
