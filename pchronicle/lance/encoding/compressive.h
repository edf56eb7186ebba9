#pragma once

#include <cstdint>
#include <utility>

#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {

// The encodings that are written (lance.md B2), as messages.

inline proto::CompressiveEncoding FlatEncoding(uint64_t bits) {
  proto::CompressiveEncoding flat;
  flat.kind = proto::CompressiveEncoding::Kind::kFlat;
  flat.bits = bits;
  return flat;
}

inline proto::CompressiveEncoding InlineBitpacking(uint64_t bits) {
  proto::CompressiveEncoding encoding = FlatEncoding(bits);
  encoding.kind = proto::CompressiveEncoding::Kind::kInlineBitpacking;
  return encoding;
}

inline proto::CompressiveEncoding WrapEncoding(proto::CompressiveEncoding::Kind kind,
                                               proto::CompressiveEncoding child) {
  proto::CompressiveEncoding encoding;
  encoding.kind = kind;
  encoding.children.push_back(std::move(child));
  return encoding;
}

/// Texts with offsets or lengths of so many bits.
inline proto::CompressiveEncoding VariableEncoding(uint64_t bits) {
  return WrapEncoding(proto::CompressiveEncoding::Kind::kVariable, FlatEncoding(bits));
}

inline proto::CompressiveEncoding ZstdEncoding(proto::CompressiveEncoding values) {
  proto::CompressiveEncoding general =
      WrapEncoding(proto::CompressiveEncoding::Kind::kGeneral, std::move(values));
  general.scheme = static_cast<uint32_t>(proto::CompressionScheme::kZstd);
  return general;
}

}  // namespace pchronicle::lance
