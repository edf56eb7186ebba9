#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "pchronicle/columnar/buffer.h"
#include "pchronicle/columnar/data_type.h"

namespace pchronicle::columnar {

struct Array;
using ArrayPtr = std::shared_ptr<const Array>;

/// Values of one type in Arrow's layout, always from slot 0 on: no array has an offset of its own,
/// and offsets start at 0. Immutable and thread-safe once shared; copies share buffers.
///
/// | type | offsets | values | children |
/// | kBool | - | bits | |
/// | fixed width, kFixedBinary | - | length * ByteWidth bytes | |
/// | kUtf8, kBinary | int32[length + 1] | bytes | |
/// | kLargeUtf8, kLargeBinary | int64[length + 1] | bytes | |
/// | kList, kMap | int32[length + 1] | - | item |
/// | kLargeList | int64[length + 1] | - | item |
/// | kFixedSizeList | - | - | item, length * width slots |
/// | kStruct | - | - | members, each of the same length |
/// | kNull | - | - | every slot is null, no validity |
///
/// Slots that are null hold any value (zero-length text); so do slots below a null parent.
struct Array {
  DataTypePtr type;
  int64_t length = 0;
  int64_t null_count = 0;
  BufferPtr validity;  // bits, least significant first, 1 = valid; none: no slot is null
  BufferPtr offsets;
  BufferPtr values;
  std::vector<ArrayPtr> children;

  bool IsNull(int64_t i) const {
    return type->id == TypeId::kNull ||
           (validity != nullptr && (validity->data()[i >> 3] >> (i & 7) & 1) == 0);
  }
  bool Bit(int64_t i) const { return (values->data()[i >> 3] >> (i & 7) & 1) != 0; }
  /// Fixed-width value of sizeof(T) bytes.
  template <typename T>
  T Value(int64_t i) const {
    return values->as<T>()[i];
  }
  /// Offset `i` of a type with offsets, 0 <= i <= length.
  int64_t Offset(int64_t i) const {
    return HasLargeOffsets(type->id) ? offsets->as<int64_t>()[i] : offsets->as<int32_t>()[i];
  }
  /// Bytes of a kUtf8, kBinary, kLarge* or fixed-width value.
  std::string_view Bytes(int64_t i) const;
};

/// Columns of equal length.
struct RecordBatch {
  std::vector<DataField> fields;
  std::vector<ArrayPtr> columns;
  int64_t rows = 0;
};

/// `length` nulls of the type.
ArrayPtr MakeNullArray(const DataTypePtr& type, int64_t length);
/// The slots `rows` (each below the length; any order, repeats allowed) of `array` as a new array.
ArrayPtr TakeSlots(const Array& array, const std::vector<int64_t>& rows);
/// True when both arrays hold the same values: nulls compare equal, whatever lies in their slots.
bool SameValues(const Array& a, const Array& b);

}  // namespace pchronicle::columnar
