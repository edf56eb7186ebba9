#include "pchronicle/catalog/count.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "pchronicle/catalog/cell.h"
#include "pchronicle/catalog/full_read.h"
#include "pchronicle/catalog/parallel.h"
#include "pchronicle/catalog/problem.h"
#include "pchronicle/catalog/reference_hooks.h"
#include "pchronicle/model/detect.h"
#include "pchronicle/model/relations.h"
#include "pchronicle/model/run_tree.h"

namespace pchronicle::catalog {
namespace {

using model::Relation;

/// Several sinks behind one walker. Diagnostics and problems go to the first, which keeps those of
/// lost documents out.
class Tee final : public model::DocumentSink {
 public:
  void Add(model::DocumentSink& sink) { sinks_.push_back(&sink); }
  Wish OnDocument(const model::Document& document) override {
    Wish wish = Wish::kSkip;
    for (model::DocumentSink* sink : sinks_) {
      wish = sink->OnDocument(document) == Wish::kTurns ? Wish::kTurns : wish;
    }
    return wish;
  }
  void OnTurn(const model::Document& document, const model::Turn& turn) override {
    for (model::DocumentSink* sink : sinks_) {
      sink->OnTurn(document, turn);
    }
  }
  void OnDocumentEnd(const model::Document& document) override {
    for (model::DocumentSink* sink : sinks_) {
      sink->OnDocumentEnd(document);
    }
  }
  void OnRecordEnd() override {
    for (model::DocumentSink* sink : sinks_) {
      sink->OnRecordEnd();
    }
  }
  void OnDocumentLost(const model::Document& document) override {
    for (model::DocumentSink* sink : sinks_) {
      sink->OnDocumentLost(document);
    }
  }
  bool OnProblem(model::Problem problem) override {
    return sinks_.front()->OnProblem(std::move(problem));
  }
  void OnDiagnostic(const model::Document* document, std::string_view code,
                    std::string_view pointer, std::string_view example) override {
    sinks_.front()->OnDiagnostic(document, code, pointer, example);
  }

 private:
  std::vector<model::DocumentSink*> sinks_;
};

std::unique_ptr<model::RowSink> Counter(Relation relation, std::string_view column,
                                        const std::string& file,
                                        model::RowSink::Request request = {}) {
  request.relation = relation;
  if (!column.empty()) {
    request.columns = {*model::FindColumn(relation, column)};
  }
  request.file = file;
  request.keep_problems = true;
  return model::MakeRowSink(std::move(request));
}

/// The sinks of one full reading. Batches are never emptied, so that rows of a lost document can be
/// taken back; all but the first have no cells.
struct Reading {
  Reading(const std::string& file, bool count, model::RowSink::Request hooks) {
    // This column is made of all checks there are: afterwards diagnostics() is complete.
    checker = Counter(Relation::kTrajectories, "diagnostics", file, std::move(hooks));
    tee.Add(*checker);
    if (!count) {
      return;
    }
    tree = model::RunTreeCollector::Make(file);
    tee.Add(*tree);
    for (const Relation relation :
         {Relation::kSteps, Relation::kToolCalls, Relation::kObservationResults}) {
      counters.push_back(Counter(relation, "", file));
      tee.Add(*counters.back());
    }
  }
  RowCounts Counts() const {
    RowCounts counts;
    counts.runs = checker->batch().rows;
    if (!counters.empty()) {
      counts.steps = counters[0]->batch().rows;
      counts.tool_calls = counters[1]->batch().rows;
      counts.observation_results = counters[2]->batch().rows;
    }
    return counts;
  }

