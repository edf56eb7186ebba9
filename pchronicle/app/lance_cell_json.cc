#include "pchronicle/app/lance_cell_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "pchronicle/base/base64.h"
#include "pchronicle/base/terminal_text.h"
#include "pchronicle/base/timestamp.h"
#include "pchronicle/columnar/decimal_text.h"
#include "pchronicle/columnar/predicate.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::app {
namespace {

using columnar::Array;
using columnar::TimeUnit;
using columnar::TypeId;

constexpr int64_t kUnitsPerSecond[] = {1, 1'000, 1'000'000, 1'000'000'000};
constexpr std::string_view kUnitNames[] = {"s", "ms", "us", "ns"};
constexpr int64_t kSecondsPerDay = 86'400;

void WriteNumber(double value, json::Writer* out) {
  if (std::isfinite(value)) {
    out->Double(value);
  } else {
    out->String(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
  }
}

std::string TimeOfDay(int64_t value, TimeUnit unit) {
  const int64_t per_second = kUnitsPerSecond[static_cast<size_t>(unit)];
  if (value < 0 || value >= kSecondsPerDay * per_second) {
    return fmt::format("{}{}", value, kUnitNames[static_cast<size_t>(unit)]);
  }
  const int64_t seconds = value / per_second;
  std::string out =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (unit != TimeUnit::kSecond) {
    out += fmt::format(".{:0{}}", value % per_second, 3 * static_cast<int>(unit));
  }
  return out;
}

// Instants outside the range of nanoseconds are shown as the number with its unit.
std::string Instant(int64_t value, TimeUnit unit, bool utc) {
  const int64_t factor = 1'000'000'000 / kUnitsPerSecond[static_cast<size_t>(unit)];
  int64_t nanoseconds = 0;
  if (__builtin_mul_overflow(value, factor, &nanoseconds)) {
    return fmt::format("{}{}", value, kUnitNames[static_cast<size_t>(unit)]);
  }
  std::string text = FormatTimestamp(nanoseconds);
  if (!utc && text.ends_with('Z')) {
    text.pop_back();  // a wall clock of nowhere
  }
  return text;
}

std::string Day(int64_t days) {
  int64_t nanoseconds = 0;
  if (__builtin_mul_overflow(days, kSecondsPerDay * 1'000'000'000, &nanoseconds)) {
    return fmt::format("{}d", days);
  }
  return FormatTimestamp(nanoseconds).substr(0, 10);
}

void WriteItems(const Array& items, int64_t begin, int64_t end, json::Writer* out) {
  out->BeginArray();
  for (int64_t i = begin; i < end; ++i) {
    WriteCell(items, i, out);
  }
  out->EndArray();
}

void WriteFixed(const Array& array, int64_t slot, json::Writer* out) {
  const columnar::DataType& type = *array.type;
  switch (type.id) {
    case TypeId::kInt8:
      return out->Int(array.Value<int8_t>(slot));
    case TypeId::kInt16:
      return out->Int(array.Value<int16_t>(slot));
    case TypeId::kInt32:
      return out->Int(array.Value<int32_t>(slot));
    case TypeId::kInt64:
      return out->Int(array.Value<int64_t>(slot));
    case TypeId::kUint8:
      return out->UInt(array.Value<uint8_t>(slot));
    case TypeId::kUint16:
      return out->UInt(array.Value<uint16_t>(slot));
    case TypeId::kUint32:
      return out->UInt(array.Value<uint32_t>(slot));
    case TypeId::kUint64:
      return out->UInt(array.Value<uint64_t>(slot));
    case TypeId::kHalf:
    case TypeId::kFloat:
    case TypeId::kDouble:
      return WriteNumber(std::get<double>(*columnar::ScalarAt(array, slot)), out);
    case TypeId::kDecimal128:
    case TypeId::kDecimal256:
      return out->String(columnar::DecimalText(array.Bytes(slot), type.scale));
    case TypeId::kDate32:
      return out->String(Day(array.Value<int32_t>(slot)));
    case TypeId::kDate64:
      return out->String(Instant(array.Value<int64_t>(slot), TimeUnit::kMilli, false));
    case TypeId::kTime32:
      return out->String(TimeOfDay(array.Value<int32_t>(slot), type.unit));
    case TypeId::kTime64:
      return out->String(TimeOfDay(array.Value<int64_t>(slot), type.unit));
    case TypeId::kTimestamp:
      return out->String(Instant(array.Value<int64_t>(slot), type.unit, !type.timezone.empty()));
    default:
      return out->String(fmt::format("{}{}", array.Value<int64_t>(slot),
                                     kUnitNames[static_cast<size_t>(type.unit)]));
  }
}

}  // namespace

std::string ValidText(std::string_view text) {
  return json::IsValidUtf8(text) ? std::string(text) : EscapeText(text);
}

void WriteText(json::Writer* out, std::string_view text) { out->String(ValidText(text)); }

void WriteCell(const Array& array, int64_t slot, json::Writer* out) {
  if (array.IsNull(slot)) {
    return out->Null();
  }
  switch (array.type->id) {
    case TypeId::kNull:
      return out->Null();
    case TypeId::kBool:
      return out->Bool(array.Bit(slot));
    case TypeId::kUtf8:
    case TypeId::kLargeUtf8:
      if (json::IsValidUtf8(array.Bytes(slot))) {
        return out->String(array.Bytes(slot));
      }
      [[fallthrough]];
    case TypeId::kBinary:
    case TypeId::kLargeBinary:
    case TypeId::kFixedBinary:
      return out->String(EncodeBase64(array.Bytes(slot)));
    case TypeId::kStruct:
      out->BeginObject();
      for (size_t i = 0; i < array.children.size(); ++i) {
        out->Key(ValidText(array.type->children[i].name));
        WriteCell(*array.children[i], slot, out);
      }
      return out->EndObject();
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kMap:
      return WriteItems(*array.children[0], array.Offset(slot), array.Offset(slot + 1), out);
    case TypeId::kFixedSizeList:
      return WriteItems(*array.children[0], slot * array.type->width,
                        (slot + 1) * array.type->width, out);
    default:
      return WriteFixed(array, slot, out);
  }
}

}  // namespace pchronicle::app
