#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/lance/proto/schema_messages.h"

namespace pchronicle::lance::proto {

// Messages of the file skeleton (lance.md B1). Views point into the bytes parsed.

struct FileDescriptor {
  std::vector<Field> fields;
  Metadata metadata;
  uint64_t rows = 0;
};
Status Parse(WireReader in, FileDescriptor* out);
WireWriter Write(const FileDescriptor& descriptor);

/// Where a description of an encoding stands: in place, or (in no file seen) elsewhere.
struct Encoding {
  enum class Place : uint8_t { kMissing, kIndirect, kDirect, kNone };
  Place place = Place::kMissing;
  Any direct;
};

struct Page {
  std::vector<uint64_t> buffer_offsets, buffer_sizes;
  uint64_t rows = 0;
  uint64_t priority = 0;  // number of its first row
  Encoding encoding;
};

struct ColumnMetadata {
  Encoding encoding;
  std::vector<Page> pages;
  std::vector<uint64_t> buffer_offsets, buffer_sizes;
};
Status Parse(WireReader in, ColumnMetadata* out);
/// Writes a column of plain values.
WireWriter Write(const ColumnMetadata& column);

inline constexpr std::string_view kColumnEncodingUrl = "/lance.encodings.ColumnEncoding";
inline constexpr std::string_view kArrayEncodingUrl = "/lance.encodings.ArrayEncoding";
inline constexpr std::string_view kPageLayoutUrl = "/lance.encodings21.PageLayout";

}  // namespace pchronicle::lance::proto
