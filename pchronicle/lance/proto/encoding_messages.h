#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/lance/proto/wire.h"

namespace pchronicle::lance::proto {

// Messages that describe how pages of 2.1 and 2.2 files are encoded (lance.md B2). Views point into
// the bytes parsed. A member that is not known keeps its field number, to be named when it is
// needed.

enum class CompressionScheme : uint8_t { kNone = 0, kLz4 = 1, kZstd = 2 };

struct CompressiveEncoding {
  enum class Kind : uint8_t {
    kUnknown = 0,
    kFlat = 1,
    kVariable = 2,
    kConstant = 3,
    kOutOfLineBitpacking = 4,
    kInlineBitpacking = 5,
    kFsst = 6,
    kDictionary = 7,
    kRle = 8,
    kByteStreamSplit = 9,
    kGeneral = 10,
    kFixedSizeList = 11,
    kPackedStruct = 12,
    kVariablePackedStruct = 13,
  };
  Kind kind = Kind::kUnknown;
  uint32_t member = 0;  // field number of the member; 0: the message is empty
  uint64_t bits = 0;    // kFlat, kOutOfLineBitpacking, kInlineBitpacking: of an unpacked value
  bool buffer_compressed = false;         // the BufferCompression of flat, variable, inline is set
  std::optional<std::string_view> value;  // kConstant
  std::string_view symbol_table;          // kFsst
  uint32_t scheme = 0, level = 0;         // kGeneral
  uint64_t items = 0;                     // kFixedSizeList: items of a value
  bool has_validity = false;              // kFixedSizeList
  std::vector<uint64_t> field_bits;       // kPackedStruct
  /// kVariable: offsets. kFsst, kGeneral, kFixedSizeList, kByteStreamSplit, kPackedStruct,
  /// kOutOfLineBitpacking: values. kRle: values, run lengths. kVariablePackedStruct: one for each
  /// field, beside `fields`.
  std::vector<CompressiveEncoding> children;
  struct PackedField {
    uint64_t bits_per_value = 0;   // fixed
    uint64_t bits_per_length = 0;  // variable; 0: fixed
  };
  std::vector<PackedField> fields;

  /// `general(zstd, variable)`: for messages and `pages` listings.
  std::string ToString() const;
};
Status Parse(WireReader in, CompressiveEncoding* out);
WireWriter Write(const CompressiveEncoding& encoding);

enum class RepDefLayer : uint8_t {
  kAllValidItem = 1,
  kAllValidList = 2,
  kNullableItem = 3,
  kNullableList = 4,
  kEmptyableList = 5,
  kNullAndEmptyList = 6,
};

struct PageLayout {
  enum class Kind : uint8_t {
    kUnknown = 0,
    kMiniBlock = 1,
    kConstant = 2,
    kFullZip = 3,
    kBlob = 4
  };
  Kind kind = Kind::kUnknown;
  uint32_t member = 0;
  std::vector<uint32_t> layers;  // RepDefLayer, inner to outer
  std::optional<CompressiveEncoding> rep, def, values, dictionary;
  uint64_t dictionary_items = 0;
  uint64_t buffers = 0;           // kMiniBlock: value buffers of a chunk
  uint32_t repetition_depth = 0;  // kMiniBlock
  uint64_t items = 0;             // kMiniBlock: value slots; kFullZip: control words
  bool large_chunks = false;      // kMiniBlock
  uint32_t bits_rep = 0, bits_def = 0;
  std::optional<uint32_t> bits_per_value, bits_per_offset;  // kFullZip
  std::optional<std::string_view> inline_value;             // kConstant
  uint64_t rep_values = 0, def_values = 0;                  // kConstant
  std::vector<PageLayout> inner;                            // kBlob: one

  std::string ToString() const;
};
Status Parse(WireReader in, PageLayout* out);

}  // namespace pchronicle::lance::proto
