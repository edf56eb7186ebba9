#pragma once

#include <cstdint>
#include <memory>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/encoding/decode_context.h"
#include "pchronicle/lance/encoding/value_builder.h"
#include "pchronicle/lance/file/range_reader.h"
#include "pchronicle/lance/proto/array_encoding.h"

namespace pchronicle::lance {

/// One page of a 2.0 column, opened (lance.md B10). Not thread-safe.
class ArrayDecoder {
 public:
  virtual ~ArrayDecoder() = default;
  /// Appends rows [from, to) of the page: values and whether they are valid.
  virtual Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                        ValidityBuilder* validity) = 0;
};

/// `encoding` and `source` outlive the decoder. `zero_based`: the column is of a `dict:` type,
/// whose indices count from 0. kUnsupported: encodings that no 2.0 writer emits; kCorruption:
/// widths that do not fit the shape.
Result<std::unique_ptr<ArrayDecoder>> MakeArrayDecoder(const proto::ArrayEncoding& encoding,
                                                       const ValueShape& shape, bool zero_based,
                                                       PageSource* source, DecodeContext* context);

/// Decodes unsigned numbers (offsets, indices) of an encoding and appends them to `out`.
Status ReadNumbers(ArrayDecoder* decoder, uint32_t width, uint64_t from, uint64_t to,
                   std::vector<uint64_t>* out);
/// Bytes of the numbers that an encoding of offsets or indices gives.
Result<uint32_t> NumberWidth(const proto::ArrayEncoding& encoding);

}  // namespace pchronicle::lance
