#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/io/store.h"
#include "pchronicle/lance/file/file_reader.h"
#include "pchronicle/lance/table/manifest_file.h"
#include "pchronicle/lance/table/references.h"
#include "pchronicle/lance/table/roaring_bitmap.h"
#include "pchronicle/lance/table/row_ids.h"
#include "pchronicle/lance/table/table_paths.h"

namespace pchronicle::lance {

class IndexSegment;

/// Which version of which branch to open. At most one of version, timestamp and tag.
struct OpenOptions {
  std::optional<uint64_t> version;
  std::optional<int64_t> timestamp_ns;  // the newest version that is not younger
  std::string tag;                      // may name a version of a branch
  std::string branch;                   // empty: main
  BaseOpener open_base = OpenLocalBase;
};

/// One version of a Lance table, open for reading (lance.md Part A). Immutable but for caches of
/// open files, which are bounded; thread-safe. Errors name the table or the file in it.
class Table : public std::enable_shared_from_this<Table> {
 public:
  /// Looks at `_versions` and one manifest, nothing else. kNotFound: no table, version, tag or
  /// branch (says which there are). kUnsupported: feature flags (A4), another file format (C3).
  /// kCorruption: C3.
  static Result<std::shared_ptr<const Table>> Open(std::shared_ptr<const io::Store> store,
                                                   OpenOptions options = {});

  const std::string& uri() const { return paths_.store().uri(); }
  const proto::Manifest& manifest() const { return file_.manifest; }
  const ManifestFile& manifest_file() const { return file_; }
  uint64_t version() const { return file_.manifest.version; }
  const std::string& branch() const { return branch_; }
  int64_t timestamp_ns() const;
  /// `steps.lance version 3`, for messages.
  std::string Describe() const;

  const std::vector<FieldNode>& schema() const { return schema_; }
  /// Sorted by id.
  const std::vector<proto::Fragment>& fragments() const { return file_.manifest.fragments; }
  /// Position in fragments().
  std::optional<size_t> FindFragment(uint64_t id) const;
  const std::vector<proto::Index>& indices() const { return file_.indices; }
  bool stable_row_ids() const { return (file_.manifest.reader_flags & 2) != 0; }
  /// Rows without the deleted ones, by the manifest.
  uint64_t CountRows() const;

  /// Names of all versions, oldest first.
  Result<std::vector<VersionEntry>> Versions() const;
  /// The manifest file of any version of this branch.
  Result<ManifestFile> ReadVersion(const VersionEntry& entry) const;
  /// What that version did; nothing when it carries no transaction.
  Result<std::optional<proto::Transaction>> TransactionOf(const ManifestFile& file) const;
  Result<std::vector<Tag>> Tags() const { return ListTags(paths_.store()); }
  Result<std::vector<Branch>> Branches() const { return ListBranches(paths_.store()); }

  /// An open data file of a fragment, both by position; checked against the manifest (version,
  /// rows, size). Kept open for a while.
  Result<std::shared_ptr<const FileReader>> OpenDataFile(size_t fragment, size_t file) const;
  /// A file of an index; not kept.
  Result<std::shared_ptr<const FileReader>> OpenIndexFile(const proto::Index& index,
                                                          std::string_view name) const;
  /// The deleted offsets of a fragment, checked against the manifest; null when none are.
  Result<std::shared_ptr<const RoaringBitmap>> Deletions(size_t fragment) const;
  Result<std::shared_ptr<const RowIdSequence>> RowIds(size_t fragment) const;

  /// Segments of scalar indices that were opened before, by UUID; null entries are segments that
  /// cannot be used. Kept by lance/index.
  std::optional<std::shared_ptr<const IndexSegment>> OpenSegment(const std::string& uuid) const;
  void KeepSegment(const std::string& uuid, std::shared_ptr<const IndexSegment> segment) const;

  const TablePaths& paths() const { return paths_; }
  void AddOpenCounters(const ReadCounters& more) const;
  /// Reads made to open files and to load deletions, beside those of readers.
  ReadCounters open_counters() const;

 private:
  Table(TablePaths paths, ManifestFile file, std::string branch)
      : paths_(std::move(paths)), file_(std::move(file)), branch_(std::move(branch)) {}
  Status Check();
  Result<std::shared_ptr<const FileReader>> OpenFile(const FilePlace& place, FileOptions options,
                                                     uint64_t expected_size) const;

  TablePaths paths_;
  ManifestFile file_;
  std::string branch_;
  std::vector<FieldNode> schema_;

  mutable std::mutex mutex_;  // guards what follows
  mutable std::map<std::pair<size_t, size_t>, std::shared_ptr<const FileReader>> data_files_;
  mutable std::map<size_t, std::shared_ptr<const RoaringBitmap>> deletions_;
  mutable std::map<size_t, std::shared_ptr<const RowIdSequence>> row_ids_;
  mutable std::map<std::string, std::shared_ptr<const IndexSegment>> segments_;
  mutable ReadCounters open_counters_;
};

}  // namespace pchronicle::lance
