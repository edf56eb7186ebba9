#pragma once

#include <memory>
#include <string>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/encoding/value_builder.h"
#include "pchronicle/lance/file/column_reader.h"
#include "pchronicle/lance/file/file_reader.h"

namespace pchronicle::lance {

/// Types and shapes of what blob columns store beside their payloads (lance.md E1, E2).
columnar::DataTypePtr BlobDescriptorType(FieldNode::Kind kind);

/// Replaces blob descriptors by payloads. Not thread-safe.
class BlobFetcher {
 public:
  BlobFetcher(std::shared_ptr<BlobOpener> opener, ReadState* state)
      : opener_(std::move(opener)), state_(state) {}

  /// `descriptors`: a struct array of BlobDescriptorType(kind). Gives kLargeBinary of equal length,
  /// null where the descriptor, or its kind, is.
  Result<columnar::ArrayPtr> Fetch(const columnar::Array& descriptors, FieldNode::Kind kind,
                                   const columnar::DataTypePtr& type);

 private:
  struct Place {
    uint64_t kind = 0, position = 0, size = 0;
    uint32_t blob_id = 0;
    std::string uri;
  };
  Result<Place> PlaceOf(const columnar::Array& descriptors, FieldNode::Kind kind,
                        int64_t row) const;
  /// Payloads of this file from row `row` on that lie close together, by one read. Gives the number
  /// of rows taken.
  Result<int64_t> FetchInline(const columnar::Array& descriptors, FieldNode::Kind kind,
                              int64_t row);
  Status FetchElsewhere(const Place& place);
  Status CheckSize(uint64_t more) const;

  std::shared_ptr<BlobOpener> opener_;
  ReadState* state_;
  ValueBuilder out_{ValueShape::Variable(true)};
  columnar::Buffer scratch_;
  uint64_t bytes_ = 0;
  uint32_t open_id_ = 0;
  std::shared_ptr<const io::RandomReader> sidecar_;  // of open_id_
};

}  // namespace pchronicle::lance