  std::unique_ptr<model::RowSink> checker;
  std::unique_ptr<model::RunTreeCollector> tree;
  std::vector<std::unique_ptr<model::RowSink>> counters;
  Tee tee;
};

SourceContent ContentOf(const FullRead& read, const Reading& reading) {
  SourceContent content;
  if (read.resolved != nullptr) {
    content = read.resolved->content;
  }
  if (read.has_documents && !read.resolved->harbor_run) {
    content.runs = reading.checker->batch().rows;
    content.status =
        *content.runs == 0 && read.records == 0 ? ContentStatus::kEmpty : ContentStatus::kReady;
    if (read.open_tail) {
      content.status = ContentStatus::kOpen;
      content.reason = read.truncated
                           ? fmt::format("the {} data is cut off",
                                         json::CompressionName(read.resolved->compression))
                           : "the last record is cut off";
    }
  }
  if (read.has_documents) {
    content.diagnostics = reading.checker->diagnostics();
  }
  if (!read.problems.empty()) {
    content.status = ContentStatus::kError;
    content.reason = ReasonText(read.problems.front());
    content.runs = read.has_documents ? content.runs : 0;
    if (read.problem_count() > 1) {
      content.reason += fmt::format(" (and {} more)", read.problem_count() - 1);
    }
    for (const SourceProblem& problem : read.problems) {
      content.diagnostics.Add("lost_unit", problem.pointer, ReasonText(problem));
    }
    if (read.problems_left_out > 0) {
      content.diagnostics.Add("lost_unit", "", "", read.problems_left_out);
    }
  }
  return content;
}

/// One source of all Datasets.
struct Job {
  size_t dataset = 0, source = 0;
};

class Reader {
 public:
  Reader(const Snapshot& snapshot, const Context& context, bool count)
      : snapshot_(snapshot),
        context_(context),
        count_(count),
        trees_(snapshot.datasets().size()),
        results_(snapshot.datasets().size()) {
    for (size_t d = 0; d < snapshot.datasets().size(); ++d) {
      const auto& sources = snapshot.datasets()[d].sources;
      trees_[d].resize(sources.size());
      results_[d].sources.resize(sources.size());
      for (size_t s = 0; s < sources.size(); ++s) {
        if (sources[s].kind == SourceKind::kFile && sources[s].error.ok() &&
            (sources[s].ignored_reason.empty() || TellsMoreInside(sources[s]))) {
          jobs_.push_back({d, s});
        }
      }
    }
    problems_.resize(jobs_.size());
  }

