#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "pchronicle/columnar/predicate.h"

// The comparisons of predicates. Every ordered fixed-width value is mapped to an integer key of the
// same order, so that each operator is a test for an interval of keys.

namespace pchronicle::columnar {
namespace {

// Wide enough for the keys of all 64-bit types, and for bounds outside them.
using Key = __int128;
constexpr Key kBelowAll = -(Key{1} << 100);
constexpr Key kAboveAll = Key{1} << 100;

// Where a literal stands between the keys of a column: at `floor`, or just above it.
struct Position {
  Key floor = 0;
  bool exact = true;
};

// -0 and 0 share a key, as do all NaN, which are above infinity.
int64_t FloatKey(double value) {
  if (std::isnan(value)) {
    return INT64_MAX;
  }
  const auto bits = std::bit_cast<int64_t>(value == 0 ? 0.0 : value);
  return bits >= 0 ? bits : std::numeric_limits<int64_t>::min() - bits;
}

double HalfToDouble(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const double fraction = bits & 0x3ff;
  const double size = exponent == 0      ? std::ldexp(fraction, -24)
                      : exponent == 0x1f ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                                         : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

bool IsFloat(TypeId id) {
  return id == TypeId::kHalf || id == TypeId::kFloat || id == TypeId::kDouble;
}

Result<Position> IntegerPosition(const Scalar& value) {
  if (const bool* b = std::get_if<bool>(&value)) {
    return Position{*b ? 1 : 0, true};
  }
  if (const int64_t* i = std::get_if<int64_t>(&value)) {
    return Position{*i, true};
  }
  if (const uint64_t* u = std::get_if<uint64_t>(&value)) {
    return Position{static_cast<Key>(*u), true};
  }
  if (const double* d = std::get_if<double>(&value)) {
    if (std::isnan(*d) || *d >= 0x1p99) {
      return Position{kAboveAll, false};
    }
    if (*d <= -0x1p99) {
      return Position{kBelowAll, false};
    }
    const double floor = std::floor(*d);
    return Position{static_cast<Key>(floor), floor == *d};
  }
  return Status::InvalidArgument("text cannot be compared with a number");
}

// Between the doubles; exact for every integer that a double can hold, else above the one below.
Result<Position> FloatPosition(const Scalar& value) {
  if (const double* d = std::get_if<double>(&value)) {
    return Position{FloatKey(*d), true};
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const Position integer, IntegerPosition(value));
  const auto near = static_cast<double>(integer.floor);
  const auto back = static_cast<Key>(near);
  if (back == integer.floor) {
    return Position{FloatKey(near), true};
  }
  return Position{FloatKey(back < integer.floor ? near : std::nextafter(near, -HUGE_VAL)), false};
}

// An inclusive interval of keys, or everything outside it.
struct Interval {
  Key low = kBelowAll, high = kAboveAll;
  bool outside = false;
};

Interval IntervalOf(CompareOp op, const Position& at) {
  const Key above = at.floor + 1;                        // first key above the literal
  const Key below = at.exact ? at.floor - 1 : at.floor;  // last key below it
  switch (op) {
    case CompareOp::kEq:
    case CompareOp::kNe:
      // A literal between two keys equals none: an empty interval.
      return {at.floor, at.exact ? at.floor : at.floor - 1, op == CompareOp::kNe};
    case CompareOp::kLt:
      return {kBelowAll, below, false};
    case CompareOp::kLe:
      return {kBelowAll, at.floor, false};
    case CompareOp::kGt:
      return {above, kAboveAll, false};
    case CompareOp::kGe:
      return {at.exact ? at.floor : above, kAboveAll, false};
  }
  return {};
}

void SetNulls(const Array& array, Truths* out) {
  if (array.validity == nullptr) {
    return;
  }
  for (int64_t i = 0; i < array.length; ++i) {
    if (array.IsNull(i)) {
      (*out)[static_cast<size_t>(i)] = Truth::kNull;
    }
  }
}

// Calls `test(key)` for every slot; T is what the buffer holds.
template <typename T, typename ToKey, typename Test>
Truths TestSlots(const Array& array, ToKey to_key, Test test) {
  Truths out(static_cast<size_t>(array.length));
  const T* values = array.values->as<T>();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = test(to_key(values[i])) ? Truth::kTrue : Truth::kFalse;
  }
  SetNulls(array, &out);
  return out;
}

// Dispatches on the type; `test` is a template over the key type (int64_t or uint64_t).
template <typename Test>
Result<Truths> TestFixed(const Array& array, Test test) {
  const auto widen_signed = [](auto v) { return static_cast<int64_t>(v); };
  const auto widen_unsigned = [](auto v) { return static_cast<uint64_t>(v); };
  switch (array.type->id) {
    case TypeId::kBool: {
      Truths out(static_cast<size_t>(array.length));
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = test(int64_t{array.Bit(static_cast<int64_t>(i))}) ? Truth::kTrue : Truth::kFalse;
      }
      SetNulls(array, &out);
      return out;
    }
    case TypeId::kInt8:
      return TestSlots<int8_t>(array, widen_signed, test);
    case TypeId::kInt16:
      return TestSlots<int16_t>(array, widen_signed, test);
    case TypeId::kInt32:
    case TypeId::kDate32:
    case TypeId::kTime32:
      return TestSlots<int32_t>(array, widen_signed, test);
    case TypeId::kInt64:
    case TypeId::kDate64:
    case TypeId::kTime64:
    case TypeId::kTimestamp:
    case TypeId::kDuration:
      return TestSlots<int64_t>(array, widen_signed, test);
    case TypeId::kUint8:
      return TestSlots<uint8_t>(array, widen_unsigned, test);
    case TypeId::kUint16:
      return TestSlots<uint16_t>(array, widen_unsigned, test);
    case TypeId::kUint32:
      return TestSlots<uint32_t>(array, widen_unsigned, test);
    case TypeId::kUint64:
      return TestSlots<uint64_t>(array, widen_unsigned, test);
    case TypeId::kHalf:
      return TestSlots<uint16_t>(
          array, [](uint16_t v) { return FloatKey(HalfToDouble(v)); }, test);
    case TypeId::kFloat:
      return TestSlots<float>(
          array, [](float v) { return FloatKey(v); }, test);
    case TypeId::kDouble:
      return TestSlots<double>(
          array, [](double v) { return FloatKey(v); }, test);
    default:
      return Status::Unsupported("values of type {} cannot be compared", ToString(*array.type));
  }
}

// Bounds in the domain of a 64-bit key type; empty when nothing of it lies inside.
template <typename T>
struct Bounds {
  T low = 1, high = 0;
  explicit Bounds(const Interval& interval) {
    constexpr Key kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
    if (interval.low <= interval.high && interval.low <= kMax && interval.high >= kMin) {
      low = static_cast<T>(std::max(interval.low, kMin));
      high = static_cast<T>(std::min(interval.high, kMax));
    }
  }
};

bool TextHolds(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kEq:
      return order == 0;
    case CompareOp::kNe:
      return order != 0;
    case CompareOp::kLt:
      return order < 0;
    case CompareOp::kLe:
      return order <= 0;
    case CompareOp::kGt:
      return order > 0;
    case CompareOp::kGe:
      return order >= 0;
  }
  return false;
}

