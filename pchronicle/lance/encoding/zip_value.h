#pragma once

#include <memory>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/encoding/decode_context.h"
#include "pchronicle/lance/encoding/value_builder.h"
#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {

/// Decodes the values of full-zip pages (lance.md B5), each on its own. Not thread-safe.
class ZipValueDecoder {
 public:
  virtual ~ZipValueDecoder() = default;
  virtual Status Append(Bytes value, ValueBuilder* out) = 0;
  /// Values are the plain bytes: many that lie one behind the other may be copied at once.
  virtual bool plain() const { return false; }
};

/// `bytes`: size of every value of a fixed-width page, 0 when sizes differ. Errors as
/// MakeValueDecoder.
Result<std::unique_ptr<ZipValueDecoder>> MakeZipValueDecoder(
    const proto::CompressiveEncoding& encoding, const ValueShape& shape, uint64_t bytes,
    DecodeContext* context);

}  // namespace pchronicle::lance
