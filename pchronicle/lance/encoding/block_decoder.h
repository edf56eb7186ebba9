#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/encoding/decode_context.h"
#include "pchronicle/lance/encoding/value_builder.h"
#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {

/// kCorruption unless `bytes` is a word of `width` bytes and a FastLanes block that fits, for at
/// most 1024 values.
Status CheckInlineBitpacking(Bytes bytes, size_t width, size_t count);

/// Decodes a whole-buffer encoding (lance.md B6) of `count` values of `width` bytes (1, 2, 4, 8 or,
/// when flat, any) and appends them to `out`.
Status DecodeBlock(const proto::CompressiveEncoding& encoding, Bytes bytes, uint64_t count,
                   size_t width, DecodeContext* context, columnar::Buffer* out);

/// The values of a dictionary. Immutable once made.
struct ItemTable {
  uint64_t count = 0;
  bool variable = false;
  uint32_t width = 0;            // of fixed values
  std::vector<uint64_t> starts;  // of texts, count + 1
  columnar::Buffer bytes;

  /// Appends the items that `count` numbers of type Index name; kCorruption when one is too large.
  template <typename Index>
  Status Gather(const uint8_t* indices, size_t n, ValueBuilder* out) const;
};

/// Decodes the dictionary buffer of a page.
Result<std::shared_ptr<const ItemTable>> DecodeItems(const proto::CompressiveEncoding& encoding,
                                                     Bytes bytes, uint64_t count,
                                                     const ValueShape& shape,
                                                     DecodeContext* context);

}  // namespace pchronicle::lance
