#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/file/field_tree.h"

namespace pchronicle::lance {

/// Ids of the columns below a field, those of 2.1+ files.
using ColumnIds = std::vector<int32_t>;
ColumnIds ColumnsOf(std::span<const FieldNode> fields);

/// The fields of `schema` that `paths` name, each pruned to what is named, in the order in which
/// the top-level fields are first named. A path is a column or a member, parts joined by dots (a
/// name that holds dots is found, too). Members of packed structs bring the whole struct.
/// kInvalidArgument names an unknown path and what there is.
Result<std::vector<FieldNode>> Project(std::span<const FieldNode> schema,
                                       std::span<const std::string> paths);
/// The field that a path names; null when there is none.
const FieldNode* FindField(std::span<const FieldNode> schema, std::string_view path);
/// The path of the field with this id, empty when there is none.
std::string PathOfField(std::span<const FieldNode> schema, int32_t id);
/// kUnsupported names the first column whose logical type is not known (lance.md C3).
Status CheckReadable(std::span<const FieldNode> fields);

/// `fields` without the columns that `taken` has.
std::vector<FieldNode> Without(std::span<const FieldNode> fields, const ColumnIds& taken);

columnar::DataField ToDataField(const FieldNode& field);
std::vector<columnar::DataField> ToDataFields(std::span<const FieldNode> fields);

/// What one data file gave of a field.
struct FieldPart {
  const FieldNode* field = nullptr;  // pruned to what the file has
  columnar::ArrayPtr array;
};
/// One array of `length` slots for `field` out of the parts that hold its columns. Columns that no
/// part has are null; a struct is null where no part has it (lance.md A3). kCorruption when parts
/// disagree about the items of a list.
Result<columnar::ArrayPtr> Assemble(const FieldNode& field, std::span<const FieldPart> parts,
                                    int64_t length);

/// The array of a path in a batch, nulls of parents included; for predicates.
Result<columnar::ArrayPtr> FindArray(const columnar::RecordBatch& batch, std::string_view path);

}  // namespace pchronicle::lance
