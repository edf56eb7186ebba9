#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/lance/proto/wire.h"

namespace pchronicle::lance::proto {

/// How a page of a 2.0 file is encoded (lance.md B10): a tree whose leaves name buffers of the
/// page. Views point into the bytes parsed.
struct ArrayEncoding {
  enum class Kind : uint8_t {
    kUnknown = 0,
    kFlat = 1,
    kNullable = 2,
    kFixedSizeList = 3,
    kList = 4,
    kStruct = 5,
    kBinary = 6,
    kDictionary = 7,
    kFsst = 8,
    kPackedStruct = 9,
    kBitpacked = 10,
    kFixedSizeBinary = 11,
    kBitpackedForNonNeg = 12,
    kConstant = 13,
  };
  enum class Nulls : uint8_t { kUnknown = 0, kNone = 1, kSome = 2, kAll = 3 };

  Kind kind = Kind::kUnknown;
  uint32_t member = 0;
  Nulls nulls = Nulls::kUnknown;  // kNullable
  uint64_t bits = 0;              // kFlat; kBitpacked*: of an unpacked value
  uint64_t packed_bits = 0;       // kBitpacked*
  bool is_signed = false;         // kBitpacked
  uint32_t buffer = 0, buffer_type = 0;
  std::string compression;        // kFlat: scheme, may be empty or `none`
  uint64_t width = 0;             // kFixedSizeList: dimension; kFixedSizeBinary: bytes
  uint64_t null_adjustment = 0;   // kList, kBinary
  uint64_t items = 0;             // kList, kDictionary
  bool has_validity = false;      // kFixedSizeList
  std::string_view symbol_table;  // kFsst
  std::string_view value;         // kConstant
  /// kNullable: values or validity, values. kFixedSizeList, kFsst, kFixedSizeBinary: one. kList:
  /// offsets. kBinary: indices, bytes. kDictionary: indices, items. kPackedStruct: members.
  std::vector<ArrayEncoding> children;

  std::string ToString() const;
};
Status Parse(WireReader in, ArrayEncoding* out);

}  // namespace pchronicle::lance::proto
