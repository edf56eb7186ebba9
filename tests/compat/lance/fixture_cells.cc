#include "fixture_cells.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "sha256.h"

namespace pchronicle::lance::testing_support {
namespace {

using columnar::Array;
using columnar::TimeUnit;
using columnar::TypeId;

/// Longer texts are given by length and hash.
constexpr size_t kLongText = 2000;

size_t Characters(std::string_view text) {
  size_t count = 0;
  for (const char c : text) {
    count += (static_cast<uint8_t>(c) & 0xc0) != 0x80 ? 1 : 0;
  }
  return count;
}

std::string DiffText(const json::Value& expected, std::string_view text) {
  if (Characters(text) <= kLongText) {
    return expected.is_string() && expected.string() == text
               ? ""
               : fmt::format("'{}' expected {}", text, expected.raw().text);
  }
  const bool same = expected.Find("$len").raw().text == std::to_string(Characters(text)) &&
                    expected.Find("$sha256").string() == Sha256Hex(text);
  return same ? "" : fmt::format("text of {} bytes expected {}", text.size(), expected.raw().text);
}

std::string Hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) {
    hex += fmt::format("{:02x}", static_cast<uint8_t>(c));
  }
  return hex;
}

/// Decimal text without zeros at the end of its fraction.
std::string Normal(std::string_view number) {
  std::string text(number);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
      text.pop_back();
    }
  }
  return text == "-0" ? "0" : text;
}

std::string Milliseconds(int64_t value, TimeUnit unit) {
  if (unit == TimeUnit::kSecond || unit == TimeUnit::kMilli) {
    return fmt::format("{}", unit == TimeUnit::kSecond ? value * 1000 : value);
  }
  const uint64_t scale = unit == TimeUnit::kMicro ? 1000 : 1000000;
  const uint64_t size = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return Normal(fmt::format("{}{}.{:0{}}", value < 0 ? "-" : "", size / scale, size % scale,
                            unit == TimeUnit::kMicro ? 3 : 6));
}

double HalfToDouble(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                                       : std::ldexp(1024 + fraction, exponent - 25);
  return (half >> 15) != 0 ? -size : size;
}

std::string DiffDouble(const json::Value& expected, double value) {
  if (expected.is_string()) {
    const std::string_view text = expected.string();
    const bool same = std::isnan(value)   ? text == "NaN"
                      : std::isinf(value) ? text == (value > 0 ? "Infinity" : "-Infinity")
                                          : false;
    return same ? "" : fmt::format("{} expected '{}'", value, text);
  }
  const std::string text(expected.raw().text);
  return std::strtod(text.c_str(), nullptr) == value ? ""
                                                     : fmt::format("{} expected {}", value, text);
}

std::string DiffNumber(const json::Value& expected, const std::string& text) {
  const std::string_view given = expected.is_string() ? expected.string() : expected.raw().text;
  return Normal(given) == text ? "" : fmt::format("{} expected {}", text, given);
}

std::string DiffWords(const json::Value& expected, std::string_view bytes) {
  for (size_t i = 0; i < bytes.size() / 4; ++i) {
    uint32_t word;
    std::memcpy(&word, bytes.data() + i * 4, 4);
    if (expected.At(i).raw().text != std::to_string(word)) {
      return fmt::format("word {} is {} expected {}", i, word, expected.raw().text);
    }
  }
  return "";
}

std::string DiffItems(const json::Value& expected, const Array& items, int64_t begin, int64_t end) {
  if (!expected.is_array() || expected.size() != static_cast<size_t>(end - begin)) {
    return fmt::format("list of {} expected {}", end - begin, expected.raw().text);
  }
  for (int64_t i = begin; i < end; ++i) {
    std::string diff = DiffCell(expected.At(static_cast<size_t>(i - begin)), items, i);
    if (!diff.empty()) {
      return fmt::format("[{}] {}", i - begin, diff);
    }
  }
  return "";
}

std::string DiffStruct(const json::Value& expected, const Array& array, int64_t row) {
  if (!expected.is_object() || expected.size() != array.children.size()) {
    return fmt::format("struct expected {}", expected.raw().text);
  }
  for (size_t i = 0; i < array.children.size(); ++i) {
    const std::string& name = array.type->children[i].name;
    std::string diff = DiffCell(expected.Find(name), *array.children[i], row);
    if (!diff.empty()) {
      return fmt::format(".{} {}", name, diff);
    }
  }
  return "";
}

std::string Integer(const Array& array, int64_t row) {
  switch (array.type->id) {
    case TypeId::kInt8:
      return fmt::format("{}", int{array.Value<int8_t>(row)});
    case TypeId::kInt16:
      return fmt::format("{}", array.Value<int16_t>(row));
    case TypeId::kInt32:
      return fmt::format("{}", array.Value<int32_t>(row));
    case TypeId::kUint8:
      return fmt::format("{}", unsigned{array.Value<uint8_t>(row)});
    case TypeId::kUint16:
      return fmt::format("{}", array.Value<uint16_t>(row));
    case TypeId::kUint32:
      return fmt::format("{}", array.Value<uint32_t>(row));
    case TypeId::kUint64:
      return fmt::format("{}", array.Value<uint64_t>(row));
    default:
      return fmt::format("{}", array.Value<int64_t>(row));
  }
}

}  // namespace

std::string DiffCell(const json::Value& expected, const Array& array, int64_t row) {
  if (array.IsNull(row) || !expected.has_value()) {
    return array.IsNull(row) && expected.present() && !expected.has_value()
               ? ""
               : fmt::format("{} expected {}", array.IsNull(row) ? "null" : "a value",
                             expected.raw().text);
  }
  const columnar::DataType& type = *array.type;
  switch (type.id) {
    case TypeId::kBool:
      return expected.raw().text == (array.Bit(row) ? "true" : "false") ? "" : "other bool";
    case TypeId::kUtf8:
    case TypeId::kLargeUtf8:
      return DiffText(expected, array.Bytes(row));
    case TypeId::kBinary:
    case TypeId::kLargeBinary:
    case TypeId::kFixedBinary:
      return DiffText(expected, Hex(array.Bytes(row)));
    case TypeId::kHalf:
      return DiffDouble(expected, HalfToDouble(array.Value<uint16_t>(row)));
    case TypeId::kFloat:
      return DiffDouble(expected, static_cast<double>(array.Value<float>(row)));
    case TypeId::kDouble:
      return DiffDouble(expected, array.Value<double>(row));
    case TypeId::kDecimal128:
    case TypeId::kDecimal256:
      return DiffWords(expected, array.Bytes(row));
    case TypeId::kDate32:
      return DiffNumber(expected, fmt::format("{}", int64_t{array.Value<int32_t>(row)} * 86400000));
    case TypeId::kTime32:
      return DiffNumber(expected, Milliseconds(array.Value<int32_t>(row), type.unit));
    case TypeId::kTime64:
    case TypeId::kTimestamp:
    case TypeId::kDuration:
      return DiffNumber(expected, Milliseconds(array.Value<int64_t>(row), type.unit));
    case TypeId::kStruct:
      return DiffStruct(expected, array, row);
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kMap:
      return DiffItems(expected, *array.children[0], array.Offset(row), array.Offset(row + 1));
    case TypeId::kFixedSizeList:
      return DiffItems(expected, *array.children[0], row * type.width, (row + 1) * type.width);
    default:
      return DiffNumber(expected, Integer(array, row));
  }
}

}  // namespace pchronicle::lance::testing_support
