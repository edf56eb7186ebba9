#include "tests/compat/lance/expected_cell.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "pchronicle/base/terminal_text.h"
#include "pchronicle/columnar/predicate.h"
#include "tests/compat/lance/sha256.h"

namespace pchronicle::compat {
namespace {

using columnar::Array;
using columnar::TimeUnit;
using columnar::TypeId;
using json::Value;

constexpr size_t kLongText = 2000;  // characters; longer values are hashed

std::string Differs(const std::string& got, const Value& expected) {
  return fmt::format("{} expected {}", got.substr(0, 200), expected.raw().text.substr(0, 200));
}

std::string CompareText(const std::string& text, const Value& expected) {
  if (CountCharacters(text) <= kLongText) {
    return expected.is_string() && expected.string() == text ? "" : Differs(text, expected);
  }
  const bool same = expected.is_object() && expected.Find("$sha256").string() == Sha256Hex(text) &&
                    expected.Find("$len").raw().text == fmt::format("{}", CountCharacters(text));
  return same ? "" : Differs(text, expected);
}

std::string Hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += fmt::format("{:02x}", static_cast<uint8_t>(c));
  }
  return out;
}

std::string CompareWords(std::string_view bytes, const Value& expected) {
  std::string out = "[";
  for (size_t i = 0; i < bytes.size(); i += 4) {
    uint32_t word = 0;
    for (size_t k = 4; k-- > 0;) {
      word = word << 8 | static_cast<uint8_t>(bytes[i + k]);
    }
    out += fmt::format("{}{}", i == 0 ? "" : ",", word);
  }
  out += "]";
  std::string raw;
  for (const char c : expected.raw().text) {
    raw += c == ' ' ? "" : std::string(1, c);
  }
  return raw == out ? "" : Differs(out, expected);
}

std::string CompareDouble(double value, const Value& expected) {
  if (!std::isfinite(value)) {
    const std::string name = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    return expected.string() == name ? "" : Differs(name, expected);
  }
  double want = 0;
  const std::string_view text = expected.raw().text;
  std::from_chars(text.data(), text.data() + text.size(), want);
  return expected.is_number() && want == value ? "" : Differs(fmt::format("{}", value), expected);
}

// A JSON number with at most six digits behind the point, times 10^6.
bool ToMillionths(std::string_view text, __int128* out) {
  int exponent = 0;
  if (const size_t e = text.find_first_of("eE"); e != text.npos) {
    std::string_view digits = text.substr(e + 1);
    digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    text = text.substr(0, e);
  }
  *out = 0;
  int fraction = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.') {
      point = true;
    } else if (c != '-') {
      *out = *out * 10 + (c - '0');
      fraction += point ? 1 : 0;
    }
  }
  for (int scale = 6 + exponent - fraction; scale != 0; scale += scale > 0 ? -1 : 1) {
    if (scale < 0 && *out % 10 != 0) {
      return false;
    }
    *out = scale > 0 ? *out * 10 : *out / 10;
  }
  if (text.starts_with('-')) {
    *out = -*out;
  }
  return true;
}

std::string CompareTime(int64_t value, TimeUnit unit, const Value& expected) {
  constexpr int64_t kMillionths[] = {1'000'000'000, 1'000'000, 1'000, 1};
  const __int128 got = static_cast<__int128>(value) * kMillionths[static_cast<size_t>(unit)];
  __int128 want = 0;
  const bool same = expected.is_number() && ToMillionths(expected.raw().text, &want) && want == got;
  return same ? "" : Differs(fmt::format("{} (unit {})", value, static_cast<int>(unit)), expected);
}

std::string CompareList(const Array& items, int64_t begin, int64_t end, const Value& expected) {
  if (!expected.is_array() || expected.size() != static_cast<size_t>(end - begin)) {
    return Differs(fmt::format("{} items", end - begin), expected);
  }
  for (int64_t i = begin; i < end; ++i) {
    std::string found = CompareCell(items, i, expected.At(static_cast<size_t>(i - begin)));
    if (!found.empty()) {
      return fmt::format("[{}] {}", i - begin, found);
    }
  }
  return "";
}

