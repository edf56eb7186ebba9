#include "pchronicle/sql/array_vectors.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "pchronicle/columnar/decimal_text.h"

namespace pchronicle::sql {
namespace {

using columnar::Array;
using columnar::ArrayPtr;
using columnar::DataType;
using columnar::TimeUnit;
using columnar::TypeId;
using duckdb::FlatVector;
using duckdb::idx_t;
using duckdb::ListVector;
using duckdb::LogicalTypeId;
using duckdb::string_t;
using duckdb::Vector;

constexpr int64_t kUnitsPerSecond[] = {1, 1'000, 1'000'000, 1'000'000'000};
constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kMillisPerDay = 86'400'000;

/// Keeps an array alive as long as a vector points into its text.
class ArrayOwner : public duckdb::VectorBuffer {
 public:
  explicit ArrayOwner(ArrayPtr array)
      : VectorBuffer(duckdb::VectorBufferType::OPAQUE_BUFFER), array_(std::move(array)) {}

 private:
  ArrayPtr array_;
};

/// The slots and where they go.
struct Slots {
  int64_t begin, count;
  idx_t at;
};

bool IsNested(const duckdb::LogicalType& type) {
  return type.id() == LogicalTypeId::STRUCT || type.id() == LogicalTypeId::ARRAY;
}

/// Also what lies below: the engine wants members of a null struct to be null.
void SetAllNull(const Slots& slots, Vector& vector) {
  for (idx_t i = 0; i < static_cast<idx_t>(slots.count); ++i) {
    FlatVector::SetNull(vector, slots.at + i, true);
  }
}

void FillValidity(const Array& array, const Slots& slots, Vector& vector) {
  if (array.validity == nullptr || array.null_count == 0) {
    return;
  }
  const bool nested = IsNested(vector.GetType());
  auto& mask = FlatVector::Validity(vector);
  for (int64_t i = 0; i < slots.count; ++i) {
    if (!array.IsNull(slots.begin + i)) {
      continue;
    }
    const idx_t row = slots.at + static_cast<idx_t>(i);
    if (nested) {
      FlatVector::SetNull(vector, row, true);
    } else {
      mask.SetInvalid(row);
    }
  }
}

void CopyFixed(const Array& array, uint32_t width, const Slots& slots, Vector& vector) {
  std::memcpy(FlatVector::GetData(vector) + slots.at * width,
              array.values->data() + static_cast<size_t>(slots.begin) * width,
              static_cast<size_t>(slots.count) * width);
}

/// Converts value by value. `convert` gives false for what the engine cannot hold; null slots may
/// hold anything and are not converted.
template <typename From, typename To, typename Convert>
bool ConvertFixed(const Array& array, const Slots& slots, Vector& vector, Convert convert) {
  const From* in = array.values->as<From>() + slots.begin;
  To* out = FlatVector::GetData<To>(vector) + slots.at;
  for (int64_t i = 0; i < slots.count; ++i) {
    if (array.IsNull(slots.begin + i)) {
      out[i] = To();
    } else if (!convert(in[i], &out[i])) {
      return false;
    }
  }
  return true;
}

float HalfToFloat(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const auto fraction = static_cast<float>(bits & 0x3ff);
  const float size = exponent == 0      ? std::ldexp(fraction, -24)
                     : exponent == 0x1f ? (fraction == 0 ? HUGE_VALF : std::nanf(""))
                                        : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

/// The lower 128 bits of a decimal; precision 38 fits.
duckdb::hugeint_t LoadHuge(const uint8_t* bytes) {
  duckdb::hugeint_t value;
  std::memcpy(&value.lower, bytes, sizeof value.lower);
  std::memcpy(&value.upper, bytes + sizeof value.lower, sizeof value.upper);
  return value;
}

/// What the type promises may not be so in the bytes: values of too many digits are refused.
Status FillDecimal(const Array& array, const Slots& slots, Vector& vector) {
  const uint32_t width = columnar::ByteWidth(*array.type);
  uint8_t precision = 0, scale = 0;
  vector.GetType().GetDecimalProperties(precision, scale);
  const duckdb::hugeint_t limit = duckdb::Hugeint::POWERS_OF_TEN[precision];
  for (int64_t i = 0; i < slots.count; ++i) {
    const idx_t row = slots.at + static_cast<idx_t>(i);
    duckdb::hugeint_t value(0);
    if (!array.IsNull(slots.begin + i)) {
      const uint8_t* bytes = array.values->data() + static_cast<size_t>(slots.begin + i) * width;
      value = LoadHuge(bytes);
      const uint8_t sign = value.upper < 0 ? 0xff : 0;
      bool fits = value < limit && value > -limit;
      for (uint32_t k = sizeof(duckdb::hugeint_t); k < width; ++k) {
        fits = fits && bytes[k] == sign;
      }
      if (!fits) {
        return Status::Corruption("a decimal has more digits than its type {}",
                                  columnar::ToString(*array.type));
      }
    }
    switch (vector.GetType().InternalType()) {
      case duckdb::PhysicalType::INT16:
        FlatVector::GetData<int16_t>(vector)[row] = static_cast<int16_t>(value.lower);
        break;
      case duckdb::PhysicalType::INT32:
        FlatVector::GetData<int32_t>(vector)[row] = static_cast<int32_t>(value.lower);
        break;
      case duckdb::PhysicalType::INT64:
        FlatVector::GetData<int64_t>(vector)[row] = static_cast<int64_t>(value.lower);
        break;
      default:
        FlatVector::GetData<duckdb::hugeint_t>(vector)[row] = value;
    }
  }
  return Status::Ok();
}

Status FillDecimalText(const Array& array, const Slots& slots, Vector& vector) {
  string_t* out = FlatVector::GetData<string_t>(vector) + slots.at;
  for (int64_t i = 0; i < slots.count; ++i) {
    out[i] =
        array.IsNull(slots.begin + i)
            ? string_t()
            : duckdb::StringVector::AddString(
                  vector, columnar::DecimalText(array.Bytes(slots.begin + i), array.type->scale));
  }
  return Status::Ok();
}

void FillUuid(const Array& array, const Slots& slots, Vector& vector) {
  auto* out = FlatVector::GetData<duckdb::hugeint_t>(vector) + slots.at;
  const uint8_t* in = array.values->data() + slots.begin * 16;
  for (int64_t i = 0; i < slots.count; ++i, in += 16) {
    uint64_t upper = 0, lower = 0;
    for (int k = 0; k < 8; ++k) {
      upper = upper << 8 | in[k];
      lower = lower << 8 | in[k + 8];
    }
    // The engine keeps them in the order of signed numbers.
    out[i].upper = static_cast<int64_t>(upper ^ uint64_t{1} << 63);
    out[i].lower = lower;
  }
}

/// A count of `unit` in micros; false when it does not fit.
bool ToMicros(int64_t value, TimeUnit unit, int64_t* out) {
  return !__builtin_mul_overflow(value, 1'000'000 / kUnitsPerSecond[static_cast<size_t>(unit)],
                                 out);
}

Status FillTime(const Array& array, const Slots& slots, Vector& vector) {
  const TimeUnit unit = array.type->unit;
  const int64_t day = kSecondsPerDay * kUnitsPerSecond[static_cast<size_t>(unit)];
  const auto convert = [&](int64_t value, int64_t* out) {
    if (value < 0 || value > day) {
      return false;
    }
    if (unit == TimeUnit::kNano) {
      *out = value;
      return true;
    }
    return ToMicros(value, unit, out);
  };
  const bool filled = array.type->id == TypeId::kTime32
                          ? ConvertFixed<int32_t, int64_t>(array, slots, vector, convert)
                          : ConvertFixed<int64_t, int64_t>(array, slots, vector, convert);
  return filled ? Status::Ok() : Status::Corruption("a time of day lies outside the day");
}

Status BeyondRange(const Array& array) {
  return Status::Unsupported("a value of type {} lies beyond the range of the SQL engine",
                             columnar::ToString(*array.type));
}

Status FillTimestamp(const Array& array, const Slots& slots, Vector& vector) {
  const bool scaled = !array.type->timezone.empty() && array.type->unit != TimeUnit::kNano;
  const bool filled =
      ConvertFixed<int64_t, int64_t>(array, slots, vector, [&](int64_t value, int64_t* out) {
        *out = value;
        // The smallest number is no instant to the engine.
        return value != std::numeric_limits<int64_t>::min() &&
               (!scaled || ToMicros(value, array.type->unit, out));
      });
  return filled ? Status::Ok() : BeyondRange(array);
}

Status FillDuration(const Array& array, const Slots& slots, Vector& vector) {
  if (array.type->unit == TimeUnit::kNano) {
    CopyFixed(array, sizeof(int64_t), slots, vector);
    return Status::Ok();
  }
  const bool filled = ConvertFixed<int64_t, duckdb::interval_t>(
      array, slots, vector, [&](int64_t value, duckdb::interval_t* out) {
        out->months = out->days = 0;
        return ToMicros(value, array.type->unit, &out->micros);
      });
  return filled ? Status::Ok() : BeyondRange(array);
}

Status FillDate64(const Array& array, const Slots& slots, Vector& vector) {
  const bool filled =
      ConvertFixed<int64_t, int32_t>(array, slots, vector, [](int64_t value, int32_t* out) {
        const int64_t days = value / kMillisPerDay - (value % kMillisPerDay < 0 ? 1 : 0);
        *out = static_cast<int32_t>(days);
        return days == *out;
      });
  return filled ? Status::Ok() : BeyondRange(array);
}

/// Offsets of text and lists, of whichever width.
template <typename Use>
auto WithOffsets(const Array& array, Use use) {
  return columnar::HasLargeOffsets(array.type->id) ? use(array.offsets->as<int64_t>())
                                                   : use(array.offsets->as<int32_t>());
}

Status FillText(const ArrayPtr& array, const Slots& slots, Vector& vector) {
  const char* bytes = array->values == nullptr ? nullptr : array->values->as<char>();
  string_t* out = FlatVector::GetData<string_t>(vector) + slots.at;
  bool by_reference = false, fits = true;
  WithOffsets(*array, [&](const auto* offsets) {
    for (int64_t i = 0; i < slots.count; ++i) {
      const auto from = offsets[slots.begin + i];
      const auto size = static_cast<uint64_t>(offsets[slots.begin + i + 1] - from);
      fits = fits && size <= std::numeric_limits<uint32_t>::max();
      out[i] = string_t(size == 0 ? "" : bytes + from, static_cast<uint32_t>(size));
      by_reference |= !out[i].IsInlined();
    }
  });
  if (!fits) {
    return Status::Unsupported("a cell is larger than 4 GiB, more than the SQL engine can hold");
  }
  if (by_reference) {
    duckdb::StringVector::AddBuffer(vector, duckdb::make_buffer<ArrayOwner>(array));
  }
  return Status::Ok();
}

void FillFixedText(const ArrayPtr& array, const Slots& slots, Vector& vector) {
  string_t* out = FlatVector::GetData<string_t>(vector) + slots.at;
  const uint32_t width = array->type->width;
  for (int64_t i = 0; i < slots.count; ++i) {
    out[i] =
        string_t(array->values->as<char>() + static_cast<size_t>(slots.begin + i) * width, width);
  }
  if (width > string_t::INLINE_LENGTH) {
    duckdb::StringVector::AddBuffer(vector, duckdb::make_buffer<ArrayOwner>(array));
  }
}

void FillBooleans(const Array& array, const Slots& slots, Vector& vector) {
  bool* out = FlatVector::GetData<bool>(vector) + slots.at;
  for (int64_t i = 0; i < slots.count; ++i) {
    out[i] = array.Bit(slots.begin + i);
  }
}

const DataType& ItemType(const DataType& list) { return *list.children.at(0).type; }

/// Appends `count` items from `first` on to the list vector; gives their place in it.
Status AppendItems(const DataType& item, const ArrayPtr& items, int64_t first, int64_t count,
                   idx_t* place, Vector& vector) {
  *place = ListVector::GetListSize(vector);
  const idx_t size = *place + static_cast<idx_t>(count);
  ListVector::Reserve(vector, size);
  PCHRONICLE_RETURN_IF_ERROR(
      FillFromArray(item, items, first, count, *place, ListVector::GetEntry(vector)));
  ListVector::SetListSize(vector, size);
  return Status::Ok();
}

Status FillList(const DataType& type, const Array& array, const Slots& slots, Vector& vector) {
  auto* out = FlatVector::GetData<duckdb::list_entry_t>(vector) + slots.at;
  const int64_t first = array.Offset(slots.begin);
  const int64_t items = array.Offset(slots.begin + slots.count) - first;
  idx_t place = 0;
  PCHRONICLE_RETURN_IF_ERROR(
      AppendItems(ItemType(type), array.children.at(0), first, items, &place, vector));
  WithOffsets(array, [&](const auto* offsets) {
    for (int64_t i = 0; i < slots.count; ++i) {
      const auto from = offsets[slots.begin + i], to = offsets[slots.begin + i + 1];
      out[i] = duckdb::list_entry_t(place + static_cast<idx_t>(from - first),
                                    static_cast<idx_t>(to - from));
    }
  });
  return Status::Ok();
}

Status FillFixedList(const DataType& type, const Array& array, const Slots& slots, Vector& vector) {
  const int64_t width = type.width;
  const ArrayPtr& items = array.children.at(0);
  if (vector.GetType().id() == LogicalTypeId::ARRAY) {
    return FillFromArray(ItemType(type), items, slots.begin * width, slots.count * width,
                         slots.at * type.width, duckdb::ArrayVector::GetEntry(vector));
  }
  idx_t place = 0;
  PCHRONICLE_RETURN_IF_ERROR(
      AppendItems(ItemType(type), items, slots.begin * width, slots.count * width, &place, vector));
  auto* out = FlatVector::GetData<duckdb::list_entry_t>(vector) + slots.at;
  for (int64_t i = 0; i < slots.count; ++i) {
    out[i] = duckdb::list_entry_t(place + static_cast<idx_t>(i * width), type.width);
  }
  return Status::Ok();
}

Status FillStruct(const DataType& type, const Array& array, const Slots& slots, Vector& vector) {
  auto& members = duckdb::StructVector::GetEntries(vector);
  size_t next = 0;  // of the array: members that were not asked for are left out of it
  for (size_t i = 0; i < type.children.size(); ++i) {
    Vector& member = *members[i];
    if (next < array.children.size() && array.type->children[next].name == type.children[i].name) {
      PCHRONICLE_RETURN_IF_ERROR(FillFromArray(*type.children[i].type, array.children[next],
                                               slots.begin, slots.count, slots.at, member));
      ++next;
    } else {
      SetAllNull(slots, member);
    }
  }
  return Status::Ok();
}

Status FillValues(const DataType& type, const ArrayPtr& array, const Slots& slots, Vector& vector) {
  switch (type.id) {
    case TypeId::kBool:
      FillBooleans(*array, slots, vector);
      return Status::Ok();
    case TypeId::kHalf:
      ConvertFixed<uint16_t, float>(*array, slots, vector, [](uint16_t value, float* out) {
        *out = HalfToFloat(value);
        return true;
      });
      return Status::Ok();
    case TypeId::kDecimal128:
    case TypeId::kDecimal256:
      return vector.GetType().id() == LogicalTypeId::DECIMAL
                 ? FillDecimal(*array, slots, vector)
                 : FillDecimalText(*array, slots, vector);
    case TypeId::kDate64:
      return FillDate64(*array, slots, vector);
    case TypeId::kTime32:
    case TypeId::kTime64:
      return FillTime(*array, slots, vector);
    case TypeId::kTimestamp:
      return FillTimestamp(*array, slots, vector);
    case TypeId::kDuration:
      return FillDuration(*array, slots, vector);
    case TypeId::kFixedBinary:
      if (vector.GetType().id() == LogicalTypeId::UUID) {
        FillUuid(*array, slots, vector);
      } else {
        FillFixedText(array, slots, vector);
      }
      return Status::Ok();
    case TypeId::kUtf8:
    case TypeId::kLargeUtf8:
    case TypeId::kBinary:
    case TypeId::kLargeBinary:
      return FillText(array, slots, vector);
    case TypeId::kStruct:
      return FillStruct(type, *array, slots, vector);
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kMap:
      return FillList(type, *array, slots, vector);
    case TypeId::kFixedSizeList:
      return FillFixedList(type, *array, slots, vector);
    default:
      CopyFixed(*array, columnar::ByteWidth(type), slots, vector);
      return Status::Ok();
  }
}

}  // namespace

Status FillFromArray(const DataType& type, const ArrayPtr& array, int64_t begin, int64_t count,
                     idx_t at, Vector& vector) {
  const Slots slots{begin, count, at};
  if (count == 0) {
    return Status::Ok();  // there may be no buffers at all
  }
  if (vector.GetType().id() == LogicalTypeId::SQLNULL) {
    SetAllNull(slots, vector);
    return Status::Ok();
  }
  PCHRONICLE_RETURN_IF_ERROR(FillValues(type, array, slots, vector));
  // After the values: a null struct makes what lies below it null.
  FillValidity(*array, slots, vector);
  return Status::Ok();
}

}  // namespace pchronicle::sql
