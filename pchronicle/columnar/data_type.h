#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pchronicle::columnar {

/// Types of nested columns in Arrow's memory layout. (Relations use the flat `columnar::Type`.)
enum class TypeId : uint8_t {
  kNull,
  kBool,  // bits, least significant first
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kHalf,
  kFloat,
  kDouble,
  kDecimal128,  // two's complement, 16 bytes
  kDecimal256,  // 32 bytes
  kDate32,      // days since the Unix epoch
  kDate64,      // milliseconds since the Unix epoch
  kTime32,      // s or ms since midnight
  kTime64,      // us or ns since midnight
  kTimestamp,   // 64 bits since the Unix epoch
  kDuration,    // 64 bits
  kFixedBinary,
  kUtf8,  // 32-bit offsets
  kBinary,
  kLargeUtf8,  // 64-bit offsets
  kLargeBinary,
  kStruct,
  kList,           // 32-bit offsets
  kLargeList,      // 64-bit offsets
  kMap,            // a list of structs {key, value}, 32-bit offsets
  kFixedSizeList,  // no offsets
};

enum class TimeUnit : uint8_t { kSecond, kMilli, kMicro, kNano };

struct DataType;
using DataTypePtr = std::shared_ptr<const DataType>;
using Metadata = std::map<std::string, std::string, std::less<>>;

/// A named column or child.
struct DataField {
  std::string name;
  DataTypePtr type;
  bool nullable = true;
  Metadata metadata = {};  // holds ARROW:extension:name of extension types
};

/// A type with its parameters. Immutable once shared; shared types may be used from any thread.
struct DataType {
  TypeId id = TypeId::kNull;
  uint32_t width = 0;  // kFixedBinary: bytes of a value; kFixedSizeList: items of a value
  TimeUnit unit = TimeUnit::kNano;   // kTime*, kTimestamp, kDuration
  std::string timezone;              // kTimestamp; empty: none
  int32_t precision = 0, scale = 0;  // kDecimal*
  std::vector<DataField> children;   // kStruct: members; lists and kMap: the item ("entries")
};

DataTypePtr MakeType(TypeId id);
DataTypePtr MakeFixedBinary(uint32_t bytes);
DataTypePtr MakeTemporal(TypeId id, TimeUnit unit, std::string timezone = {});
DataTypePtr MakeDecimal(TypeId id, int32_t precision, int32_t scale);
DataTypePtr MakeStruct(std::vector<DataField> members);
/// kList, kLargeList or kMap.
DataTypePtr MakeList(TypeId id, DataField item);
DataTypePtr MakeFixedSizeList(DataField item, uint32_t items);

/// Bytes of one value of a fixed-width type; 0 for kBool, kNull and all others.
uint32_t ByteWidth(const DataType& type);
/// Offsets of 64 bits: kLargeUtf8, kLargeBinary, kLargeList.
bool HasLargeOffsets(TypeId id);
/// kUtf8, kBinary and their large forms.
bool IsVariable(TypeId id);
/// kList, kLargeList, kMap.
bool IsListLike(TypeId id);
/// Same structure, parameters and child names; metadata and nullability of children are not
/// compared.
bool SameType(const DataType& a, const DataType& b);
/// `int64`, `timestamp[us, tz=UTC]`, `list<item: struct<a: int64>>`: for messages.
std::string ToString(const DataType& type);

}  // namespace pchronicle::columnar
