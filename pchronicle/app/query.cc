#include "pchronicle/app/query.h"

#include <algorithm>
#include <atomic>

#include "pchronicle/app/durable_file.h"
#include "pchronicle/model/relations.h"

namespace pchronicle::app {
namespace {

using catalog::RelationScan;
using catalog::ScanRequest;
using catalog::ScanTask;

bool IsReady(const catalog::Source& source) {
  return source.error.ok() && source.ignored_reason.empty();
}

/// A mount root that is itself a foreign Lance table (DSC-17).
bool IsForeignTable(const catalog::CatalogDataset& dataset) {
  return dataset.sources.size() == 1 && dataset.sources[0].file == "." &&
         dataset.sources[0].kind == catalog::SourceKind::kStore &&
         !dataset.sources[0].format_name && dataset.sources[0].error.ok();
}

/// Columns of `sources` that hold what reading found out.
bool IsContentColumn(uint16_t column) {
  const std::string& name = model::RelationColumns(model::Relation::kSources)[column].field.name;
  return name == "content_status" || name == "reason" || name == "runs" || name == "diagnostics";
}

bool HasUnknownContent(const catalog::CatalogDataset& dataset) {
  return std::any_of(
      dataset.sources.begin(), dataset.sources.end(), [](const catalog::Source& source) {
        return IsReady(source) &&
               catalog::KnownContent(source).status == catalog::ContentStatus::kUnknown;
      });
}

uint64_t BytesOf(const columnar::Column& column) {
  uint64_t bytes = (column.ints().size() + column.doubles().size()) * sizeof(int64_t);
  for (const std::string_view text : column.texts()) {
    bytes += text.size();
  }
  return columnar::IsList(column.type()) ? bytes + BytesOf(column.element()) : bytes;
}

/// Counts the cells that a task hands on.
class CountingTask : public ScanTask {
 public:
  CountingTask(std::unique_ptr<ScanTask> task, std::atomic<uint64_t>& bytes)
      : task_(std::move(task)), bytes_(bytes) {}
  uint64_t order() const override { return task_->order(); }
  Result<columnar::Batch*> Next() override {
    PCHRONICLE_ASSIGN_OR_RETURN(columnar::Batch* const batch, task_->Next());
    if (batch != nullptr) {
      for (const columnar::Column& column : batch->columns) {
        bytes_ += BytesOf(column);
      }
    }
    return batch;
  }

 private:
  const std::unique_ptr<ScanTask> task_;
  std::atomic<uint64_t>& bytes_;
};

class CountingScan : public RelationScan {
 public:
  CountingScan(std::unique_ptr<RelationScan> scan, std::atomic<uint64_t>& bytes)
      : scan_(std::move(scan)), bytes_(bytes) {}
  size_t sources_total() const override { return scan_->sources_total(); }
  size_t sources_matched() const override { return scan_->sources_matched(); }
  uint64_t bytes_matched() const override { return scan_->bytes_matched(); }
  size_t max_threads() const override { return scan_->max_threads(); }
  const catalog::ScanMetrics* metrics() const override { return scan_->metrics(); }
  Result<std::unique_ptr<ScanTask>> NextTask() override {
    PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<ScanTask> task, scan_->NextTask());
    if (task == nullptr) {
      return std::unique_ptr<ScanTask>();
    }
    return std::unique_ptr<ScanTask>(std::make_unique<CountingTask>(std::move(task), bytes_));
  }

 private:
  const std::unique_ptr<RelationScan> scan_;
  std::atomic<uint64_t>& bytes_;
};

/// The scans of one query over a snapshot.
class SnapshotScans : public sql::ScanFactory {
 public:
  SnapshotScans(catalog::QueryScope& scope, bool count) : scope_(scope), count_(count) {}

  Result<std::unique_ptr<RelationScan>> Create(ScanRequest request) override {
    if (request.relation == model::Relation::kSources &&
        std::any_of(request.columns.begin(), request.columns.end(), IsContentColumn) &&
        HasUnknownContent(scope_.snapshot().datasets()[request.dataset])) {
      content_unknown_ = true;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<RelationScan> scan,
                                RelationScan::Create(scope_, std::move(request)));
    if (!count_) {
      return scan;
    }
    return std::unique_ptr<RelationScan>(std::make_unique<CountingScan>(std::move(scan), bytes_));
  }

