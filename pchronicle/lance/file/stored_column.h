#pragma once

#include <memory>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/file/blob_fetcher.h"
#include "pchronicle/lance/file/field_tree.h"

namespace pchronicle::lance {

/// How a column's values are stored before they become what FieldNode::type says: JSONB as binary,
/// blobs as descriptors.
ValueShape StoredShape(const FieldNode& field);

/// The type that a reader gives for a column: descriptors of blobs when payloads are not wanted.
columnar::DataTypePtr ReadType(const FieldNode& field, bool blob_payloads);

/// Turns stored values into what the reader gives: one for each column. Not thread-safe.
class ColumnFinisher {
 public:
  ColumnFinisher(const FieldNode& field, std::shared_ptr<BlobOpener> opener, ReadState* state);
  /// Takes everything out of `values`.
  Result<columnar::ArrayPtr> Finish(ValueBuilder* values, columnar::BufferPtr validity,
                                    size_t nulls);

 private:
  Result<columnar::ArrayPtr> FinishJsonb(ValueBuilder* values, columnar::BufferPtr validity,
                                         size_t nulls);

  FieldNode::Kind kind_;
  bool jsonb_, empty_struct_, blob_payloads_;
  columnar::DataTypePtr type_, stored_type_;
  BlobFetcher blobs_;
  ValueBuilder text_{ValueShape::Variable(false)};
  std::string json_;
};

}  // namespace pchronicle::lance
