#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/io/store.h"
#include "pchronicle/json/decompress.h"
#include "pchronicle/model/diagnostics.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::catalog {

enum class ErrorPolicy : uint8_t { kStrict, kReport };

struct Limits {  // catalog.md 12
  uint64_t max_files = 1'000'000;
  uint64_t max_entries = 2'000'000;
  uint64_t max_detection_bytes = 256ULL << 20;
  uint64_t max_file_bytes = 0;  // 0: none for local files (D14)
  uint64_t max_record_bytes = 1ULL << 30;
  // Of one compressed file (json/decompress.h): its text, text for each byte, memory of a zstd
  // frame.
  uint64_t max_decompressed_bytes = 64ULL << 30;
  uint64_t max_decompression_ratio = 1000;
  uint64_t max_decompression_window_bytes = 128ULL << 20;
  uint32_t max_concurrent_files = 0;    // 0: min(cores, 8)
  uint32_t max_concurrent_sources = 0;  // 0: min(cores, 16)
};

/// One Dataset under a name (catalog.md 2).
struct Mount {
  std::string alias;                    // SQL schema, MNT-01
  std::vector<std::string> name_space;  // MNT-02
  std::string uri;                      // as given
  std::optional<model::Format> format_hint;
  bool is_default = false;
  std::shared_ptr<io::Store>
      store;  // set by callers that bring their own (tests, API): `uri` is only its name
};
/// Checks and derives alias and namespace of `--mount NAME=URI`; a positional Dataset is Mount
/// "dataset" (MNT-06), the default one.
Result<Mount> ParseMount(std::string_view name, std::string_view uri);
Mount PositionalMount(std::string_view uri);

/// Typed revision of a source (catalog.md 4.1, D16).
struct Revision {
  enum class Kind : uint8_t { kNone, kLocalFile, kObject, kStoryline, kEvents };
  Kind kind = Kind::kNone;
  std::string fingerprint;  // kLocalFile: hex; kObject: only with sidecars
  std::string location;     // kObject
  io::Entry entry;          // pinned metadata; of stores: of the marker file
  std::string generation;   // kStoryline
  uint64_t fact_version = 0, fact_rows = 0, layout_revision = 0;  // kEvents
  std::string display() const;                                    // snapshot_ref; empty for kNone
  std::string ToJson() const;  // internal form (PIN-08); `null` for kNone
};
/// Pins a listed entry: by fingerprint (4.1, SID-03a) when it has device and inode, else as an
/// object. `location` is the absolute path or URI of the entry. Sidecars of the entry go into its
/// fingerprint (HAR-02).
Revision MakeRevision(io::Entry entry, std::string_view location,
                      const std::vector<std::pair<std::string, io::Entry>>& sidecars = {});

enum class SourceKind : uint8_t { kFile, kStore };
enum class ContentStatus : uint8_t { kUnknown, kReady, kOpen, kEmpty, kIgnored, kError };
std::string_view ContentStatusName(ContentStatus status);

/// What is known of a source's content once it was read in this snapshot (catalog.md 6.1
/// `sources`).
struct SourceContent {
  ContentStatus status = ContentStatus::kUnknown;
  std::optional<model::Format> format;
  std::string reason;  // category and place, empty when ready
  std::optional<uint64_t> runs;
  model::Diagnostics diagnostics;
};

/// Where a source stands in a Harbor job folder (sources.md 10). Paths are relative to the mount;
/// they are pinned like sources. Immutable.
struct HarborPlace {
  enum class Role : uint8_t {
    kTrajectory,   // below <trial>/agent/: gets the sidecars' values
    kTrialResult,  // a result.json that would be a document of its own: the trial has no trajectory
                   // file (HAR-07)
  };
  Role role = Role::kTrajectory;
  std::string trial;                      // folder name of the trial or step, for messages
  std::optional<io::Entry> result;        // <trial>/result.json
  std::optional<io::Entry> reward_json;   // <trial>/verifier/reward.json
  std::optional<io::Entry> reward_text;   // <trial>/verifier/reward.txt
  std::optional<io::Entry> trial_result;  // of a step folder: the result.json of its trial (HAR-10)
  bool only_step = false;                 // of a step folder: the trial has no other trajectory
  std::string
      trajectory;  // `_file_` of <trial>/agent/trajectory.json when it is listed and not this one
  bool is_main = false;             // is itself <trial>/agent/trajectory.json
  std::vector<std::string> others;  // kTrialResult: `_file_` of what else may hold the trial's run
};

struct StorePin;
class ForeignTable;

/// The projection that was chosen for an events source (catalog.md 4.2). Only a fresh one may serve
/// rows (CAT-15).
struct Projection {
  std::string file;  // of the Storyline store, relative to the mount
  std::string generation;
  bool fresh = false;
  uint64_t candidates = 0;  // stores that claim to be projections of this source
  std::shared_ptr<const StorePin> pin;
};

