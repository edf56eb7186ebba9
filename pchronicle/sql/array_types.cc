#include "pchronicle/sql/array_types.h"

#include <string_view>

#include "pchronicle/sql/unique_names.h"

namespace pchronicle::sql {
namespace {

using columnar::DataField;
using columnar::DataType;
using columnar::TimeUnit;
using columnar::TypeId;
using duckdb::LogicalType;

constexpr uint32_t kUuidBytes = 16;

std::string_view ExtensionOf(const DataField& field) {
  const auto entry = field.metadata.find("ARROW:extension:name");
  return entry == field.metadata.end() ? std::string_view() : std::string_view(entry->second);
}

LogicalType DecimalType(const DataType& type) {
  if (type.precision < 1 || type.precision > duckdb::DecimalType::MaxWidth() || type.scale < 0 ||
      type.scale > type.precision) {
    return LogicalType::VARCHAR;
  }
  return LogicalType::DECIMAL(static_cast<uint8_t>(type.precision),
                              static_cast<uint8_t>(type.scale));
}

LogicalType TimestampType(const DataType& type) {
  if (!type.timezone.empty()) {
    return type.unit == TimeUnit::kNano ? LogicalType::TIMESTAMP_NS : LogicalType::TIMESTAMP_TZ;
  }
  switch (type.unit) {
    case TimeUnit::kSecond:
      return LogicalType::TIMESTAMP_S;
    case TimeUnit::kMilli:
      return LogicalType::TIMESTAMP_MS;
    case TimeUnit::kMicro:
      return LogicalType::TIMESTAMP;
    case TimeUnit::kNano:
      break;
  }
  return LogicalType::TIMESTAMP_NS;
}

LogicalType StructType(const DataType& type) {
  if (type.children.empty()) {
    return LogicalType::SQLNULL;
  }
  std::vector<std::string> names;
  for (const DataField& member : type.children) {
    names.push_back(member.name);
  }
  names = UniqueNames(names, NameCase::kIgnored);
  duckdb::child_list_t<LogicalType> members;
  for (size_t i = 0; i < names.size(); ++i) {
    members.emplace_back(names[i], ToLogicalType(type.children[i]));
  }
  return LogicalType::STRUCT(std::move(members));
}

LogicalType MapType(const DataType& type) {
  const DataField& entries = type.children.at(0);
  if (entries.type == nullptr || entries.type->children.size() != 2) {
    return LogicalType::LIST(ToLogicalType(entries));
  }
  return LogicalType::MAP(ToLogicalType(entries.type->children[0]),
                          ToLogicalType(entries.type->children[1]));
}

LogicalType FixedListType(const DataType& type) {
  const LogicalType item = ToLogicalType(type.children.at(0));
  return type.width >= 1 && type.width <= duckdb::ArrayType::MAX_ARRAY_SIZE
             ? LogicalType::ARRAY(item, type.width)
             : LogicalType::LIST(item);
}

}  // namespace

LogicalType ToLogicalType(const DataField& field) {
  if (field.type == nullptr) {
    return LogicalType::SQLNULL;
  }
  const DataType& type = *field.type;
  switch (type.id) {
    case TypeId::kNull:
      return LogicalType::SQLNULL;
    case TypeId::kBool:
      return LogicalType::BOOLEAN;
    case TypeId::kInt8:
      return LogicalType::TINYINT;
    case TypeId::kInt16:
      return LogicalType::SMALLINT;
    case TypeId::kInt32:
      return LogicalType::INTEGER;
    case TypeId::kInt64:
      return LogicalType::BIGINT;
    case TypeId::kUint8:
      return LogicalType::UTINYINT;
    case TypeId::kUint16:
      return LogicalType::USMALLINT;
    case TypeId::kUint32:
      return LogicalType::UINTEGER;
    case TypeId::kUint64:
      return LogicalType::UBIGINT;
    case TypeId::kHalf:
    case TypeId::kFloat:
      return LogicalType::FLOAT;
    case TypeId::kDouble:
      return LogicalType::DOUBLE;
    case TypeId::kDecimal128:
    case TypeId::kDecimal256:
      return DecimalType(type);
    case TypeId::kDate32:
    case TypeId::kDate64:
      return LogicalType::DATE;
    case TypeId::kTime32:
    case TypeId::kTime64:
      return type.unit == TimeUnit::kNano ? LogicalType::TIME_NS : LogicalType::TIME;
    case TypeId::kTimestamp:
      return TimestampType(type);
    case TypeId::kDuration:
      return type.unit == TimeUnit::kNano ? LogicalType::BIGINT : LogicalType::INTERVAL;
    case TypeId::kFixedBinary:
      return type.width == kUuidBytes && ExtensionOf(field) == "arrow.uuid" ? LogicalType::UUID
                                                                            : LogicalType::BLOB;
    case TypeId::kUtf8:
    case TypeId::kLargeUtf8:
      return ExtensionOf(field) == "arrow.json" || ExtensionOf(field) == "lance.json"
                 ? LogicalType::JSON()
                 : LogicalType::VARCHAR;
    case TypeId::kBinary:
    case TypeId::kLargeBinary:
      return LogicalType::BLOB;
    case TypeId::kStruct:
      return StructType(type);
    case TypeId::kList:
    case TypeId::kLargeList:
      return LogicalType::LIST(ToLogicalType(type.children.at(0)));
    case TypeId::kMap:
      return MapType(type);
    case TypeId::kFixedSizeList:
      return FixedListType(type);
  }
  return LogicalType::SQLNULL;
}

}  // namespace pchronicle::sql
