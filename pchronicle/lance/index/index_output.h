#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/file/file_writer.h"
#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {

/// Takes the files of one index, one after the other. Not thread-safe.
class IndexOutput {
 public:
  virtual ~IndexOutput() = default;
  /// Starts a file of the index's directory.
  virtual Status Begin(std::string_view name) = 0;
  virtual Status Append(std::string_view bytes) = 0;
  /// The file that was begun is complete.
  virtual Status End() = 0;
};

/// One stand-alone file of an index, whose columns are bound by their order (lance.md D1): every
/// batch becomes one page of each column. Not thread-safe.
class IndexFileWriter {
 public:
  /// `output` outlives the writer.
  static Result<std::unique_ptr<IndexFileWriter>> Create(
      IndexOutput* output, std::string name, const std::vector<columnar::DataField>& columns,
      FileVersion version, columnar::Metadata metadata);

  Status Append(std::vector<columnar::ArrayPtr> columns);
  /// What the index metadata lists.
  Result<proto::Index::File> Finish();

 private:
  IndexFileWriter(IndexOutput* output, std::string name)
      : output_(output), name_(std::move(name)) {}

  IndexOutput* output_;
  std::string name_;
  std::unique_ptr<FileWriter> writer_;
};

/// An array of numbers without nulls.
columnar::ArrayPtr MakeNumbers(const std::vector<uint64_t>& values);
columnar::ArrayPtr MakeNumbers(const std::vector<uint32_t>& values);

}  // namespace pchronicle::lance