std::string CompareStruct(const Array& array, int64_t slot, const Value& expected) {
  const auto& members = array.type->children;
  if (!expected.is_object() || expected.size() != members.size()) {
    return Differs(fmt::format("{} members", members.size()), expected);
  }
  for (size_t i = 0; i < members.size(); ++i) {
    const Value& want = expected.Find(members[i].name);
    std::string found = want.present() ? CompareCell(*array.children[i], slot, want)
                                       : std::string("is not expected");
    if (!found.empty()) {
      return fmt::format("{}: {}", members[i].name, found);
    }
  }
  return "";
}

template <typename T>
std::string CompareInt(const Array& array, int64_t slot, const Value& expected) {
  const std::string text = fmt::format("{}", static_cast<int64_t>(array.Value<T>(slot)));
  return expected.is_number() && expected.raw().text == text ? "" : Differs(text, expected);
}

}  // namespace

std::string CompareCell(const Array& array, int64_t slot, const Value& expected) {
  if (array.IsNull(slot)) {
    return expected.raw().text == "null" ? "" : Differs("null", expected);
  }
  switch (array.type->id) {
    case TypeId::kNull:
      break;
    case TypeId::kBool:
      return expected.raw().text == (array.Bit(slot) ? "true" : "false")
                 ? ""
                 : Differs(array.Bit(slot) ? "true" : "false", expected);
    case TypeId::kInt8:
      return CompareInt<int8_t>(array, slot, expected);
    case TypeId::kInt16:
      return CompareInt<int16_t>(array, slot, expected);
    case TypeId::kInt32:
      return CompareInt<int32_t>(array, slot, expected);
    case TypeId::kUint8:
      return CompareInt<uint8_t>(array, slot, expected);
    case TypeId::kUint16:
      return CompareInt<uint16_t>(array, slot, expected);
    case TypeId::kUint32:
      return CompareInt<uint32_t>(array, slot, expected);
    case TypeId::kInt64:
      return CompareText(fmt::format("{}", array.Value<int64_t>(slot)), expected);
    case TypeId::kUint64:
      return CompareText(fmt::format("{}", array.Value<uint64_t>(slot)), expected);
    case TypeId::kHalf:
    case TypeId::kFloat:
    case TypeId::kDouble:
      return CompareDouble(std::get<double>(*columnar::ScalarAt(array, slot)), expected);
    case TypeId::kDecimal128:
    case TypeId::kDecimal256:
      return CompareWords(array.Bytes(slot), expected);
    case TypeId::kDate32:
      return CompareTime(int64_t{array.Value<int32_t>(slot)} * 86'400, TimeUnit::kSecond, expected);
    case TypeId::kDate64:
      return CompareTime(array.Value<int64_t>(slot), TimeUnit::kMilli, expected);
    case TypeId::kTime32:
      return CompareTime(array.Value<int32_t>(slot), array.type->unit, expected);
    case TypeId::kTime64:
    case TypeId::kTimestamp:
    case TypeId::kDuration:
      return CompareTime(array.Value<int64_t>(slot), array.type->unit, expected);
    case TypeId::kUtf8:
    case TypeId::kLargeUtf8:
      return CompareText(std::string(array.Bytes(slot)), expected);
    case TypeId::kFixedBinary:
    case TypeId::kBinary:
    case TypeId::kLargeBinary:
      return CompareText(Hex(array.Bytes(slot)), expected);
    case TypeId::kStruct:
      return CompareStruct(array, slot, expected);
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kMap:
      return CompareList(*array.children[0], array.Offset(slot), array.Offset(slot + 1), expected);
    case TypeId::kFixedSizeList:
      return CompareList(*array.children[0], slot * array.type->width,
                         (slot + 1) * array.type->width, expected);
  }
  return "type is not compared";
}

}  // namespace pchronicle::compat
