#include "pchronicle/columnar/data_type.h"

#include <fmt/core.h>

#include <array>
#include <utility>

namespace pchronicle::columnar {
namespace {

struct TypeFacts {
  std::string_view name;
  uint32_t bytes;
};

// In the order of TypeId.
constexpr std::array<TypeFacts, 31> kFacts = {{
    {"null", 0},
    {"bool", 0},
    {"int8", 1},
    {"int16", 2},
    {"int32", 4},
    {"int64", 8},
    {"uint8", 1},
    {"uint16", 2},
    {"uint32", 4},
    {"uint64", 8},
    {"halffloat", 2},
    {"float", 4},
    {"double", 8},
    {"decimal128", 16},
    {"decimal256", 32},
    {"date32", 4},
    {"date64", 8},
    {"time32", 4},
    {"time64", 8},
    {"timestamp", 8},
    {"duration", 8},
    {"fixed_binary", 0},
    {"utf8", 0},
    {"binary", 0},
    {"large_utf8", 0},
    {"large_binary", 0},
    {"struct", 0},
    {"list", 0},
    {"large_list", 0},
    {"map", 0},
    {"fixed_size_list", 0},
}};
static_assert(kFacts.size() == static_cast<size_t>(TypeId::kFixedSizeList) + 1);

const TypeFacts& Facts(TypeId id) { return kFacts[static_cast<size_t>(id)]; }

constexpr std::string_view kUnits[] = {"s", "ms", "us", "ns"};

}  // namespace

DataTypePtr MakeType(TypeId id) {
  auto type = std::make_shared<DataType>();
  type->id = id;
  return type;
}

DataTypePtr MakeFixedBinary(uint32_t bytes) {
  auto type = std::make_shared<DataType>();
  type->id = TypeId::kFixedBinary;
  type->width = bytes;
  return type;
}

DataTypePtr MakeTemporal(TypeId id, TimeUnit unit, std::string timezone) {
  auto type = std::make_shared<DataType>();
  type->id = id;
  type->unit = unit;
  type->timezone = std::move(timezone);
  return type;
}

DataTypePtr MakeDecimal(TypeId id, int32_t precision, int32_t scale) {
  auto type = std::make_shared<DataType>();
  type->id = id;
  type->precision = precision;
  type->scale = scale;
  return type;
}

DataTypePtr MakeStruct(std::vector<DataField> members) {
  auto type = std::make_shared<DataType>();
  type->id = TypeId::kStruct;
  type->children = std::move(members);
  return type;
}

DataTypePtr MakeList(TypeId id, DataField item) {
  auto type = std::make_shared<DataType>();
  type->id = id;
  type->children.push_back(std::move(item));
  return type;
}

DataTypePtr MakeFixedSizeList(DataField item, uint32_t items) {
  auto type = std::make_shared<DataType>();
  type->id = TypeId::kFixedSizeList;
  type->width = items;
  type->children.push_back(std::move(item));
  return type;
}

uint32_t ByteWidth(const DataType& type) {
  return type.id == TypeId::kFixedBinary ? type.width : Facts(type.id).bytes;
}

bool HasLargeOffsets(TypeId id) {
  return id == TypeId::kLargeUtf8 || id == TypeId::kLargeBinary || id == TypeId::kLargeList;
}

bool IsVariable(TypeId id) {
  return id == TypeId::kUtf8 || id == TypeId::kBinary || id == TypeId::kLargeUtf8 ||
         id == TypeId::kLargeBinary;
}

bool IsListLike(TypeId id) {
  return id == TypeId::kList || id == TypeId::kLargeList || id == TypeId::kMap;
}

bool SameType(const DataType& a, const DataType& b) {
  if (a.id != b.id || a.width != b.width || a.unit != b.unit || a.timezone != b.timezone ||
      a.precision != b.precision || a.scale != b.scale || a.children.size() != b.children.size()) {
    return false;
  }
  for (size_t i = 0; i < a.children.size(); ++i) {
    if (a.children[i].name != b.children[i].name ||
        !SameType(*a.children[i].type, *b.children[i].type)) {
      return false;
    }
  }
  return true;
}

std::string ToString(const DataType& type) {
  std::string text(Facts(type.id).name);
  switch (type.id) {
    case TypeId::kDecimal128:
    case TypeId::kDecimal256:
      return fmt::format("{}({}, {})", text, type.precision, type.scale);
    case TypeId::kTime32:
    case TypeId::kTime64:
    case TypeId::kDuration:
      return fmt::format("{}[{}]", text, kUnits[static_cast<size_t>(type.unit)]);
    case TypeId::kTimestamp:
      return type.timezone.empty()
                 ? fmt::format("{}[{}]", text, kUnits[static_cast<size_t>(type.unit)])
                 : fmt::format("{}[{}, tz={}]", text, kUnits[static_cast<size_t>(type.unit)],
                               type.timezone);
    case TypeId::kFixedBinary:
      return fmt::format("{}[{}]", text, type.width);
    case TypeId::kFixedSizeList:
      text = fmt::format("{}[{}]", text, type.width);
      break;
    default:
      break;
  }
  if (type.children.empty()) {
    return text;
  }
  text += '<';
  for (size_t i = 0; i < type.children.size(); ++i) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", type.children[i].name,
                        ToString(*type.children[i].type));
  }
  return text + '>';
}

}  // namespace pchronicle::columnar
