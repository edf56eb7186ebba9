#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/edit/batch_source.h"
#include "pchronicle/lance/edit/edit_options.h"
#include "pchronicle/lance/edit/fragment_writer.h"

namespace pchronicle::lance {

/// Matches the columns of a source with those of a schema by name, and brings its batches into the
/// order of the schema. Columns that the source does not have are null and get no place in files.
/// Not thread-safe.
class RowInput {
 public:
  /// Looks at the first batch. kInvalidArgument: a column that the schema does not have, one twice,
  /// one of another type, or a missing one that may not be null. `schema`: of the manifest.
  static Result<std::unique_ptr<RowInput>> Open(const std::vector<proto::Field>& schema,
                                                BatchSource source);

  /// The fields that the source has, in the order of the schema; all of the schema when the source
  /// gives no batch at all.
  const std::vector<proto::Field>& fields() const { return fields_; }
  /// Columns as fields() says; false at the end.
  Result<bool> Next(columnar::RecordBatch* out);

 private:
  explicit RowInput(BatchSource source) : source_(std::move(source)) {}
  Status Match(const std::vector<proto::Field>& schema, const columnar::RecordBatch& batch);

  BatchSource source_;
  std::optional<columnar::RecordBatch> first_;
  std::vector<proto::Field> fields_;
  std::vector<std::string> names_;  // columns of the source
  std::vector<size_t> from_;        // column of the source for each top-level field
};

/// Writes all rows of `input` to new fragments.
Result<std::vector<proto::Fragment>> WriteRows(RowInput* input, const std::string& root,
                                               FileVersion version, FileLimits limits,
                                               const EditOptions& options, UnpublishedFiles* files);

}  // namespace pchronicle::lance
