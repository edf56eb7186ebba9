#include "pchronicle/catalog/scan_task.h"

#include <algorithm>

#include "pchronicle/catalog/cell.h"
#include "pchronicle/catalog/fed_rows.h"
#include "pchronicle/catalog/problem.h"
#include "pchronicle/catalog/reference_hooks.h"
#include "pchronicle/catalog/source_pass.h"

namespace pchronicle::catalog {
namespace {

/// Advances between two looks at the clock and at the memory of others' rows; cancellation is
/// looked at every time.
constexpr unsigned kStride = 64;
/// A batch with so much text is handed on before it has all its rows: 2048 values of 10 MB are not
/// held at once (BR-41).
constexpr size_t kBatchTextBytes = 16 << 20;

/// Rows that another scan of the query made while it read the same bytes.
class MadeRowsTask final : public ScanTask {
 public:
  MadeRowsTask(ScanGroup& group, ScanGroup::Rows rows, uint64_t bytes, uint64_t order)
      : group_(group), rows_(std::move(rows)), bytes_(bytes), order_(order) {}
  ~MadeRowsTask() override { group_.Consumed(bytes_); }

  uint64_t order() const override { return order_; }
  Result<columnar::Batch*> Next() override {
    return next_ < rows_.size() ? &rows_[next_++] : nullptr;
  }

 private:
  ScanGroup& group_;
  ScanGroup::Rows rows_;
  const uint64_t bytes_;
  const uint64_t order_;
  size_t next_ = 0;
};

/// Remembers the hashed ids of documents (STL-128).
class IdSink final : public model::DocumentSink {
 public:
  std::vector<Hash128> Take() { return std::exchange(ids_, {}); }
  uint64_t bytes() const { return ids_.capacity() * sizeof(Hash128); }

  Wish OnDocument(const model::Document& document) override {
    ids_.push_back(Xxh3Wide(document.document_id));
    return Wish::kSkip;
  }
  void OnTurn(const model::Document&, const model::Turn&) override {}
  void OnDocumentEnd(const model::Document&) override {}
  void OnRecordEnd() override {}
  void OnDocumentLost(const model::Document&) override {}
  bool OnProblem(model::Problem) override { return true; }
  void OnDiagnostic(const model::Document*, std::string_view, std::string_view,
                    std::string_view) override {}

 private:
  std::vector<Hash128> ids_;
};

class SourceTask final : public ScanTask {
 public:
  SourceTask(ScanState& state, const TaskPlan& plan, uint64_t order)
      : state_(state), plan_(plan), order_(order), fed_(state.group.get(), state.member, order) {}
  ~SourceTask() override {
    meter_ = ScanMeter();
    Close();
    CountSource();
  }

  uint64_t order() const override { return order_; }

  Result<columnar::Batch*> Next() override {
    meter_ = ScanMeter();
    Result<columnar::Batch*> batch = NextBatch();
    meter_.AddTo(counters_);
    return batch;
  }

 private:
  Result<columnar::Batch*> NextBatch() {
    if (handed_on_) {
      handed_on_ = false;
      sink_->batch().Clear();
    }
    while (true) {
      if (pass_ == nullptr) {
        if (next_source_ == plan_.sources.size()) {
          fed_.Deliver();
          return static_cast<columnar::Batch*>(nullptr);
        }
        PCHRONICLE_RETURN_IF_ERROR(OpenNext());
        continue;
      }
      if (!finished_) {
        PCHRONICLE_ASSIGN_OR_RETURN(const bool more, Fill());
        if (!more) {
          finished_ = true;
          PCHRONICLE_RETURN_IF_ERROR(Finish());
        }
      }
      if (state_.scope.restart_requested()) {
        sink_->batch().Clear();  // only findings count from here on (STL-127)
      }
      if (sink_->batch().rows > 0) {
        PCHRONICLE_RETURN_IF_ERROR(ShareIds());
        if (!state_.scope.restart_requested()) {
          handed_on_ = true;
          return &sink_->batch();
        }
        sink_->batch().Clear();
      }
      if (finished_) {
        Close();
      }
    }
  }

  const Source& source() const { return state_.dataset.sources[plan_.sources[next_source_ - 1]]; }
  bool strict() const { return !state_.scope.report_errors(); }

