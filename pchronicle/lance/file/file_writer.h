#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/file/file_reader.h"
#include "pchronicle/lance/proto/schema_messages.h"

namespace pchronicle::lance {

struct FileWriterOptions {
  /// 2.1, or 2.2 for files of tables that are.
  FileVersion version = {2, 1};
  /// A column is written as a page when its values take about so many bytes; only a single row may
  /// take more.
  uint64_t page_bytes = 8 << 20;
  /// Key-value metadata of the FileDescriptor.
  columnar::Metadata metadata;
  /// Appends bytes to a sidecar of blob columns, `SidecarName(blob_id)` beside the file; ids start
  /// at 1. `last`: nothing follows for this id; others end when one with a higher id comes that is
  /// not the last of its own, or with the file. None: all payloads stand in the file. Called on the
  /// thread that calls Append or Finish.
  std::function<Status(uint32_t blob_id, std::string_view bytes, bool last)> sidecar;
  /// Threads that encode, the caller's included; 0: as many as the machine has, at most 4. The
  /// bytes of the file do not depend on it.
  size_t threads = 0;
};

/// Writes a data file front to back (lance.md B1, C1): columns of all types that FileReader gives,
/// nested in structs, lists and maps, but no packed structs, dictionaries and JSONB. A blob field
/// takes payloads (kLargeBinary), version 2 of them only in 2.2 files and with the members that
/// tables give it. Used by one thread at a time.
class FileWriter {
 public:
  /// Takes bytes in the order of the file, on the thread that calls Append or Finish.
  using Sink = std::function<Status(std::string_view bytes)>;

  /// `fields`: a schema with its field ids, flattened depth first; leaves become columns in this
  /// order. kUnsupported: types that cannot be written, with the path of the field.
  static Result<std::unique_ptr<FileWriter>> Create(std::vector<proto::Field> fields, Sink sink,
                                                    FileWriterOptions options = {});
  virtual ~FileWriter() = default;

  /// One column for each top-level field, of their types. The arrays are held until their pages are
  /// written and must not change. kInvalidArgument, with the path of the field: other columns,
  /// arrays that contradict themselves, or nulls in a field that has none; nothing of the batch was
  /// taken.
  virtual Status Append(const columnar::RecordBatch& batch) = 0;
  /// The next row begins a new page of every column, however small the last ones are.
  virtual Status EndPages() = 0;
  /// Writes what is left, metadata and footer; gives the size of the file. Nothing may follow.
  virtual Result<uint64_t> Finish() = 0;
  virtual uint64_t rows() const = 0;
};

}  // namespace pchronicle::lance