  void Announce(const std::vector<ScanRequest>& scans) override { scope_.Announce(scans); }

  bool content_unknown() const { return content_unknown_.load(); }
  uint64_t bytes() const { return bytes_.load(); }

 private:
  catalog::QueryScope& scope_;
  const bool count_;
  std::atomic<bool> content_unknown_{false};
  std::atomic<uint64_t> bytes_{0};
};

/// Sources of which `--query-metrics` tells the time.
constexpr size_t kSlowestSources = 3;

QueryMetrics CopyMetrics(const catalog::ScanMetrics& counters) {
  QueryMetrics metrics;
  metrics.projected_files = counters.sources_opened;
  metrics.source_bytes_read = counters.bytes_read;
  metrics.streamed_records = counters.streamed_records;
  metrics.streaming_buffer_peak_bytes = counters.buffer_peak_bytes;
  metrics.identity_peak_bytes = counters.id_peak_bytes;
  metrics.scanned_documents = counters.documents_scanned;
  metrics.pruned_documents = counters.documents_pruned;
  metrics.scanned_rows = counters.rows_scanned;
  metrics.pruned_rows = counters.rows_pruned;
  metrics.emitted_rows = counters.rows_emitted;
  metrics.restarts = counters.restarts;
  metrics.sources_total = counters.sources_total;
  metrics.sources_pruned = counters.sources_pruned;
  metrics.bytes_decoded = counters.bytes_decoded;
  metrics.bytes_skipped = counters.bytes_skipped();
  metrics.compressed_bytes_read = counters.compressed_bytes_read;
  metrics.busy_us = counters.busy_ns / 1000;
  return metrics;
}

SourceCounts CountAll(const catalog::Snapshot& snapshot) {
  SourceCounts all;
  for (const catalog::CatalogDataset& dataset : snapshot.datasets()) {
    const SourceCounts counts = CountSources(dataset);
    all.total += counts.total;
    all.ready += counts.ready;
    all.error += counts.error;
    all.open += counts.open;
    all.empty += counts.empty;
    all.ignored += counts.ignored;
  }
  return all;
}

}  // namespace

Status TooManyRows(uint64_t limit) {
  return Status::ResourceExhausted(
      "the result has more rows than max_output_rows {}; add a LIMIT or raise the limit, 0 means "
      "no limit",
      limit);
}

bool MayPassSecondTime(const Status& status) {
  return status.code() != StatusCode::kCancelled && status.code() != StatusCode::kUnsupported &&
         status.code() != StatusCode::kInternal;
}

Status QueryFailure(const Status& status, const Context& context) {
  if (status.code() == StatusCode::kUnavailable && !context.Check().ok()) {
    return Status::Unavailable("the query did not end within its timeout");
  }
  return status;
}

std::string QueryMetrics::ToString() const {
  std::string text = fmt::format(
      "projected_files={} streamed_records={} streaming_buffer_peak_bytes={} scanned_documents={} "
      "pruned_documents={} "
      "scanned_rows={} pruned_rows={} emitted_rows={} projected_arrow_bytes={} "
      "source_bytes_read={} restarts={} sources_total={} sources_pruned={} bytes_decoded={} "
      "bytes_skipped={} compressed_bytes_read={} identity_peak_bytes={} busy_us={}",
      projected_files, streamed_records, streaming_buffer_peak_bytes, scanned_documents,
      pruned_documents, scanned_rows, pruned_rows, emitted_rows, projected_bytes, source_bytes_read,
      restarts, sources_total, sources_pruned, bytes_decoded, bytes_skipped, compressed_bytes_read,
      identity_peak_bytes, busy_us);
  // Nothing is parsed into a tree and kept (D29).
  text += " files_parsed=0 cache_hits=0 cache_misses=0 cache_evictions=0";
  return text;
}

