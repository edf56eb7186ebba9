#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/io/store.h"
#include "pchronicle/lance/file/field_tree.h"

namespace pchronicle::lance {

/// Version of a data file. 2.0 files carry 0.3 or 2.0 in their footer; both are 2.0 here.
struct FileVersion {
  uint32_t major = 2, minor = 1;
  bool operator==(const FileVersion&) const = default;
  std::string ToString() const;
};
/// kUnsupported `file version 2.3` unless 0.3, 2.0, 2.1 or 2.2 (lance.md C3). Gives 2.0 for 0.3.
Result<FileVersion> CheckFileVersion(uint32_t major, uint32_t minor);

/// Work done by readers, for tests and `EXPLAIN`. Plain sums; add those of several readers.
struct ReadCounters {
  uint64_t read_calls = 0;  // ranges asked of the store
  uint64_t bytes_read = 0;
  uint64_t pages_opened = 0;    // page headers, chunk tables and dictionaries loaded
  uint64_t chunks_decoded = 0;  // mini-block chunks, other pages count one for each slice
  uint64_t rows = 0;
  ReadCounters& operator+=(const ReadCounters& other);
  /// What was added since `earlier`.
  ReadCounters Since(const ReadCounters& earlier) const;
};

/// Opens what blob columns point to (lance.md E2). Thread-safe. The default refuses.
class BlobOpener {
 public:
  virtual ~BlobOpener() = default;
  /// Sidecar `<32 binary digits>.blob` beside the data file: kinds 1 and 2.
  virtual Result<std::shared_ptr<const io::RandomReader>> OpenSidecar(uint32_t blob_id);
  /// Kind 3: `base_id` 0 is an absolute URI, else `uri` is relative to that base path.
  virtual Result<std::shared_ptr<const io::RandomReader>> OpenExternal(uint32_t base_id,
                                                                       const std::string& uri);
};
/// `1000...0.blob` for blob id 1: the bits of the id, least significant first.
std::string SidecarName(uint32_t blob_id);

struct FileOptions {
  /// For messages: the path of the file.
  std::string name = "lance file";
  /// The version that the manifest says, to be compared with the footer (kCorruption).
  const FileVersion* expected_version = nullptr;
  /// Sidecars of blob columns; may be null.
  std::shared_ptr<BlobOpener> blobs;
};

struct ReaderOptions {
  /// Bytes of a page read at once when rows are read one after the other.
  uint64_t window_bytes = 256 << 10;
  /// Reads that lie closer than this are made one.
  uint64_t gap_bytes = 4 << 10;
  /// Blob columns give their payloads; otherwise descriptors, as structs: `position, size` of v1,
  /// `kind, position, size, blob_id, blob_uri` of v2.
  bool blob_payloads = true;
  /// One batch may not take more memory than this (kResourceExhausted: read fewer rows).
  uint64_t max_batch_bytes = uint64_t{2} << 30;
};

/// Field id -> column of the file: DataFile.fields and column_indices without the entries below 0.
/// 2.0 files list structs and lists too.
using ColumnMap = std::unordered_map<int32_t, uint32_t>;

/// What is known of a column without decoding it.
struct PageInfo {
  uint64_t rows = 0, first_row = 0, bytes = 0;
  std::string encoding;  // `mini_block fsst(variable)`
};
struct ColumnInfo {
  uint64_t rows = 0;  // 2.0 item columns: items
  uint64_t bytes = 0;
  std::vector<PageInfo> pages;
};

class RowReader;

/// An open data file of version 2.0, 2.1 or 2.2 (lance.md Part B). Immutable and thread-safe; open
/// column metadata is kept. Opening is one read for most files.
class FileReader : public std::enable_shared_from_this<FileReader> {
 public:
  /// kUnsupported: file version. kCorruption: no footer, offsets outside the file, version other
  /// than expected.
  static Result<std::shared_ptr<const FileReader>> Open(
      std::shared_ptr<const io::RandomReader> file, FileOptions options = {});
  virtual ~FileReader() = default;

  virtual FileVersion version() const = 0;
  /// Rows as the FileDescriptor says.
  virtual uint64_t rows() const = 0;
  virtual uint32_t columns() const = 0;
  virtual uint64_t file_size() const = 0;
  virtual const std::string& name() const = 0;
  /// Schema of the FileDescriptor: what index files are bound by, and its key-value metadata.
  virtual const std::vector<FieldNode>& schema() const = 0;
  virtual const columnar::Metadata& metadata() const = 0;
  /// The columns in the order of the schema: for files without a manifest, such as index files.
  virtual ColumnMap SequentialColumns() const = 0;

  virtual Result<ColumnInfo> DescribeColumn(uint32_t column) const = 0;
  virtual Result<std::string> ReadGlobalBuffer(uint32_t index) const = 0;
  virtual ReadCounters open_counters() const = 0;

  /// A reader of `fields` (top-level fields, pruned with PruneField to what is wanted). Columns of
  /// a field that are not in `columns` are left out, as are fields without any: a later or earlier
  /// file of the fragment has them. Checks that each column's pages add up to rows(). Errors name
  /// file, column and page: kUnsupported (C3), kCorruption.
  virtual Result<std::unique_ptr<RowReader>> Read(std::span<const FieldNode> fields,
                                                  const ColumnMap& columns,
                                                  const ReaderOptions& options = {}) const = 0;
};

/// Decodes rows of one file. One thread at a time; several readers of one file may run in parallel,
/// each on its own row range. Batches share buffers with a pool of the reader: they stay valid as
/// long as they are held, and their memory is used again once they are let go.
class RowReader {
 public:
  virtual ~RowReader() = default;

  /// The fields that come back, in the order asked; pruned to what this file has.
  virtual const std::vector<FieldNode>& fields() const = 0;
  /// Name, type and metadata of each.
  virtual const std::vector<columnar::DataField>& schema() const = 0;
  /// A number of rows whose decoded size is about `bytes`, at least 1, at most 64 Ki.
  virtual uint64_t SuggestRows(uint64_t bytes = 2 << 20) const = 0;
  /// Row numbers where work may be cut without decoding anything twice: starts of pages and chunks
  /// of the widest column, about `parts` of them, ascending, first 0, last rows().
  virtual Result<std::vector<uint64_t>> SplitPoints(size_t parts) = 0;

  /// Tells that ReadRows will be asked for rows in order, up to row `end`: larger ranges are read
  /// ahead, and nothing behind it. Without, going forward reads ahead as far as the file goes.
  virtual void Expect(uint64_t end) { static_cast<void>(end); }
  /// Rows [begin, end), begin <= end <= rows(). Going forward is cheap: what lies between two calls
  /// is kept.
  virtual Status ReadRows(uint64_t begin, uint64_t end, columnar::RecordBatch* out) = 0;
  /// Ascending row numbers, each below rows(); repeats are refused. Only the ranges of the store
  /// that hold them are read.
  virtual Status Take(std::span<const uint64_t> rows, columnar::RecordBatch* out) = 0;

  virtual const ReadCounters& counters() const = 0;
};

}  // namespace pchronicle::lance
