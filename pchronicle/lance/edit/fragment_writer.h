#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/edit/unpublished_files.h"
#include "pchronicle/lance/file/file_writer.h"
#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {

/// When a data file is full and the next one, of the next fragment, begins.
struct FileLimits {
  uint64_t rows = 1 << 20;
  uint64_t bytes = uint64_t{16} << 30;  // on disk; a file ends at the first batch behind
};

/// Writes rows to new data files, one for each new fragment, and larger payloads of blobs of
/// version 2 to sidecars beside them (lance.md E2): at most two files are open. Not thread-safe.
/// Memory: that of one FileWriter.
class FragmentWriter {
 public:
  /// `fields`: top-level fields with what is below them, ids as in the schema of the table. `root`:
  /// of the table or branch in the store.
  FragmentWriter(std::vector<proto::Field> fields, std::string root, FileVersion version,
                 FileLimits limits, UnpublishedFiles* files);
  ~FragmentWriter();

  /// Columns in the order of the top-level fields. Large batches are cut at the row limit.
  Status Append(const columnar::RecordBatch& batch);
  /// Ends the file that is open, so that the next row begins a new fragment.
  Status EndFragment();
  /// Fragments without ids; none when there were no rows.
  Result<std::vector<proto::Fragment>> Finish();
  /// Rows appended so far.
  uint64_t rows() const { return rows_; }

 private:
  class Sidecars;
  struct OpenFile;
  Status Begin();

  const std::vector<proto::Field> fields_;
  const std::string root_;
  const FileVersion version_;
  const FileLimits limits_;
  UnpublishedFiles* const files_;
  std::unique_ptr<OpenFile> open_;
  std::vector<proto::Fragment> fragments_;
  uint64_t rows_ = 0;
};

/// Rows [begin, end) of a batch.
columnar::RecordBatch SliceRows(const columnar::RecordBatch& batch, int64_t begin, int64_t end);

/// The version in which files of a table are written. kUnsupported for tables of 2.0 and of
/// versions that are not known.
Result<FileVersion> VersionToWrite(const proto::Manifest& manifest);

}  // namespace pchronicle::lance
