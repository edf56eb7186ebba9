#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/base/status.h"
#include "pchronicle/columnar/arrow_abi.h"

/// The public library of pChronicle: agent trajectories in folders of JSON files, as SQL relations
/// that come out as Arrow, and as documents. docs/user/cpp.md shows it at work.
///
/// No function throws on bad input or on failure: errors are values. What is documented as
/// thread-safe may be called from any number of threads at once. Every Snapshot and every stream
/// must be gone before main returns, because the SQL engine is a library that was loaded later.
namespace pchronicle {

/// `major.minor.patch` of the library that is running.
std::string_view Version();

/// A switch that stops operations from another thread: give it to them in their options. Copies
/// share one switch. Thread-safe. An operation that is stopped fails with kCancelled within a
/// fraction of a second.
class Cancellation {
 public:
  Cancellation();
  /// Stops all operations that have this switch, and those that will be given it. Must not be
  /// called in a signal handler.
  void Cancel() const;
  bool cancelled() const;

 private:
  friend class Operation;
  struct State;
  std::shared_ptr<State> state_;
};

/// What an error costs.
enum class ErrorPolicy : uint8_t {
  kStrict,  // the operation
  kReport,  // the smallest unit that is still sure: a record, a document, a file; it is named
};

/// A folder, or a single file, under a name.
struct Mount {
  /// A local path; also `file:///path` and `local:///path`.
  std::string location{};
  /// SQL schema: letters, digits and `_`, lowercased, not a digit first. Empty: `dataset`, the one
  /// that unqualified relation names mean. At most one mount may have no name.
  std::string name{};
  /// Where list functions find it: `prod/agent-data`. Empty: the name.
  std::string name_space{};
};

/// Of Snapshot::Open. Limits that are exceeded fail with kResourceExhausted and their name.
struct OpenOptions {
  /// Of files that cannot be pinned, for example for want of permission. kReport keeps them as
  /// sources with the status `error`.
  ErrorPolicy errors = ErrorPolicy::kStrict;

  uint64_t max_files = 1'000'000;          // that may be sources
  uint64_t max_entries = 2'000'000;        // of directories
  uint64_t max_file_bytes = 0;             // 0: no limit
  uint64_t max_record_bytes = 1ULL << 30;  // that have to be held at once
  uint32_t max_concurrent_files = 0;       // 0: one per core, at most 8

  uint64_t memory_limit = 0;      // bytes for sorting, joining, grouping; 0: the engine's share
  std::string spill_directory{};  // for what is above it; empty: such queries fail
  uint64_t spill_limit = 0;       // bytes there; 0: what the disk has
  uint32_t threads = 0;           // of the engine; 0: one per core

  std::chrono::milliseconds timeout{0};  // of Open; 0: none
  std::optional<Cancellation> cancellation{};
};

/// What a query left out and how it ended.
struct QueryReport {
  uint64_t rows = 0;      // handed on
  bool complete = false;  // ended without an error, and nothing was left out
  /// `a/b.jsonl: line 41, byte 8122, /steps/3/source: ...`, sorted. Text of files: escape it before
  /// it reaches a terminal.
  /// Of each source the first 1000.
  std::vector<std::string> left_out{};
  uint64_t left_out_count = 0;  // of all
};

/// Of Snapshot::Query.
struct QueryOptions {
  /// Of what cannot be read. kReport answers from the rest: see `report`.
  ErrorPolicy errors = ErrorPolicy::kStrict;

  /// Holds the rows back until all are known: the first get_next runs the query to its end. Some
  /// mistakes show only at the end of a record or a file; then rows that left it already are wrong.
  /// The query is run again unseen if none was handed on, so `complete` answers always, while
  /// without it get_next may fail in the middle and ask for this. With kReport set it.
  bool complete = false;
  uint64_t max_held_bytes = 1ULL << 30;  // of `complete`; 0: no limit

  uint64_t max_output_rows = 0;          // more are kResourceExhausted; 0: no limit
  std::chrono::milliseconds timeout{0};  // until the stream's end; 0: none. kUnavailable
  std::optional<Cancellation> cancellation{};

