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
  /// A column is written as a page when its values take about so many bytes.
  uint64_t page_bytes = 8 << 20;
  /// Key-value metadata of the FileDescriptor.
  columnar::Metadata metadata;
};

/// Writes a data file front to back (lance.md B1, C1): flat columns of fixed-width, boolean, text
/// and binary types. Not thread-safe.
class FileWriter {
 public:
  /// Takes bytes in the order of the file.
  using Sink = std::function<Status(std::string_view bytes)>;

  /// `fields`: top-level fields with their ids, one column each, in this order. kUnsupported:
  /// nested fields, and types that cannot be written yet.
  static Result<std::unique_ptr<FileWriter>> Create(std::vector<proto::Field> fields, Sink sink,
                                                    FileWriterOptions options = {});
  virtual ~FileWriter() = default;

  /// Columns in the order of the fields, of their types. kInvalidArgument: other columns, or nulls
  /// in a field that has none.
  virtual Status Append(const columnar::RecordBatch& batch) = 0;
  /// Writes what is left, metadata and footer; gives the size of the file. Nothing may follow.
  virtual Result<uint64_t> Finish() = 0;
  virtual uint64_t rows() const = 0;
};

}  // namespace pchronicle::lance
