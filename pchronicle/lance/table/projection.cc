#include "pchronicle/lance/table/projection.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "pchronicle/columnar/validity.h"

namespace pchronicle::lance {
namespace {

using columnar::Array;
using columnar::ArrayPtr;

// The rest of `path` behind `name`: "" when they are equal, nothing when it does not start so.
std::optional<std::string_view> BehindName(std::string_view path, std::string_view name) {
  if (path == name) {
    return std::string_view();
  }
  if (path.size() > name.size() && path.starts_with(name) && path[name.size()] == '.') {
    return path.substr(name.size() + 1);
  }
  return std::nullopt;
}

// Adds the columns below the field that `path` names; false when there is none.
bool AddColumns(std::span<const FieldNode> fields, std::string_view path,
                std::set<int32_t>* columns, const FieldNode** root) {
  for (const FieldNode& field : fields) {
    const std::optional<std::string_view> rest = BehindName(path, field.name);
    if (!rest) {
      continue;
    }
    const FieldNode* ignored = nullptr;
    if (rest->empty() || field.is_column()) {
      // Inside a column (a packed struct) only what is there may be named.
      std::set<int32_t> none;
      if (!rest->empty() && !AddColumns(field.children, *rest, &none, &ignored)) {
        continue;
      }
      ForEachColumn(field, [&](const FieldNode& column) { columns->insert(column.id); });
      *root = &field;
      return true;
    }
    if (AddColumns(field.children, *rest, columns, &ignored)) {
      *root = &field;
      return true;
    }
  }
  return false;
}

Status CheckReadableField(const FieldNode& field, const std::string& parent) {
  const std::string path = parent.empty() ? field.name : parent + "." + field.name;
  if (field.type != nullptr) {
    return Status::Ok();
  }
  for (const FieldNode& child : field.children) {
    PCHRONICLE_RETURN_IF_ERROR(CheckReadableField(child, path));
  }
  return Status::Unsupported("column {}: logical type '{}'", path, field.logical_type);
}

bool SameTree(const FieldNode& a, const FieldNode& b) {
  if (a.id != b.id || a.children.size() != b.children.size()) {
    return false;
  }
  for (size_t i = 0; i < a.children.size(); ++i) {
    if (!SameTree(a.children[i], b.children[i])) {
      return false;
    }
  }
  return true;
}

const FieldNode* FindChild(const FieldNode& parent, int32_t id, size_t* position) {
  for (size_t i = 0; i < parent.children.size(); ++i) {
    if (parent.children[i].id == id) {
      *position = i;
      return &parent.children[i];
    }
  }
  return nullptr;
}

// The child of each part that has it, with the nulls of the part itself where `mask` says so.
std::vector<FieldPart> ChildParts(const FieldNode& child, std::span<const FieldPart> parts,
                                  bool mask) {
  std::vector<FieldPart> out;
  for (const FieldPart& part : parts) {
    size_t position = 0;
    if (const FieldNode* found = FindChild(*part.field, child.id, &position)) {
      const ArrayPtr& array = part.array->children[position];
      out.push_back({found, mask ? columnar::MaskByParent(array, *part.array) : array});
    }
  }
  return out;
}

Result<ArrayPtr> AssembleStruct(const FieldNode& field, std::span<const FieldPart> parts,
                                int64_t length) {
  auto out = std::make_shared<Array>();
  out->type = field.type;
  out->length = length;
  std::vector<ArrayPtr> arrays;
  for (const FieldPart& part : parts) {
    arrays.push_back(part.array);
  }
  out->validity = columnar::AnyValid(arrays, length);
  out->null_count = columnar::CountNulls(out->validity, length);
  for (const FieldNode& child : field.children) {
    // With several parts a slot may be null in one and not in the others.
    PCHRONICLE_ASSIGN_OR_RETURN(
        ArrayPtr array, Assemble(child, ChildParts(child, parts, parts.size() > 1), length));
    out->children.push_back(std::move(array));
  }
  return ArrayPtr(std::move(out));
}

bool SameLists(const Array& a, const Array& b) {
  for (int64_t i = 0; i < a.length; ++i) {
    if (a.IsNull(i) != b.IsNull(i) || a.Offset(i + 1) != b.Offset(i + 1)) {
      return false;
    }
  }
  return true;
}

Result<ArrayPtr> AssembleList(const FieldNode& field, std::span<const FieldPart> parts) {
  const Array& first = *parts.front().array;
  for (const FieldPart& part : parts.subspan(1)) {
    if (!SameLists(first, *part.array)) {
      return Status::Corruption("column {}: its data files hold lists of different lengths",
                                field.name);
    }
  }
  auto out = std::make_shared<Array>(first);
  out->type = field.type;
  const FieldNode& item = field.children.at(0);
  PCHRONICLE_ASSIGN_OR_RETURN(out->children.at(0), Assemble(item, ChildParts(item, parts, false),
                                                            first.children.at(0)->length));
  return ArrayPtr(std::move(out));
}

Result<ArrayPtr> FindMember(const ArrayPtr& array, std::span<const columnar::DataField> members,
                            std::string_view path, const ArrayPtr* children) {
  for (size_t i = 0; i < members.size(); ++i) {
    const std::optional<std::string_view> rest = BehindName(path, members[i].name);
    if (!rest) {
      continue;
    }
    ArrayPtr child = array == nullptr ? children[i] : columnar::MaskByParent(children[i], *array);
    if (rest->empty()) {
      return child;
    }
    if (child->type->id == columnar::TypeId::kStruct) {
      const std::vector<ArrayPtr>& below = child->children;
      Result<ArrayPtr> found = FindMember(child, child->type->children, *rest, below.data());
      if (found.ok()) {
        return found;
      }
    }
  }
  return Status::NotFound("no column {}", path);
}

}  // namespace

ColumnIds ColumnsOf(std::span<const FieldNode> fields) {
  ColumnIds out;
  for (const FieldNode& field : fields) {
    ForEachColumn(field, [&](const FieldNode& column) { out.push_back(column.id); });
  }
  return out;
}

Result<std::vector<FieldNode>> Project(std::span<const FieldNode> schema,
                                       std::span<const std::string> paths) {
  std::vector<std::pair<const FieldNode*, std::set<int32_t>>> wanted;
  for (const std::string& path : paths) {
    std::set<int32_t> columns;
    const FieldNode* root = nullptr;
    if (!AddColumns(schema, path, &columns, &root)) {
      std::string names;
      for (const FieldNode& field : schema) {
        names += (names.empty() ? "" : ", ") + field.name;
      }
      return Status::InvalidArgument("there is no column '{}'; there are {}", path, names);
    }
    const auto known = std::find_if(wanted.begin(), wanted.end(),
                                    [&](const auto& entry) { return entry.first == root; });
    if (known == wanted.end()) {
      wanted.emplace_back(root, std::move(columns));
    } else {
      known->second.merge(columns);
    }
  }
  std::vector<FieldNode> out;
  for (const auto& [root, columns] : wanted) {
    std::optional<FieldNode> pruned =
        PruneField(*root, [&](const FieldNode& column) { return columns.contains(column.id); });
    if (pruned) {
      out.push_back(*std::move(pruned));
    }
  }
  return out;
}

const FieldNode* FindField(std::span<const FieldNode> schema, std::string_view path) {
  for (const FieldNode& field : schema) {
    const std::optional<std::string_view> rest = BehindName(path, field.name);
    if (!rest) {
      continue;
    }
    const FieldNode* found = rest->empty() ? &field : FindField(field.children, *rest);
    if (found != nullptr) {
      return found;
    }
  }
  return nullptr;
}

std::string PathOfField(std::span<const FieldNode> schema, int32_t id) {
  for (const FieldNode& field : schema) {
    if (field.id == id) {
      return field.name;
    }
    if (const std::string below = PathOfField(field.children, id); !below.empty()) {
      return field.name + "." + below;
    }
  }
  return {};
}

Status CheckReadable(std::span<const FieldNode> fields) {
  for (const FieldNode& field : fields) {
    PCHRONICLE_RETURN_IF_ERROR(CheckReadableField(field, ""));
  }
  return Status::Ok();
}

std::vector<FieldNode> Without(std::span<const FieldNode> fields, const ColumnIds& taken) {
  std::vector<FieldNode> out;
  for (const FieldNode& field : fields) {
    std::optional<FieldNode> left = PruneField(field, [&](const FieldNode& column) {
      return std::find(taken.begin(), taken.end(), column.id) == taken.end();
    });
    if (left) {
      out.push_back(*std::move(left));
    }
  }
  return out;
}

columnar::DataField ToDataField(const FieldNode& field) {
  return {field.name, field.type, field.nullable, field.metadata};
}

std::vector<columnar::DataField> ToDataFields(std::span<const FieldNode> fields) {
  std::vector<columnar::DataField> out;
  for (const FieldNode& field : fields) {
    out.push_back(ToDataField(field));
  }
  return out;
}

Result<ArrayPtr> Assemble(const FieldNode& field, std::span<const FieldPart> parts,
                          int64_t length) {
  if (parts.empty()) {
    return columnar::MakeNullArray(field.type, length);
  }
  if (field.is_column() || (parts.size() == 1 && SameTree(field, *parts.front().field))) {
    return parts.front().array;
  }
  return field.kind == FieldNode::Kind::kList ? AssembleList(field, parts)
                                              : AssembleStruct(field, parts, length);
}

Result<ArrayPtr> FindArray(const columnar::RecordBatch& batch, std::string_view path) {
  return FindMember(nullptr, batch.fields, path, batch.columns.data());
}

}  // namespace pchronicle::lance
