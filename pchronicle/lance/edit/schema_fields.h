#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/data_type.h"
#include "pchronicle/lance/file/field_tree.h"
#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {

/// The fields of columns, flattened depth first with ids from `first_id` on (lance.md A3).
/// kInvalidArgument: a name that is empty, is there twice or holds a dot; kUnsupported: a type that
/// Lance does not have.
Result<std::vector<proto::Field>> AssignFields(std::span<const columnar::DataField> columns,
                                               int32_t first_id);
/// kInvalidArgument: empty, or with a dot, which stands between the parts of a path.
Status CheckColumnName(std::string_view name);
/// The first id that no field of the table has had: neither the schema nor a data file knows it.
int32_t NextFieldId(const proto::Manifest& manifest);

/// The top-level field of this name with all that is below it; empty when there is none.
std::vector<proto::Field> FieldAndChildren(std::span<const proto::Field> fields,
                                           std::string_view name);
/// DataFile.fields of a 2.1 or 2.2 file that holds these fields, in the order of its columns.
Result<std::vector<int32_t>> ColumnFieldIds(std::span<const proto::Field> fields);

}  // namespace pchronicle::lance