  /// Reads up to a batch of rows; false at the end of the source.
  Result<bool> Fill() {
    const Context& context = state_.scope.context();
    while (sink_->batch().rows < columnar::kBatchRows &&
           sink_->batch().text->bytes() < kBatchTextBytes) {
      if (context.cancelled() || ++advances_ % kStride == 0) {
        PCHRONICLE_RETURN_IF_ERROR(context.Check());
        // Also when this scan finds no rows of its own for long.
        if (!fed_.Fit()) {
          tee_.KeepFirst(own_sinks_);
          fed_.GiveUp();
        }
      }
      if (!pass_->Advance()) {
        return false;
      }
    }
    return true;
  }

  Status OpenNext() {
    const Source& source = state_.dataset.sources[plan_.sources[next_source_++]];
    PCHRONICLE_RETURN_IF_ERROR(state_.scope.context().Check());
    const Limits& limits = state_.scope.snapshot().options().limits;
    auto held = ResolveHeld(state_.dataset, source, limits, state_.scope.context());
    if (!held.ok()) {
      return Lost({source.file, held.status(), 0, 0, ""});
    }
    counters_.sources_opened += plan_.is_range && plan_.range.begin != 0 ? 0 : 1;
    const ResolvedSource& resolved = *held->resolved;
    if (!resolved.error.ok()) {
      return plan_.is_range && plan_.range.begin != 0 ? Status::Ok()
                                                      : Lost(PlaceError(source, resolved));
    }
    if (!HasDocuments(resolved)) {
      return Status::Ok();
    }
    range_ = json::RecordRange();
    if (plan_.is_range) {
      if (CanSplit(source, resolved)) {
        range_ = plan_.range;
      } else if (plan_.range.begin != 0) {
        return Status::Ok();  // the first range's task reads the whole file
      }
    }
    const model::FieldMask fields = state_.fields | fed_.fields();
    shares_ids_ =
        (range_.begin != 0 || range_.end != json::kToEnd) && fields.has(model::Field::kDocumentId);
    model::DocumentSink* const sink = MakeSinks(source, held->resolved);
    auto pass = SourcePass::Open(state_.dataset, source, std::move(held).value(), limits,
                                 state_.scope.context(),
                                 {fields, range_, state_.scope.LostIn(source, range_)}, *sink);
    if (!pass.ok()) {
      sink_.reset();
      return Lost({source.file, pass.status(), 0, 0, ""});
    }
    pass_ = std::move(pass).value();
    finished_ = false;
    return Status::Ok();
  }

  /// The sinks of the next source; returns the one to walk into.
  model::DocumentSink* MakeSinks(const Source& source,
                                 const std::shared_ptr<const ResolvedSource>& resolved) {
    file_ids_.clear();
    const auto make = [&](const ScanRequest& scan) {
      model::RowSink::Request request;
      request.relation = scan.relation;
      request.columns = scan.columns;
      request.predicates = scan.predicates;
      request.file = source.file;
      request.keep_problems = !strict();
      if (auto ids = AddReferenceHooks(state_.dataset.sources, source, resolved,
                                       state_.scope.snapshot().options().limits,
                                       state_.scope.context(), request)) {
        file_ids_.push_back(std::move(ids));
      }
      return model::MakeRowSink(std::move(request));
    };
    sink_ = make(state_.request);
    tee_ = model::TeeSink();
    tee_.Add(*sink_);
    ids_ = IdSink();
    if (shares_ids_) {
      tee_.Add(ids_);
    }
    own_sinks_ = tee_.size();
    fed_.BeginSource(make, tee_);
    return tee_.size() == 1 ? static_cast<model::DocumentSink*>(sink_.get()) : &tee_;
  }

  /// Only lines that stand alone, and only if nothing asked for depends on their number.
  bool CanSplit(const Source& source, const ResolvedSource& resolved) const {
    if (resolved.container != json::Container::kLines || !model::CanSplit(*resolved.format) ||
        resolved.compression != json::Compression::kNone || source.harbor != nullptr ||
        source.cell->IsSerial() || state_.needs_ordinal) {
      return false;
    }
    // A chat row without an id is named by its number in the file (HF-01).
    return resolved.format != model::Format::kHfChat || state_.counts_only;
  }