  Status Run(const std::function<void(size_t, size_t)>& progress) {
    std::atomic<size_t> done{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;  // guards failure
    Status failure;
    ParallelFor(jobs_.size(), WorkerCount(snapshot_.options().limits.max_concurrent_files),
                [&](size_t i) {
                  if (failed.load(std::memory_order_relaxed)) {
                    return;
                  }
                  if (Status status = ReadOne(i); !status.ok()) {
                    const std::lock_guard lock(mutex);
                    failed.store(true, std::memory_order_relaxed);
                    failure = failure.ok() ? std::move(status) : std::move(failure);
                  }
                  const size_t now = done.fetch_add(1) + 1;
                  if (progress != nullptr) {
                    progress(now, jobs_.size());
                  }
                });
    return failure;
  }

  std::vector<DatasetCounts> Take() {
    for (size_t d = 0; d < results_.size(); ++d) {
      DatasetCounts& counts = results_[d];
      for (const RowCounts& source : counts.sources) {
        counts.total += source;
      }
      std::vector<std::unique_ptr<model::RunTreeCollector>> parts;
      for (auto& tree : trees_[d]) {
        if (tree != nullptr) {
          parts.push_back(std::move(tree));
        }
      }
      const auto tree = model::RunTree::Build(std::move(parts));
      counts.top_level_runs = tree->top_level_runs();
      for (const Source& source : snapshot_.datasets()[d].sources) {
        counts.diagnostics.Merge(KnownContent(source).diagnostics);
      }
      counts.diagnostics.Merge(tree->diagnostics());
    }
    for (size_t i = 0; i < jobs_.size(); ++i) {
      DatasetCounts& counts = results_[jobs_[i].dataset];
      std::move(problems_[i].first.begin(), problems_[i].first.end(),
                std::back_inserter(counts.problems));
      counts.problems_left_out += problems_[i].left_out;
    }
    return std::move(results_);
  }

 private:
  Status ReadOne(size_t job) {
    const auto [d, s] = jobs_[job];
    const CatalogDataset& dataset = snapshot_.datasets()[d];
    const Source& source = dataset.sources[s];
    if (!count_ && HasContent(source)) {
      return Status::Ok();  // read before in this snapshot, or unchanged since the last one (BR-29)
    }
    if (!source.ignored_reason.empty()) {
      LookInside(dataset, source);
      return Status::Ok();
    }
    std::unique_ptr<Reading> reading;
    const auto make = [&](const std::shared_ptr<const ResolvedSource>& resolved) -> PassSink {
      model::RowSink::Request hooks;
      if (resolved != nullptr) {
        AddReferenceHooks(dataset.sources, source, resolved, snapshot_.options().limits, context_,
                          hooks);
      }
      reading = std::make_unique<Reading>(source.file, count_, std::move(hooks));
      return {&reading->tee,
              [&] {
                return KeptProblems(reading->checker->problems(),
                                    reading->checker->problems_left_out());
              },
              [&] { return reading->checker->needs_second_pass(); }};
    };
    make(nullptr);
    PCHRONICLE_ASSIGN_OR_RETURN(FullRead read,
                                ReadFully(dataset, source, snapshot_.options().limits, context_,
                                          model::FieldMask::All(), make));
    SourceContent content = ContentOf(read, *reading);
    {
      const std::lock_guard lock(source.cell->mutex);
      source.cell->content = std::move(content);
    }
    if (count_) {
      results_[d].sources[s] = reading->Counts();
      trees_[d][s] = std::move(reading->tree);
      problems_[job] = {std::move(read.problems), read.problems_left_out};
    }
    return Status::Ok();
  }

  /// Extensions that files of quite different kinds share (BR-58).
  static bool TellsMoreInside(const Source& source) {
    return source.ignored_reason.starts_with("not read: .");
  }

  /// Names what an unread file holds. It stays unread, so what goes wrong here is of no interest.
  void LookInside(const CatalogDataset& dataset, const Source& source) const {
    const FileInput input(dataset.store, source.file, source.revision, snapshot_.options().limits);
    SourceContent content;
    content.status = ContentStatus::kIgnored;
    content.reason = source.ignored_reason;
    const auto detection = model::Detect(ContextInput(input, context_), source.file);
    if (detection.ok() && detection->reason.starts_with("not read yet: ")) {
      content.reason = detection->reason;
    } else if (detection.ok() && detection->reason.starts_with("not JSON: ")) {
      content.reason = fmt::format("{}; {}", source.ignored_reason, detection->reason);
    }
    const std::lock_guard lock(source.cell->mutex);
    source.cell->content = std::move(content);
  }

  static bool HasContent(const Source& source) {
    const std::lock_guard lock(source.cell->mutex);
    return source.cell->content.has_value();
  }

  const Snapshot& snapshot_;
  const Context& context_;
  const bool count_;
  std::vector<Job> jobs_;
  struct Problems {
    std::vector<SourceProblem> first;
    uint64_t left_out = 0;
  };
  std::vector<Problems> problems_;  // by job
  std::vector<std::vector<std::unique_ptr<model::RunTreeCollector>>> trees_;
  std::vector<DatasetCounts> results_;
};

}  // namespace

RowCounts& RowCounts::operator+=(const RowCounts& other) {
  runs += other.runs;
  steps += other.steps;
  tool_calls += other.tool_calls;
  observation_results += other.observation_results;
  return *this;
}

Status CheckAll(const Snapshot& snapshot, const Context& context,
                const std::function<void(size_t, size_t)>& progress) {
  return Reader(snapshot, context, /*count=*/false).Run(progress);
}

Result<std::vector<DatasetCounts>> CountAll(const Snapshot& snapshot, const Context& context,
                                            const std::function<void(size_t, size_t)>& progress) {
  Reader reader(snapshot, context, /*count=*/true);
  PCHRONICLE_RETURN_IF_ERROR(reader.Run(progress));
  return reader.Take();
}

}  // namespace pchronicle::catalog
