#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/data_type.h"
#include "pchronicle/lance/file/field_tree.h"
#include "pchronicle/lance/proto/schema_messages.h"

namespace pchronicle::lance {

/// The fields of columns, flattened depth first with ids from `first_id` on (lance.md A3).
/// kInvalidArgument: a name that is empty, is there twice or holds a dot; kUnsupported: a type that
/// Lance does not have.
Result<std::vector<proto::Field>> AssignFields(std::span<const columnar::DataField> columns,
                                               int32_t first_id);
/// The first id that no field has and no data file refers to.
int32_t NextFieldId(std::span<const proto::Field> fields);

/// The top-level field of this name with all that is below it; empty when there is none.
std::vector<proto::Field> FieldAndChildren(std::span<const proto::Field> fields,
                                           std::string_view name);
/// DataFile.fields of a 2.1 or 2.2 file that holds these fields, in the order of its columns.
Result<std::vector<int32_t>> ColumnFieldIds(std::span<const proto::Field> fields);

}  // namespace pchronicle::lance
