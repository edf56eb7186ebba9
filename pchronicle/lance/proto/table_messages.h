#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/proto/schema_messages.h"

namespace pchronicle::lance::proto {

// The protobuf messages of a table (lance.md A3, A5, A8). Numbers absent on the wire are 0; only
// what has presence there is optional here. Plain values, copied freely. Parse functions give
// kCorruption and name the message; the caller adds the file. Memory stays proportional to the
// bytes read. Write functions give the message back. `unknown` holds members that are not named
// here, as they came: newer writers add some, and a commit that copies an entry must keep them.

struct DataFile {
  std::string path;                     // relative to data/ of its base
  std::vector<int32_t> fields;          // -2: tombstone
  std::vector<int32_t> column_indices;  // -1: no column
  uint32_t major = 0, minor = 0;
  uint64_t size = 0;  // 0: unknown
  std::optional<uint32_t> base_id;
  std::string unknown;
  bool operator==(const DataFile&) const = default;
};

struct DeletionFile {
  enum class Kind : uint8_t { kArrow = 0, kBitmap = 1 };
  Kind kind = Kind::kArrow;
  uint64_t read_version = 0, id = 0, deleted_rows = 0;
  std::optional<uint32_t> base_id;

  /// Below `_deletions/`.
  std::string Name(uint64_t fragment) const;
  std::string unknown;
  bool operator==(const DeletionFile&) const = default;
};

/// Bytes inside the manifest, or a file that official writers never emit (kept in `unknown`).
struct Sequence {
  std::optional<std::string> inline_bytes;
  bool external = false;
  bool operator==(const Sequence&) const = default;
};

struct Fragment {
  uint64_t id = 0;
  std::vector<DataFile> files;
  std::optional<DeletionFile> deletion;
  uint64_t physical_rows = 0;  // deleted ones included
  Sequence row_ids, last_updated_at, created_at;
  bool overlays = false;  // member 11
  std::string unknown;
  bool operator==(const Fragment&) const = default;
};

struct BasePath {
  uint32_t id = 0;
  std::string name;
  bool is_dataset_root = false;
  std::string path;  // absolute
  std::string unknown;
  bool operator==(const BasePath&) const = default;
};

struct WriterVersion {
  std::string library, version, prerelease;
  /// `lance 14.0.2`; empty when unknown.
  std::string Text() const;
  bool operator==(const WriterVersion&) const = default;
};

struct Manifest {
  std::vector<Field> fields;
  std::vector<Fragment> fragments;
  uint64_t version = 0;
  Metadata schema_metadata;
  std::optional<uint64_t> index_section;        // position of the section in the file
  std::optional<uint64_t> transaction_section;  // member 23, else 21
  int64_t timestamp_seconds = 0;
  int32_t timestamp_nanos = 0;
  std::string tag;
  uint64_t reader_flags = 0, writer_flags = 0;
  std::optional<uint32_t> max_fragment_id;
  std::string transaction_file;  // inside _transactions/
  WriterVersion writer;
  uint64_t next_row_id = 0;
  std::string file_format, file_version;  // "lance", "2.1"
  Metadata config, table_metadata;
  std::vector<BasePath> base_paths;
  std::string branch;  // empty: main
  bool operator==(const Manifest&) const = default;
};

struct Index {
  std::array<uint8_t, 16> uuid{};
  std::vector<int32_t> fields;
  std::string name;
  uint64_t dataset_version = 0;
  std::optional<std::string> fragment_bitmap;  // Roaring, portable
  std::string type_url, details;
  int32_t index_version = 0;
  uint64_t created_at_ms = 0;
  std::optional<uint32_t> base_id;
  struct File {
    std::string path;
    uint64_t size = 0;
    bool operator==(const File&) const = default;
  };
  std::vector<File> files;