bool IsText(TypeId id) { return IsVariable(id) || id == TypeId::kFixedBinary; }

Result<std::string_view> TextOf(const Scalar& value, const Array& array) {
  if (const std::string* text = std::get_if<std::string>(&value)) {
    return std::string_view(*text);
  }
  return Status::InvalidArgument("a number cannot be compared with {}", ToString(*array.type));
}

Result<Position> PositionIn(const Array& array, const Scalar& value) {
  return IsFloat(array.type->id) ? FloatPosition(value) : IntegerPosition(value);
}

}  // namespace

std::optional<Scalar> ScalarAt(const Array& array, int64_t slot) {
  if (array.IsNull(slot)) {
    return std::nullopt;
  }
  switch (array.type->id) {
    case TypeId::kBool:
      return array.Bit(slot);
    case TypeId::kInt8:
      return int64_t{array.Value<int8_t>(slot)};
    case TypeId::kInt16:
      return int64_t{array.Value<int16_t>(slot)};
    case TypeId::kInt32:
    case TypeId::kDate32:
    case TypeId::kTime32:
      return int64_t{array.Value<int32_t>(slot)};
    case TypeId::kInt64:
    case TypeId::kDate64:
    case TypeId::kTime64:
    case TypeId::kTimestamp:
    case TypeId::kDuration:
      return array.Value<int64_t>(slot);
    case TypeId::kUint8:
      return uint64_t{array.Value<uint8_t>(slot)};
    case TypeId::kUint16:
      return uint64_t{array.Value<uint16_t>(slot)};
    case TypeId::kUint32:
      return uint64_t{array.Value<uint32_t>(slot)};
    case TypeId::kUint64:
      return array.Value<uint64_t>(slot);
    case TypeId::kHalf:
      return HalfToDouble(array.Value<uint16_t>(slot));
    case TypeId::kFloat:
      return double{array.Value<float>(slot)};
    case TypeId::kDouble:
      return array.Value<double>(slot);
    default:
      return IsText(array.type->id) ? std::optional<Scalar>(std::string(array.Bytes(slot)))
                                    : std::nullopt;
  }
}

