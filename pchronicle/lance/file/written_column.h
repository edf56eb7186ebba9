#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/encoding/structure_builder.h"
#include "pchronicle/lance/file/field_tree.h"

namespace pchronicle::lance {

/// One column of a file that is being written: the way from a top-level field down to it.
struct WrittenColumn {
  size_t field = 0;                 // index of the top-level field
  std::vector<PathStep> path;       // structs, lists, the column itself
  std::vector<size_t> members;      // the child of each step that the next one is
  const FieldNode* node = nullptr;  // of the column
  columnar::DataTypePtr type;

  bool blob() const {
    return node->kind == FieldNode::Kind::kBlob1 || node->kind == FieldNode::Kind::kBlob2;
  }
  /// About how many bytes rows [from, to) of the top-level array are in this column.
  uint64_t Bytes(const columnar::Array& root, int64_t from, int64_t to) const;
};

/// The columns of a field, in the order of the file. kUnsupported, with the field's path: types
/// that cannot be written in a file of that minor version.
Result<std::vector<WrittenColumn>> ColumnsOf(const FieldNode& field, size_t index, uint32_t minor);

}  // namespace pchronicle::lance