sql::Namespace MakeNamespace(const catalog::Snapshot& snapshot) {
  sql::Namespace names;
  for (size_t i = 0; i < snapshot.datasets().size(); ++i) {
    const catalog::CatalogDataset& dataset = snapshot.datasets()[i];
    sql::DatasetSchema& schema = names.datasets.emplace_back();
    schema.alias = dataset.mount.alias;
    schema.is_default = snapshot.default_dataset() == i;
    if (IsForeignTable(dataset)) {
      schema.unreadable_relation = "rows";
      schema.unreadable_reason = "not readable yet";
    }
    for (const catalog::Source& source : dataset.sources) {
      if (IsReady(source)) {
        ++schema.ready_sources;
        schema.bytes += source.size_bytes.value_or(0);
      }
    }
  }
  for (int i = 0; i < model::kRelationCount; ++i) {
    const auto relation = static_cast<model::Relation>(i);
    sql::RelationSchema& schema = names.relations.emplace_back();
    schema.relation = relation;
    schema.name = model::RelationName(relation);
    for (const model::RelationColumn& column : model::RelationColumns(relation)) {
      schema.columns.push_back(column.field);
    }
  }
  return names;
}

Result<std::unique_ptr<QuerySession>> QuerySession::Create(
    std::shared_ptr<const catalog::Snapshot> snapshot, EngineLoader& loader) {
  PCHRONICLE_ASSIGN_OR_RETURN(sql::Engine* const engine, loader.Get());
  PCHRONICLE_RETURN_IF_ERROR(engine->Mount(MakeNamespace(*snapshot)));
  return std::unique_ptr<QuerySession>(new QuerySession(std::move(snapshot), *engine));
}

Status QuerySession::RunOnce(const QueryOptions& options, catalog::QueryScope& scope,
                             QueryOutcome& outcome) const {
  outcome.result.Clear();
  outcome.rows = 0;
  SnapshotScans scans(scope, options.metrics);
  EncoderOptions encoding = options.encoder;
  encoding.context = &scope.context();
  const auto encoder = MakeEncoder(encoding, outcome.result);
  PCHRONICLE_ASSIGN_OR_RETURN(const auto stream, engine_.Run(options.sql, scans, scope.context()));
  PCHRONICLE_RETURN_IF_ERROR(encoder->Begin(stream->columns()));
  while (true) {
    PCHRONICLE_ASSIGN_OR_RETURN(const sql::ResultChunk* const chunk, stream->Next());
    if (chunk == nullptr) {
      break;
    }
    outcome.rows += chunk->rows();
    if (options.max_rows != 0 && outcome.rows > options.max_rows) {
      return TooManyRows(options.max_rows);
    }
    PCHRONICLE_RETURN_IF_ERROR(encoder->Rows(*chunk));
    PCHRONICLE_RETURN_IF_ERROR(scope.context().Check());
  }
  outcome.content_unknown |= scans.content_unknown();
  outcome.metrics.projected_bytes += scans.bytes();
  return encoder->Finish();
}

Result<QueryOutcome> QuerySession::Run(const QueryOptions& options, const Context& context) const {
  if (options.check) {
    PCHRONICLE_RETURN_IF_ERROR(catalog::CheckAll(*snapshot_, context, options.check_progress));
  }
  catalog::QueryScope scope(*snapshot_, options.report_errors, context);
  if (options.metrics) {
    scope.KeepCosts();
  }
  QueryOutcome outcome;
  Status status = RunOnce(options, scope, outcome);
  if (scope.restart_requested() && (status.ok() || MayPassSecondTime(status)) &&
      context.Check().ok()) {
    scope.BeginRestart();
    status = RunOnce(options, scope, outcome);
    if (status.ok() && scope.restart_requested()) {
      status =
          Status::Unavailable("a source changed between two passes over it; run the query again");
    }
  }
  if (!status.ok()) {
    return QueryFailure(status, context);
  }
  outcome.problems = scope.problems();
  outcome.problem_count = scope.problem_count();
  outcome.complete = outcome.problems.empty();
  outcome.sources = CountAll(*snapshot_);
  const uint64_t projected_bytes = outcome.metrics.projected_bytes;
  outcome.metrics = CopyMetrics(scope.metrics());
  outcome.metrics.projected_bytes = projected_bytes;
  outcome.metrics.slowest = scope.SlowestSources(kSlowestSources);
  return outcome;
}

Status WriteResultFile(const QueryOutcome& outcome, const std::string& path, bool overwrite,
                       const Context& context) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto file,
                              StagedFile::Create(path, overwrite ? StagedFile::IfExists::kReplace
                                                                 : StagedFile::IfExists::kFail));
  PCHRONICLE_RETURN_IF_ERROR(
      outcome.result.ForEach([&](std::string_view bytes) { return file->Write(bytes); }, &context));
  return file->Publish();
}

}  // namespace pchronicle::app
