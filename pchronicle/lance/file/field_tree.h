#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/data_type.h"
#include "pchronicle/lance/proto/schema_messages.h"

namespace pchronicle::lance {

/// Schemas may nest this deep.
inline constexpr int kMaxFieldDepth = 32;

/// A field of a schema with its children (lance.md A3).
struct FieldNode {
  enum class Kind : uint8_t {
    kLeaf,    // one column; fixed size lists of primitives are leaves, too
    kStruct,  // members are the children
    kList,    // list, large_list and map: one child
    kPacked,  // a struct that is one column (metadata `lance-encoding:packed`)
    kBlob1,   // large_binary with metadata `lance-encoding:blob`: one column
    kBlob2,   // extension lance.blob.v2: one column
  };
  int32_t id = 0;
  Kind kind = Kind::kLeaf;
  std::string name, logical_type;
  bool nullable = true;
  columnar::Metadata metadata;
  std::vector<FieldNode> children;
  /// What reading gives. Dictionaries read as their values, `json` (JSONB) as kUtf8 text, blobs as
  /// kLargeBinary payloads. None when the logical type is not known: then reading it is refused
  /// with a message that names the type, and so is reading a parent.
  columnar::DataTypePtr type;

  /// One column of a 2.1 or 2.2 file holds this field.
  bool is_column() const {
    return kind != Kind::kList && (kind != Kind::kStruct || children.empty());
  }
};

/// Links the flattened fields of a manifest or a FileDescriptor. kCorruption: an id twice, a parent
/// that is missing, stands behind its child or nests deeper than kMaxFieldDepth, a list without
/// exactly one child.
Result<std::vector<FieldNode>> BuildFieldTree(std::span<const proto::Field> fields);

/// The type of a leaf's logical type string, none when it is not known.
columnar::DataTypePtr ParseLogicalType(std::string_view logical_type);
/// The logical type string of a leaf, list or struct type; kUnsupported when Lance has none.
Result<std::string> LogicalType(const columnar::DataType& type);

/// The field without the columns that `keep` declines, and without the structs and lists that thus
/// become empty; nothing when nothing is left. Types are those of what is left.
std::optional<FieldNode> PruneField(const FieldNode& field,
                                    const std::function<bool(const FieldNode&)>& keep);

/// Calls `visit` for each field that is one column in 2.1+ files (FieldNode::is_column), depth
/// first.
void ForEachColumn(const FieldNode& field, const std::function<void(const FieldNode&)>& visit);

}  // namespace pchronicle::lance
