#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/encoding/decode_context.h"
#include "pchronicle/lance/encoding/value_builder.h"
#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {

struct ItemTable;

/// Decodes the value buffers of mini-block chunks (lance.md B4), one chunk after the other. What is
/// loaded can be decoded in slices, so a batch may end within a chunk. Not thread-safe.
class ValueDecoder {
 public:
  virtual ~ValueDecoder() = default;
  /// Starts a chunk of `count` values: takes the buffers it needs off the front of `buffers`, which
  /// must outlive the chunk. kCorruption when they cannot hold the values.
  virtual Status Load(std::span<const Bytes>* buffers, size_t count) = 0;
  /// Appends values [from, from + count) of the chunk.
  virtual Status Append(size_t from, size_t count, ValueBuilder* out) = 0;
};

/// The decoder of an encoding for values of a shape. kUnsupported: an encoding that is not known,
/// or that nobody writes for this shape. kCorruption: widths that do not fit.
Result<std::unique_ptr<ValueDecoder>> MakeValueDecoder(const proto::CompressiveEncoding& encoding,
                                                       const ValueShape& shape,
                                                       DecodeContext* context);

/// Values that are numbers of entries in a table. `indices` describes how the numbers are encoded.
Result<std::unique_ptr<ValueDecoder>> MakeDictionaryDecoder(
    const proto::CompressiveEncoding& indices, std::shared_ptr<const ItemTable> items,
    DecodeContext* context);

}  // namespace pchronicle::lance