Result<Truths> EvaluateCompare(const Array& array, CompareOp op, const Scalar& value) {
  if (array.type->id == TypeId::kNull) {
    return Truths(static_cast<size_t>(array.length), Truth::kNull);
  }
  if (IsText(array.type->id)) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view text, TextOf(value, array));
    Truths out(static_cast<size_t>(array.length));
    for (size_t i = 0; i < out.size(); ++i) {
      const bool holds = TextHolds(op, array.Bytes(static_cast<int64_t>(i)).compare(text));
      out[i] = holds ? Truth::kTrue : Truth::kFalse;
    }
    SetNulls(array, &out);
    return out;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const Position at, PositionIn(array, value));
  const Interval interval = IntervalOf(op, at);
  const Bounds<int64_t> with_sign(interval);
  const Bounds<uint64_t> without(interval);
  return TestFixed(array, [&](auto key) {
    bool inside;
    if constexpr (std::is_same_v<decltype(key), int64_t>) {
      inside = key >= with_sign.low && key <= with_sign.high;
    } else {
      inside = key >= without.low && key <= without.high;
    }
    return inside != interval.outside;
  });
}

Result<Truths> EvaluateIn(const Array& array, const std::vector<Scalar>& values) {
  if (array.type->id == TypeId::kNull) {
    return Truths(static_cast<size_t>(array.length), Truth::kNull);
  }
  if (IsText(array.type->id)) {
    std::vector<std::string_view> texts;
    for (const Scalar& value : values) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view text, TextOf(value, array));
      texts.push_back(text);
    }
    std::sort(texts.begin(), texts.end());
    Truths out(static_cast<size_t>(array.length));
    for (size_t i = 0; i < out.size(); ++i) {
      const bool hit =
          std::binary_search(texts.begin(), texts.end(), array.Bytes(static_cast<int64_t>(i)));
      out[i] = hit ? Truth::kTrue : Truth::kFalse;
    }
    SetNulls(array, &out);
    return out;
  }
  std::vector<int64_t> with_sign;
  std::vector<uint64_t> without;
  for (const Scalar& value : values) {
    PCHRONICLE_ASSIGN_OR_RETURN(const Position at, PositionIn(array, value));
    if (!at.exact) {
      continue;  // equals nothing
    }
    if (at.floor >= INT64_MIN && at.floor <= INT64_MAX) {
      with_sign.push_back(static_cast<int64_t>(at.floor));
    }
    if (at.floor >= 0 && at.floor <= Key{UINT64_MAX}) {
      without.push_back(static_cast<uint64_t>(at.floor));
    }
  }
  std::sort(with_sign.begin(), with_sign.end());
  std::sort(without.begin(), without.end());
  return TestFixed(array, [&](auto key) {
    if constexpr (std::is_same_v<decltype(key), int64_t>) {
      return std::binary_search(with_sign.begin(), with_sign.end(), key);
    } else {
      return std::binary_search(without.begin(), without.end(), key);
    }
  });
}

}  // namespace pchronicle::columnar
