#include "pchronicle/lance/file/field_tree.h"

#include <fmt/core.h>

#include <charconv>
#include <unordered_map>
#include <utility>

namespace pchronicle::lance {
namespace {

using columnar::DataField;
using columnar::DataTypePtr;
using columnar::TimeUnit;
using columnar::TypeId;

constexpr std::pair<std::string_view, TypeId> kPlainTypes[] = {
    {"null", TypeId::kNull},
    {"bool", TypeId::kBool},
    {"int8", TypeId::kInt8},
    {"int16", TypeId::kInt16},
    {"int32", TypeId::kInt32},
    {"int64", TypeId::kInt64},
    {"uint8", TypeId::kUint8},
    {"uint16", TypeId::kUint16},
    {"uint32", TypeId::kUint32},
    {"uint64", TypeId::kUint64},
    {"halffloat", TypeId::kHalf},
    {"float", TypeId::kFloat},
    {"double", TypeId::kDouble},
    {"string", TypeId::kUtf8},
    {"binary", TypeId::kBinary},
    {"large_string", TypeId::kLargeUtf8},
    {"large_binary", TypeId::kLargeBinary},
    {"date32:day", TypeId::kDate32},
    {"date64:ms", TypeId::kDate64},
};

constexpr std::pair<std::string_view, TimeUnit> kUnits[] = {{"s", TimeUnit::kSecond},
                                                            {"ms", TimeUnit::kMilli},
                                                            {"us", TimeUnit::kMicro},
                                                            {"ns", TimeUnit::kNano}};

/// Values wider than this are no column that memory should meet.
constexpr uint64_t kMaxValueBits = uint64_t{1} << 31;

bool ParseInt(std::string_view text, int32_t* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseUnit(std::string_view text, TimeUnit* unit) {
  for (const auto& [name, value] : kUnits) {
    if (name == text) {
      *unit = value;
      return true;
    }
  }
  return false;
}

/// Bits of one value, for the limit on nested fixed size lists.
uint64_t ValueBits(const columnar::DataType& type) {
  if (type.id == TypeId::kFixedSizeList) {
    const uint64_t item = ValueBits(*type.children[0].type);
    return item != 0 && type.width > kMaxValueBits / item ? UINT64_MAX : item * type.width;
  }
  return type.id == TypeId::kBool ? 1 : uint64_t{columnar::ByteWidth(type)} * 8;
}

DataTypePtr ParseFixedSizeList(std::string_view rest, int depth);

DataTypePtr ParseType(std::string_view text, int depth) {
  if (depth > kMaxFieldDepth) {
    return nullptr;
  }
  for (const auto& [name, id] : kPlainTypes) {
    if (name == text) {
      return columnar::MakeType(id);
    }
  }
  const size_t colon = text.find(':');
  const std::string_view head = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  TimeUnit unit;
  int32_t number = 0;
  if (head == "json" && rest.empty()) {
    return columnar::MakeType(TypeId::kUtf8);
  }
  if (head == "fixed_size_binary" && ParseInt(rest, &number) && number >= 0) {
    return columnar::MakeFixedBinary(static_cast<uint32_t>(number));
  }
  if (head == "fixed_size_list") {
    return ParseFixedSizeList(rest, depth);
  }
  if ((head == "time32" || head == "time64" || head == "duration") && ParseUnit(rest, &unit)) {
    const bool coarse = unit == TimeUnit::kSecond || unit == TimeUnit::kMilli;
    if (head != "duration" && coarse != (head == "time32")) {
      return nullptr;
    }
    return columnar::MakeTemporal(head == "duration" ? TypeId::kDuration
                                  : coarse           ? TypeId::kTime32
                                                     : TypeId::kTime64,
                                  unit);
  }
  if (head == "timestamp") {
    const size_t zone = rest.find(':');
    if (zone == std::string_view::npos || !ParseUnit(rest.substr(0, zone), &unit)) {
      return nullptr;
    }
    const std::string_view name = rest.substr(zone + 1);
    return columnar::MakeTemporal(TypeId::kTimestamp, unit,
                                  name == "-" ? std::string() : std::string(name));
  }
  if (head == "decimal") {
    const size_t first = rest.find(':'), second = rest.find(':', first + 1);
    int32_t precision = 0, scale = 0;
    if (second == std::string_view::npos ||
        !ParseInt(rest.substr(first + 1, second - first - 1), &precision) ||
        !ParseInt(rest.substr(second + 1), &scale)) {
      return nullptr;
    }
    const std::string_view bits = rest.substr(0, first);
    if (bits != "128" && bits != "256") {
      return nullptr;
    }
    return columnar::MakeDecimal(bits == "128" ? TypeId::kDecimal128 : TypeId::kDecimal256,
                                 precision, scale);
  }
  if (head == "dict") {  // dict:<value>:<index>:false
    const size_t flag = rest.rfind(':');
    const size_t index = flag == std::string_view::npos ? flag : rest.rfind(':', flag - 1);
    return index == std::string_view::npos || index == 0
               ? nullptr
               : ParseType(rest.substr(0, index), depth + 1);
  }
  return nullptr;
}

DataTypePtr ParseFixedSizeList(std::string_view rest, int depth) {
  const size_t colon = rest.rfind(':');
  int32_t items = 0;
  if (colon == std::string_view::npos || !ParseInt(rest.substr(colon + 1), &items) || items < 0) {
    return nullptr;
  }
  const DataTypePtr item = ParseType(rest.substr(0, colon), depth + 1);
  if (item == nullptr || columnar::IsVariable(item->id) || item->id == TypeId::kNull) {
    return nullptr;
  }
  DataTypePtr type =
      columnar::MakeFixedSizeList({.name = "item", .type = item}, static_cast<uint32_t>(items));
  return ValueBits(*type) > kMaxValueBits ? nullptr : type;
}

bool IsTrue(const columnar::Metadata& metadata, std::string_view key) {
  const auto found = metadata.find(key);
  return found != metadata.end() && found->second == "true";
}

FieldNode::Kind KindOf(const FieldNode& node) {
  const auto extension = node.metadata.find("ARROW:extension:name");
  const bool blob = IsTrue(node.metadata, "lance-encoding:blob");
  if (node.logical_type == "struct") {
    if (blob || (extension != node.metadata.end() && extension->second == "lance.blob.v2")) {
      return FieldNode::Kind::kBlob2;
    }
    return IsTrue(node.metadata, "lance-encoding:packed") || IsTrue(node.metadata, "packed")
               ? FieldNode::Kind::kPacked
               : FieldNode::Kind::kStruct;
  }
  const std::string_view head =
      std::string_view(node.logical_type).substr(0, node.logical_type.find('.'));
  if (head == "list" || head == "large_list" || head == "map") {
    return FieldNode::Kind::kList;
  }
  return blob && (node.logical_type == "large_binary" || node.logical_type == "binary")
             ? FieldNode::Kind::kBlob1
             : FieldNode::Kind::kLeaf;
}

DataField ToDataField(const FieldNode& node) {
  return {
      .name = node.name, .type = node.type, .nullable = node.nullable, .metadata = node.metadata};
}

/// The type out of the kind and the children's types.
DataTypePtr TypeOf(const FieldNode& node) {
  switch (node.kind) {
    case FieldNode::Kind::kLeaf:
      return node.children.empty() ? ParseLogicalType(node.logical_type) : nullptr;
    case FieldNode::Kind::kBlob1:
    case FieldNode::Kind::kBlob2:
      return columnar::MakeType(TypeId::kLargeBinary);
    default:
      break;
  }
  std::vector<DataField> children;
  for (const FieldNode& child : node.children) {
    if (child.type == nullptr) {
      return nullptr;
    }
    children.push_back(ToDataField(child));
  }
  if (node.kind != FieldNode::Kind::kList) {
    return columnar::MakeStruct(std::move(children));
  }
  const TypeId id = node.logical_type == "map"               ? TypeId::kMap
                    : node.logical_type.starts_with("large") ? TypeId::kLargeList
                                                             : TypeId::kList;
  return columnar::MakeList(id, std::move(children[0]));
}

class TreeBuilder {
 public:
  explicit TreeBuilder(std::span<const proto::Field> fields) : fields_(fields) {}

  Result<std::vector<FieldNode>> Build() {
    PCHRONICLE_RETURN_IF_ERROR(Link());
    std::vector<FieldNode> roots;
    for (const size_t root : roots_) {
      PCHRONICLE_RETURN_IF_ERROR(Make(root, 1, &roots.emplace_back()));
    }
    return roots;
  }

 private:
  Status Link() {
    children_.resize(fields_.size());
    std::unordered_map<int32_t, size_t> at;
    for (size_t i = 0; i < fields_.size(); ++i) {
      const proto::Field& field = fields_[i];
      if (field.parent_id < 0) {
        roots_.push_back(i);
      } else {
        const auto parent = at.find(field.parent_id);
        if (parent == at.end()) {
          return Status::Corruption(
              "schema: field '{}' has parent {}, which does not stand before it", field.name,
              field.parent_id);
        }
        children_[parent->second].push_back(i);
      }
      // Members of a blob descriptor have no ids of their own.
      if (field.id >= 0 && !at.emplace(field.id, i).second) {
        return Status::Corruption("schema: field id {} twice", field.id);
      }
    }
    return Status::Ok();
  }

  Status Make(size_t index, int depth, FieldNode* out) {
    const proto::Field& field = fields_[index];
    if (depth > kMaxFieldDepth) {
      return Status::Corruption("schema: field '{}' nests deeper than {}", field.name,
                                kMaxFieldDepth);
    }
    out->id = field.id;
    out->name = field.name;
    out->logical_type = field.logical_type;
    out->nullable = field.nullable;
    out->metadata = field.metadata;
    out->kind = KindOf(*out);
    for (const size_t child : children_[index]) {
      PCHRONICLE_RETURN_IF_ERROR(Make(child, depth + 1, &out->children.emplace_back()));
    }
    if (out->kind == FieldNode::Kind::kList && out->children.size() != 1) {
      return Status::Corruption("schema: list '{}' has {} children", field.name,
                                out->children.size());
    }
    out->type = TypeOf(*out);
    return Status::Ok();
  }

  std::span<const proto::Field> fields_;
  std::vector<size_t> roots_;
  std::vector<std::vector<size_t>> children_;
};

std::string_view UnitName(TimeUnit unit) { return kUnits[static_cast<size_t>(unit)].first; }

}  // namespace

DataTypePtr ParseLogicalType(std::string_view logical_type) { return ParseType(logical_type, 0); }

Result<std::vector<FieldNode>> BuildFieldTree(std::span<const proto::Field> fields) {
  return TreeBuilder(fields).Build();
}

Result<std::string> LogicalType(const columnar::DataType& type) {
  for (const auto& [name, id] : kPlainTypes) {
    if (id == type.id) {
      return std::string(name);
    }
  }
  switch (type.id) {
    case TypeId::kFixedBinary:
      return fmt::format("fixed_size_binary:{}", type.width);
    case TypeId::kDecimal128:
    case TypeId::kDecimal256:
      return fmt::format("decimal:{}:{}:{}", type.id == TypeId::kDecimal128 ? 128 : 256,
                         type.precision, type.scale);
    case TypeId::kTime32:
      return fmt::format("time32:{}", UnitName(type.unit));
    case TypeId::kTime64:
      return fmt::format("time64:{}", UnitName(type.unit));
    case TypeId::kDuration:
      return fmt::format("duration:{}", UnitName(type.unit));
    case TypeId::kTimestamp:
      return fmt::format("timestamp:{}:{}", UnitName(type.unit),
                         type.timezone.empty() ? "-" : type.timezone);
    case TypeId::kStruct:
      return std::string("struct");
    case TypeId::kMap:
      return std::string("map");
    case TypeId::kList:
    case TypeId::kLargeList:
      return fmt::format("{}list{}", type.id == TypeId::kLargeList ? "large_" : "",
                         type.children[0].type->id == TypeId::kStruct ? ".struct" : "");
    case TypeId::kFixedSizeList: {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string item, LogicalType(*type.children[0].type));
      return fmt::format("fixed_size_list:{}:{}", item, type.width);
    }
    default:
      return Status::Unsupported("Lance has no logical type for {}", columnar::ToString(type));
  }
}

std::optional<FieldNode> PruneField(const FieldNode& field,
                                    const std::function<bool(const FieldNode&)>& keep) {
  if (field.is_column()) {
    return keep(field) ? std::optional<FieldNode>(field) : std::nullopt;
  }
  FieldNode pruned = field;
  pruned.children.clear();
  for (const FieldNode& child : field.children) {
    if (std::optional<FieldNode> left = PruneField(child, keep)) {
      pruned.children.push_back(*std::move(left));
    }
  }
  if (pruned.children.empty()) {
    return std::nullopt;
  }
  pruned.type = TypeOf(pruned);
  return pruned;
}

void ForEachColumn(const FieldNode& field, const std::function<void(const FieldNode&)>& visit) {
  if (field.is_column()) {
    visit(field);
    return;
  }
  for (const FieldNode& child : field.children) {
    ForEachColumn(child, visit);
  }
}

}  // namespace pchronicle::lance
