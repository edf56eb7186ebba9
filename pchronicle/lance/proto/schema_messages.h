#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/lance/proto/wire.h"

namespace pchronicle::lance::proto {

using Metadata = std::map<std::string, std::string, std::less<>>;

/// `lance.file.Field` (lance.md A3): one field of a schema, flattened depth first. Used by
/// manifests and by the FileDescriptor of data files.
struct Field {
  uint32_t type = 0;  // 0 parent, 1 repeated, 2 leaf: informational
  std::string name;
  int32_t id = 0;
  int32_t parent_id = 0;  // -1: top level; absent on the wire means child of field 0
  std::string logical_type;
  bool nullable = false;
  Metadata metadata;
  bool primary_key = false, clustering_key = false;  // unenforced
  uint32_t primary_key_position = 0, clustering_key_position = 0;
  std::string unknown;  // members that are not named here, as they came; written back
  bool operator==(const Field&) const = default;
};

Status Parse(WireReader in, Field* out);
WireWriter Write(const Field& field);

/// Reads one entry of map<string, string or bytes> into `out`.
Status ParseMapEntry(WireReader in, Metadata* out);

/// `google.protobuf.Any`.
struct Any {
  std::string_view type_url, value;
};
Status Parse(WireReader in, Any* out);

}  // namespace pchronicle::lance::proto
