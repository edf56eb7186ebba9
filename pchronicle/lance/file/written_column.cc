#include "pchronicle/lance/file/written_column.h"

#include <utility>

namespace pchronicle::lance {
namespace {

using columnar::Array;
using columnar::TypeId;
using Kind = FieldNode::Kind;

/// Bytes of one value of a fixed width, booleans as one byte; 0: none.
uint64_t FixedBytes(const columnar::DataType& type) {
  if (type.id == TypeId::kFixedSizeList) {
    return type.width * FixedBytes(*type.children[0].type);
  }
  return type.id == TypeId::kBool ? 1 : columnar::ByteWidth(type);
}

class ColumnWalk {
 public:
  ColumnWalk(size_t index, uint32_t minor) : index_(index), minor_(minor) {}

  Status Visit(const FieldNode& node, const std::string& label, const WrittenColumn& above) {
    WrittenColumn column = above;
    column.field = index_;
    const bool list = node.kind == Kind::kList;
    column.path.push_back({list, list && node.logical_type.starts_with("large")});
    if (node.type == nullptr || node.kind == Kind::kPacked || node.logical_type == "json" ||
        node.logical_type.starts_with("dict:") || (node.is_column() && !CanWrite(node))) {
      return Status::Unsupported("writing field '{}' of type '{}'", label, node.logical_type);
    }
    if (minor_ < 2 && (node.kind == Kind::kBlob2 || node.logical_type == "map")) {
      return Status::Unsupported("writing field '{}' of type '{}' in a file before version 2.2",
                                 label, node.logical_type);
    }
    if (node.is_column()) {
      column.node = &node;
      column.type = node.type;
      if (column.blob() && column.path.size() != 1) {
        return Status::Unsupported("writing blobs within field '{}'", label);
      }
      found.push_back(std::move(column));
      return Status::Ok();
    }
    column.members.push_back(0);
    for (size_t i = 0; i < node.children.size(); ++i) {
      column.members.back() = i;
      PCHRONICLE_RETURN_IF_ERROR(
          Visit(node.children[i], label + "." + node.children[i].name, column));
    }
    return Status::Ok();
  }

  std::vector<WrittenColumn> found;

 private:
  static bool CanWrite(const FieldNode& node) {
    return columnar::IsVariable(node.type->id) || node.type->id == TypeId::kNull ||
           FixedBytes(*node.type) != 0;
  }

  size_t index_;
  uint32_t minor_;
};

}  // namespace

Result<std::vector<WrittenColumn>> ColumnsOf(const FieldNode& field, size_t index, uint32_t minor) {
  ColumnWalk walk(index, minor);
  WrittenColumn top;
  top.field = index;
  PCHRONICLE_RETURN_IF_ERROR(walk.Visit(field, field.name, top));
  return std::move(walk.found);
}

uint64_t WrittenColumn::Bytes(const Array& root, int64_t from, int64_t to) const {
  // Every entry takes a level, and nulls alone must not make endless pages.
  uint64_t bytes = static_cast<uint64_t>(to - from);
  const Array* array = &root;
  for (size_t step = 0; step < path.size(); ++step) {
    if (path[step].list && from != to) {
      from = array->Offset(from);
      to = array->Offset(to);
      bytes += static_cast<uint64_t>(to - from);
    }
    if (step + 1 < path.size()) {
      array = array->children[members[step]].get();
    }
  }
  if (from == to) {
    return bytes;
  }
  return bytes + (columnar::IsVariable(type->id)
                      ? static_cast<uint64_t>(array->Offset(to) - array->Offset(from))
                      : static_cast<uint64_t>(to - from) * FixedBytes(*type));
}

}  // namespace pchronicle::lance
