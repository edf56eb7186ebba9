#include "pchronicle/lance/edit/schema_fields.h"

#include <algorithm>
#include <set>
#include <utility>

namespace pchronicle::lance {

Status CheckColumnName(std::string_view name) {
  return name.empty() || name.find('.') != std::string_view::npos
             ? Status::InvalidArgument(
                   "'{}' is no name of a column: it must not be empty or hold a dot", name)
             : Status::Ok();
}

namespace {

Status CheckNames(std::span<const columnar::DataField> columns) {
  std::set<std::string_view> names;
  for (const columnar::DataField& column : columns) {
    PCHRONICLE_RETURN_IF_ERROR(CheckColumnName(column.name));
    if (!names.insert(column.name).second) {
      return Status::InvalidArgument("two columns have the name '{}'", column.name);
    }
  }
  return Status::Ok();
}

bool IsBlob2(const columnar::DataField& column) {
  const auto extension = column.metadata.find("ARROW:extension:name");
  return column.type->id == columnar::TypeId::kLargeBinary && extension != column.metadata.end() &&
         extension->second == "lance.blob.v2";
}

// A blob of version 2 is read as its payload, but declared as what a writer gives (lance.md E2).
void BecomeBlob2(int32_t* next, std::vector<proto::Field>* out) {
  const int32_t id = out->back().id;
  out->back().logical_type = "struct";
  constexpr std::pair<const char*, const char*> kMembers[] = {
      {"data", "large_binary"}, {"uri", "string"}, {"position", "uint64"}, {"size", "uint64"}};
  for (const auto& [name, type] : kMembers) {
    proto::Field member;
    member.type = 2;
    member.name = name;
    member.id = (*next)++;
    member.parent_id = id;
    member.logical_type = type;
    member.nullable = true;
    out->push_back(std::move(member));
  }
}

Status Flatten(const columnar::DataField& column, int32_t parent, int depth, int32_t* next,
               std::vector<proto::Field>* out) {
  if (depth > kMaxFieldDepth) {
    return Status::InvalidArgument("column '{}' nests deeper than {} levels", column.name,
                                   kMaxFieldDepth);
  }
  const Result<std::string> logical = LogicalType(*column.type);
  if (!logical.ok()) {
    return logical.status().WithContext("column '" + column.name + "'");
  }
  proto::Field field;
  field.name = column.name;
  field.id = (*next)++;
  field.parent_id = parent;
  field.logical_type = *logical;
  field.nullable = column.nullable;
  for (const auto& [key, value] : column.metadata) {
    field.metadata.insert_or_assign(key, value);
  }
  const int32_t id = field.id;
  out->push_back(std::move(field));
  if (IsBlob2(column)) {
    BecomeBlob2(next, out);
    return Status::Ok();
  }
  // Items of fixed-size lists are part of the logical type.
  if (column.type->id == columnar::TypeId::kFixedSizeList) {
    return Status::Ok();
  }
  if (column.type->id == columnar::TypeId::kStruct) {
    PCHRONICLE_RETURN_IF_ERROR(CheckNames(column.type->children).WithContext(column.name));
  }
  for (const columnar::DataField& child : column.type->children) {
    PCHRONICLE_RETURN_IF_ERROR(Flatten(child, id, depth + 1, next, out));
  }
  return Status::Ok();
}

}  // namespace

Result<std::vector<proto::Field>> AssignFields(std::span<const columnar::DataField> columns,
                                               int32_t first_id) {
  PCHRONICLE_RETURN_IF_ERROR(CheckNames(columns));
  std::vector<proto::Field> out;
  int32_t next = first_id;
  for (const columnar::DataField& column : columns) {
    PCHRONICLE_RETURN_IF_ERROR(Flatten(column, -1, 1, &next, &out));
  }
  return out;
}

int32_t NextFieldId(const proto::Manifest& manifest) {
  int32_t last = -1;
  for (const proto::Field& field : manifest.fields) {
    last = std::max(last, field.id);
  }
  for (const proto::Fragment& fragment : manifest.fragments) {
    for (const proto::DataFile& file : fragment.files) {
      for (const int32_t id : file.fields) {
        last = std::max(last, id);
      }
    }
  }
  return last + 1;
}

std::vector<proto::Field> FieldAndChildren(std::span<const proto::Field> fields,
                                           std::string_view name) {
  std::vector<proto::Field> out;
  std::set<int32_t> taken;
  for (const proto::Field& field : fields) {  // parents stand in front of their children
    const bool top = field.parent_id == -1 && field.name == name && out.empty();
    if (top || taken.contains(field.parent_id)) {
      taken.insert(field.id);
      out.push_back(field);
    }
  }
  return out;
}

Result<std::vector<int32_t>> ColumnFieldIds(std::span<const proto::Field> fields) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<FieldNode> nodes, BuildFieldTree(fields));
  std::vector<int32_t> out;
  for (const FieldNode& node : nodes) {
    ForEachColumn(node, [&](const FieldNode& column) { out.push_back(column.id); });
  }
  return out;
}

}  // namespace pchronicle::lance
