#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/app/inventory.h"
#include "pchronicle/app/query_encoder.h"
#include "pchronicle/app/query_engine.h"
#include "pchronicle/app/query_spool.h"
#include "pchronicle/catalog/scan.h"

namespace pchronicle::app {

struct QueryOptions {
  std::string sql;
  EncoderOptions encoder{.max_bytes = 64ULL << 20};
  uint64_t max_rows = 100'000;  // 0: no limit
  bool report_errors =
      false;             // `--errors report`: leave out lost units and name them (catalog.md 11)
  bool check = false;    // read every source first (REL-11)
  bool metrics = false;  // also count projected_bytes
  std::function<void(size_t, size_t)> check_progress;  // (done, total) of `check`, from any thread
};

/// Counters over all scans of one query (LZY-07).
struct QueryMetrics {
  uint64_t projected_files = 0, source_bytes_read = 0, streamed_records = 0,
           streaming_buffer_peak_bytes = 0;
  uint64_t identity_peak_bytes = 0;  // to tell documents apart
  uint64_t scanned_documents = 0, pruned_documents = 0, scanned_rows = 0, pruned_rows = 0,
           emitted_rows = 0;
  uint64_t projected_bytes = 0;                    // cells handed to the engine; counted on request
  uint64_t restarts = 0;                           // the query was run once more (STL-127)
  uint64_t sources_total = 0, sources_pruned = 0;  // of all scans
  /// What of source_bytes_read was needed, and what was passed over.
  uint64_t bytes_decoded = 0, bytes_skipped = 0;
  uint64_t compressed_bytes_read = 0;        // source_bytes_read is the text
  uint64_t pages_decoded = 0;                // of foreign tables
  uint64_t busy_us = 0;                      // of all threads
  std::vector<catalog::SourceCost> slowest;  // counted on request
  /// `projected_files=3 streamed_records=10 ...` (cli.md 4.3).
  std::string ToString() const;
};

/// A finished result, held back whole: it passed every limit (D22).
struct QueryOutcome {
  Spool result;  // encoded
  uint64_t rows = 0;
  bool complete = true;  // false when units were left out
  std::vector<catalog::SourceProblem> problems;
  uint64_t problem_count = 0;  // of all: `problems` has the first of each source
  SourceCounts sources;        // of all mounted Datasets, as far as known after the query
  bool content_unknown =
      false;  // content columns of `sources` were read while some were unknown (REL-11)
  QueryMetrics metrics;
};

/// Schemas of every mounted Dataset, as the engine needs them.
sql::Namespace MakeNamespace(const catalog::Snapshot& snapshot);

/// SQL over one snapshot. Thread-safe after creation. Used by the command line and by servers.
class QuerySession {
 public:
  /// Mounts the snapshot's Datasets in the engine of `loader`, which must outlive the session.
  static Result<std::unique_ptr<QuerySession>> Create(
      std::shared_ptr<const catalog::Snapshot> snapshot, EngineLoader& loader);

  /// Runs one read-only statement (catalog.md 10) to its end. Codes: kInvalidArgument and
  /// kUnsupported for the SQL, kResourceExhausted naming max_output_rows or max_output_bytes,
  /// kUnavailable when the context's deadline passed, kCancelled, or the status of the source that
  /// failed.
  Result<QueryOutcome> Run(const QueryOptions& options, const Context& context) const;

  const catalog::Snapshot& snapshot() const { return *snapshot_; }
  sql::Engine& engine() const { return engine_; }

 private:
  QuerySession(std::shared_ptr<const catalog::Snapshot> snapshot, sql::Engine& engine)
      : snapshot_(std::move(snapshot)), engine_(engine) {}
  Status RunOnce(const QueryOptions& options, catalog::QueryScope& scope,
                 QueryOutcome& outcome) const;

  const std::shared_ptr<const catalog::Snapshot> snapshot_;
  sql::Engine& engine_;
};

/// The error of a result above max_output_rows.
Status TooManyRows(uint64_t limit);
/// A failure that the second run of STL-127 may not have.
bool MayPassSecondTime(const Status& status);
/// What a caller is told of a failed query: the engine's text for a passed deadline says less.
Status QueryFailure(const Status& status, const Context& context);

/// Writes a result to a file that appears at once. `overwrite` false: kAlreadyExists when there is
/// one. A cancelled one (the deadline does not count: the query is done) leaves no file.
Status WriteResultFile(const QueryOutcome& outcome, const std::string& path, bool overwrite,
                       const Context& context);

}  // namespace pchronicle::app