/// One discovered candidate (catalog.md 3). Immutable but for its resolve cell, which is
/// thread-safe.
class Source {
 public:
  std::string file;  // `_file_`
  SourceKind kind = SourceKind::kFile;
  std::optional<std::string> format_name;  // known without reading: hint, store kind
  Revision revision;
  std::optional<uint64_t> size_bytes;
  std::optional<int64_t> modified_ns;
  Status error;                               // candidate that could not be pinned: status `error`
  std::string ignored_reason;                 // ignored from the start (DSC-16): never opened
  std::shared_ptr<const HarborPlace> harbor;  // null: not in a Harbor job folder
  std::shared_ptr<const StorePin> store_pin;  // null: no store, or one that cannot be pinned
  std::shared_ptr<const Projection> projection;  // of events sources, when one is bound
  std::shared_ptr<const ForeignTable> table;     // null: no mount root that is a foreign table

  /// Resolved state: format detection and what scans found. Single-flight (LZY-02), errors cached
  /// (LZY-03).
  struct Cell;
  std::shared_ptr<Cell> cell;
};

struct CatalogDataset {
  Mount mount;
  std::string root_uri;  // absolute
  std::shared_ptr<io::Store> store;
  std::vector<Source> sources;  // by `_file_`, byte order
  std::vector<std::pair<std::string, uint64_t>>
      passed_over;  // DSC-16: ".txt" 12, "symlink" 1; sorted
  uint64_t directories = 0;

  /// Source with exactly this `_file_`.
  const Source* Find(std::string_view file) const;
  /// The source whose rows are the relation `rows` (DSC-17); null when the mount is no such table.
  const Source* ForeignTableSource() const {
    return sources.size() == 1 && sources[0].table != nullptr ? &sources[0] : nullptr;
  }
};

struct SnapshotOptions {
  ErrorPolicy errors = ErrorPolicy::kStrict;
  Limits limits;
};

/// Frozen members and versions of the mounted Datasets. Immutable; shared. Building opens no file
/// (CAT-17).
class Snapshot {
 public:
  /// Sources of `previous` whose pin did not change bring along what is known of their content, so
  /// that a refresh reads only what changed (BR-29).
  static Result<std::shared_ptr<const Snapshot>> Build(std::vector<Mount> mounts,
                                                       SnapshotOptions options,
                                                       const Context& context,
                                                       const Snapshot* previous = nullptr);
  const std::string& id() const { return id_; }  // SID-01
  int64_t created_at_ns() const { return created_at_ns_; }
  const std::vector<CatalogDataset>& datasets() const { return datasets_; }
  const SnapshotOptions& options() const { return options_; }
  std::optional<size_t> default_dataset() const;
  std::optional<size_t> FindDataset(std::string_view alias) const;

 private:
  friend class SnapshotBuilder;
  std::string id_;
  int64_t created_at_ns_ = 0;
  std::vector<CatalogDataset> datasets_;
  SnapshotOptions options_;
};

/// How a source is to be read: what Resolve finds out. Cached in the source's cell.
struct ResolvedSource {
  SourceContent content;  // kEmpty, kIgnored, kError are final; kReady/kUnknown: to be walked
  std::optional<model::Format> format;
  json::Container container = json::Container::kDocument;
  std::shared_ptr<const json::ByteInput> input;
  /// Of the file; `input` is the text inside, and so are all offsets.
  json::Compression compression = json::Compression::kNone;
  /// kError: what is wrong with the whole file, and where (for json::Locate).
  Status error;
  uint64_t error_record = 0, error_offset = 0;
  /// No file to walk, but one document without turns that the Harbor trial stands for (HAR-07).
  bool harbor_run = false;
};
/// Opens the source (checking its pin, CAT-18), detects its format and kind. Thread-safe,
/// single-flight. To walk it use `input` with the format and container found here.
Result<std::shared_ptr<const ResolvedSource>> Resolve(const CatalogDataset& dataset,
                                                      const Source& source, const Limits& limits);

/// Times a source was opened for detection in this snapshot (LZY-07): 0 or 1, but for cancelled
/// ones.
uint64_t ResolveCount(const Source& source);

/// Reads every source fully (in parallel) and fills the cells' content: `ls --check`, `stats`,
/// `query --check`. `progress` is called with (done, total), from any thread.
Status CheckAll(const Snapshot& snapshot, const Context& context,
                const std::function<void(size_t, size_t)>& progress = nullptr);

/// What is known of a source now; never reads (REL-11).
SourceContent KnownContent(const Source& source);

}  // namespace pchronicle::catalog