  /// The name of its directory below `_indices/`.
  std::string UuidText() const;
  /// What stands behind the last dot of the type URL, in lower case: `btreeindexdetails`.
  std::string Kind() const;
  std::string unknown;
  bool operator==(const Index&) const = default;
};

/// A segment that a rewrite replaced by files with the new addresses of its rows (A10).
struct RewrittenIndex {
  std::array<uint8_t, 16> old_uuid{}, uuid{};
  std::string type_url, details;
  int32_t index_version = 0;
  std::vector<Index::File> files;
  bool operator==(const RewrittenIndex&) const = default;
};

/// Changes to one map of key-value pairs (A5).
struct UpdateMap {
  struct Entry {
    std::string key;
    std::optional<std::string> value;  // none: the key is removed
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> entries;
  bool replace = false;  // what the map held before is dropped
  bool operator==(const UpdateMap&) const = default;
};

/// Old fragments that become new ones, in the order of their rows (A10).
struct RewriteGroup {
  std::vector<Fragment> old_fragments, new_fragments;
  bool operator==(const RewriteGroup&) const = default;
};

/// What a version did (A5). What history, conflict checks and our own commits need is kept; of
/// operations that only others make, the rest is dropped.
struct Transaction {
  enum class Operation : uint8_t {
    kUnknown,
    kAppend,
    kDelete,
    kOverwrite,
    kCreateIndex,
    kRewrite,
    kMerge,
    kRestore,
    kReserveFragments,
    kUpdate,
    kProject,
    kUpdateConfig,
    kDataReplacement,
    kUpdateMemWal,
    kClone,
    kUpdateBases,
  };
  uint64_t read_version = 0;
  std::string uuid, tag;
  Metadata properties;
  Operation operation = Operation::kUnknown;
  uint32_t operation_number = 0;  // member number on the wire, 0: none

  std::vector<Fragment> new_fragments;      // append, overwrite, merge, update, rewrite
  std::vector<Fragment> updated_fragments;  // delete, update
  std::vector<uint64_t> removed_fragments;  // delete, update, rewrite; data_replacement: touched
  std::string predicate;                    // delete
  std::vector<Index> new_indices, removed_indices;
  uint64_t restored_version = 0;
  uint64_t reserved_fragments = 0;
  std::vector<Field> schema;         // overwrite, merge, project
  Metadata schema_metadata;          // overwrite, merge
  std::vector<RewriteGroup> groups;  // rewrite; old ids and new fragments stand above, too
  std::vector<RewrittenIndex> rewritten_indices;
  std::vector<uint32_t> fields_modified;  // update: columns rewritten in place
  std::vector<int32_t> replaced_fields;   // data_replacement
  std::optional<UpdateMap> config_updates, table_metadata_updates, schema_metadata_updates;
  bool field_metadata_updates = false;  // update_config has some; they are not kept
  bool operator==(const Transaction&) const = default;
};
std::string_view OperationName(Transaction::Operation operation);

/// Ids in the order of the rows, run by run (A8). `holes` are ids of [start, end) that are absent.
struct IdSegment {
  enum class Kind : uint8_t { kRange, kRangeWithHoles, kRangeWithBitmap, kSorted, kArray };
  Kind kind = Kind::kRange;
  uint64_t start = 0, end = 0;   // range kinds, end exclusive
  std::vector<uint64_t> values;  // holes, or the ids of the array kinds
  std::string bitmap;            // least significant bit first
  bool operator==(const IdSegment&) const = default;
};
struct VersionRun {
  IdSegment span;  // only its length counts
  uint64_t version = 0;
  bool operator==(const VersionRun&) const = default;
};

Result<DataFile> ParseDataFile(std::string_view bytes);
Result<Fragment> ParseFragment(std::string_view bytes);
Result<Index> ParseIndex(std::string_view bytes);
Result<RewrittenIndex> ParseRewrittenIndex(std::string_view bytes);
Result<Manifest> ParseManifest(std::string_view bytes);
Result<std::vector<Index>> ParseIndexSection(std::string_view bytes);
Result<Transaction> ParseTransaction(std::string_view bytes);
Result<std::vector<IdSegment>> ParseRowIdSequence(std::string_view bytes);
Result<std::vector<VersionRun>> ParseVersionRuns(std::string_view bytes);

WireWriter Write(const Fragment& fragment);
WireWriter Write(const Index& index);
WireWriter Write(const RewrittenIndex& index);
/// The transaction's position goes to member 21, which every release from 1.0 on reads (A6).
WireWriter Write(const Manifest& manifest);
WireWriter WriteIndexSection(const std::vector<Index>& indices);
/// Operations that we commit: append, delete, overwrite, create_index, rewrite, merge, restore,
/// reserve_fragments, update, project, update_config; others must not be given.
WireWriter Write(const Transaction& transaction);
/// Segments of the kinds kRange, kArray and kSorted.
WireWriter WriteRowIdSequence(const std::vector<IdSegment>& segments);
WireWriter WriteVersionRuns(const std::vector<VersionRun>& runs);

}  // namespace pchronicle::lance::proto