  /// A source, or what is left of it, cannot be read: the query's error, or one that it reports.
  Status Lost(SourceProblem problem) {
    if (strict() || FailsAlways(problem.status)) {
      return ToStatus(problem);
    }
    state_.scope.AddProblem(std::move(problem));
    return Status::Ok();
  }

  /// Before rows leave: their ids must be of this range alone.
  Status ShareIds() {
    if (!shares_ids_) {
      return Status::Ok();
    }
    NoteIdMemory();
    if (plan_.ids->Add(ids_.Take(), plan_.range.begin)) {
      return Status::Ok();
    }
    source().cell->SetSerial();
    state_.scope.RequestRestart();
    return Status::Ok();
  }

  /// The source is read to its end.
  Status Finish() {
    PCHRONICLE_RETURN_IF_ERROR(ShareIds());
    state_.scope.AddLost(source(), range_, pass_->TakeNotes());
    // The cancellable input: placing reads the file again.
    std::vector<SourceProblem> placed =
        PlaceProblems(source().file, pass_->input(), sink_->problems(), pass_->is_compressed());
    for (const SourceProblem& problem : placed) {
      if (strict() || FailsAlways(problem.status)) {
        return ToStatus(problem);
      }
    }
    state_.scope.AddProblems(range_, std::move(placed), sink_->problems_left_out());
    PCHRONICLE_RETURN_IF_ERROR(state_.scope.context().Check());
    if (pass_->needs_second_pass() || sink_->needs_second_pass() || fed_.needs_second_pass()) {
      state_.scope.RequestRestart();
    }
    NoteIdMemory();
    fed_.EndSource(counters_);
    return Status::Ok();
  }

  /// Before ids are given away or forgotten. Most of it only grows until then.
  void NoteIdMemory() {
    uint64_t bytes = pass_->id_bytes() + sink_->id_bytes() + fed_.id_bytes() + ids_.bytes();
    for (const auto& ids : file_ids_) {
      bytes += ids->bytes();
    }
    bytes += shares_ids_ ? plan_.ids->bytes() : 0;
    counters_.id_peak_bytes = std::max(counters_.id_peak_bytes, bytes);
  }

  /// Also when the consumer stops early (STL-120).
  void Close() {
    if (pass_ == nullptr) {
      return;
    }
    counters_.bytes_read += pass_->bytes_read();
    counters_.compressed_bytes_read += pass_->compressed_bytes_read();
    counters_.streamed_records += pass_->records();
    counters_.buffer_peak_bytes = pass_->buffer_peak_bytes();
    NoteIdMemory();
    CountRows(counters_, sink_->counters());
    pass_.reset();
    sink_.reset();
    CountSource();
  }

  /// What the source at hand cost so far counts from now on.
  void CountSource() {
    meter_.AddTo(counters_);
    if (next_source_ > 0) {
      state_.Count(&source(), counters_);
    }
    counters_ = ScanCounters();
  }

  ScanState& state_;
  const TaskPlan& plan_;
  const uint64_t order_;
  size_t next_source_ = 0;
  unsigned advances_ = 0;
  ScanMeter meter_;
  ScanCounters counters_;  // of the source at hand
  json::RecordRange range_;
  bool shares_ids_ = false;
  bool handed_on_ = false;
  bool finished_ = false;
  std::unique_ptr<model::RowSink> sink_;
  IdSink ids_;            // shares_ids_: of documents since rows left last
  FedRows fed_;           // for other scans of the query
  model::TeeSink tee_;    // into sink_, ids_ and the sinks of fed_
  size_t own_sinks_ = 1;  // of tee_, without those of fed_
  std::vector<std::shared_ptr<model::FileIds>> file_ids_;  // of the sinks
  std::unique_ptr<SourcePass> pass_;                       // null: between two sources
};

}  // namespace

std::unique_ptr<ScanTask> MakeSourceTask(ScanState& state, const TaskPlan& plan, uint64_t order) {
  if (state.group != nullptr) {
    uint64_t bytes = 0;
    if (auto rows = state.group->Take(state.member, order, &bytes)) {
      ScanCounters counters;
      for (const columnar::Batch& batch : *rows) {
        counters.rows_shared += batch.rows;
      }
      state.Count(nullptr, counters);
      return std::make_unique<MadeRowsTask>(*state.group, std::move(*rows), bytes, order);
    }
  }
  return std::make_unique<SourceTask>(state, plan, order);
}

}  // namespace pchronicle::catalog
