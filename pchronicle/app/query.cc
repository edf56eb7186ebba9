#include "pchronicle/app/query.h"

#include <algorithm>

#include "pchronicle/app/durable_file.h"
#include "pchronicle/app/query_scans.h"
#include "pchronicle/catalog/foreign_table.h"
#include "pchronicle/model/relations.h"

namespace pchronicle::app {
namespace {

bool IsReady(const catalog::Source& source) {
  return source.error.ok() && source.ignored_reason.empty();
}

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
  metrics.pages_decoded = counters.pages_decoded;
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
    // A table that is mounted for its rows is not passed over.
    all.ignored += dataset.ForeignTableSource() != nullptr ? 0 : counts.ignored;
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
      "bytes_skipped={} compressed_bytes_read={} pages_decoded={} identity_peak_bytes={} "
      "busy_us={}",
      projected_files, streamed_records, streaming_buffer_peak_bytes, scanned_documents,
      pruned_documents, scanned_rows, pruned_rows, emitted_rows, projected_bytes, source_bytes_read,
      restarts, sources_total, sources_pruned, bytes_decoded, bytes_skipped, compressed_bytes_read,
      pages_decoded, identity_peak_bytes, busy_us);
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
    if (const catalog::Source* table = dataset.ForeignTableSource(); table != nullptr) {
      schema.rows = table->table;
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
  QueryScans scans(scope, options.metrics);
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