  /// Filled in when the stream comes to its end or fails; do not look at it before.
  std::shared_ptr<QueryReport> report{};
};

/// A child of a namespace.
struct NamespaceInfo {
  std::string path{};       // `prod/agent-data`
  bool mounted = false;     // a Dataset stands here
  std::string sql_alias{};  // its SQL schema
};

/// A file or store of a Dataset, as far as it is known without reading it.
struct SourceInfo {
  std::string file{};          // relative to the Dataset; the column `_file_`
  std::string kind{};          // `file`, `store`
  std::string format{};        // empty: not known yet
  std::string snapshot_ref{};  // for people: which version is pinned
  std::optional<uint64_t> size_bytes{};
  std::optional<int64_t> modified_ns{};  // since the Unix epoch
  std::string status{};                  // `ready`, `error`
  std::string error{};
  /// Of earlier readings under this snapshot: `ready`, `open`, `empty`, `ignored`, `error`; empty:
  /// it was not read.
  std::string content_status{};
  std::string reason{};            // why it is not `ready`
  std::optional<uint64_t> runs{};  // documents that can be used
};

/// One page of the sources of a Dataset.
struct SourcePage {
  std::vector<SourceInfo> sources{};  // by `file`, in byte order
  uint64_t total = 0;                 // of all pages, the same for every page size
  std::string next_token{};           // empty on the last page
};

/// The document of one run.
struct StorylineKey {
  std::string file{};
  std::string session_id{};
  /// Empty: the only document of this session. Needed when a session has several, for example the
  /// runs of subagents.
  std::string document_id{};
  std::string name_space = "dataset";
};

/// Of Snapshot::LoadStoryline.
struct LoadOptions {
  /// `storyline`, `atif`, `actf`, `openai-messages` or `agenticmd`.
  std::string format = "storyline";
  bool pretty = false;                   // indented
  std::chrono::milliseconds timeout{0};  // 0: none
  std::optional<Cancellation> cancellation{};
};

/// The members and versions of some Datasets, frozen: files that come, go or change afterwards do
/// not change an answer. (A file that changed fails the query that reads it.) A handle: copies are
/// cheap and share everything. Immutable and thread-safe.
class Snapshot {
 public:
  /// Lists the folders; reads no file. kInvalidArgument: names, locations and limits that are
  /// wrong. kNotFound: no such place.
  static Result<Snapshot> Open(const std::vector<Mount>& mounts, const OpenOptions& options = {});
  /// The same with one Dataset without a name.
  static Result<Snapshot> Open(std::string_view location, const OpenOptions& options = {});

  /// A new snapshot of the same mounts with the same options. What was found out about files that
  /// did not change is kept, so only new ones are read again.
  Result<Snapshot> Refresh() const;

  /// 24 hexadecimal digits: the same members and versions give the same id.
  const std::string& id() const;

  /// Starts one read-only statement: SELECT, VALUES, DESCRIBE or EXPLAIN in DuckDB's dialect over
  /// the relations of docs/user/relations.md. `out` gets the rows as an Arrow C stream of struct
  /// arrays with a child for every column; text and lists have 64-bit offsets. The stream belongs
  /// to the caller, who must release it; it keeps the snapshot alive, and its arrays outlive both.
  /// One thread at a time may use a stream; many streams may run at once. After a failure get_next
  /// gives an errno value, get_last_error the message, and the stream stays failed.
  ///
  /// The first call loads the SQL engine. Errors: kInvalidArgument for wrong SQL, kUnsupported for
  /// statements that do more than read and for columns that Arrow cannot carry, kCancelled,
  /// kUnavailable for a timeout. On an error `out` is a released stream.
  Status Query(std::string_view sql, ArrowArrayStream* out, const QueryOptions& options = {}) const;

  /// One run as a document (text, JSON but for `agenticmd`). kNotFound: no such file or session in
  /// the Dataset. kInvalidArgument: the session has several documents; the message lists them.
  Result<std::string> LoadStoryline(const StorylineKey& key, const LoadOptions& options = {}) const;

  /// Direct children of a namespace, or of the root when `parent` is empty. kNotFound: nothing is
  /// mounted there.
  Result<std::vector<NamespaceInfo>> ListNamespaces(std::string_view parent = "") const;

  /// At most `limit` (1 to 10,000) sources, from the start or from the `next_token` of the page
  /// before. Opens no source. kNotFound: no Dataset is mounted at `name_space`. kInvalidArgument: a
  /// token of another snapshot, and what is no token.
  Result<SourcePage> ListSources(std::string_view name_space = "dataset",
                                 std::string_view token = "", uint64_t limit = 100) const;

  /// The source with exactly this `file`, if there is one. Opens no source.
  Result<std::optional<SourceInfo>> DescribeSource(std::string_view file,
                                                   std::string_view name_space = "dataset") const;

 private:
  struct State;
  explicit Snapshot(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace pchronicle
