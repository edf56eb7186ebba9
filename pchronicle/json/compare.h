#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "pchronicle/json/value.h"

namespace pchronicle::json {

/// Compares the exact decimal values of two JSON numbers: 1, 1.0 and 10e-1 are equal, 2^64 and 2^64
/// + 1 are not.
bool SameNumber(std::string_view a, std::string_view b);
/// Order of the exact decimal values. Unordered: two numbers that differ in text and whose
/// exponents are both beyond 2^60 on the same side.
std::partial_ordering CompareNumbers(std::string_view a, std::string_view b);

/// Equal in meaning (formats.md 1.4): object members whose value is null count as absent,
/// recursively; key order does not matter, of duplicate keys the last counts; numbers by exact
/// decimal value; null elements of arrays are kept.
bool SameMeaning(const Value& a, const Value& b);
/// False also when one of the texts is no JSON.
bool SameMeaning(std::string_view a, std::string_view b);

/// Golden-case matching (formats.md 10): `actual` has at least what `expected` has. Objects are
/// subsets, arrays equal in length and matched element by element, numbers by value; `"$absent":
/// [names]` in an expected object lists members that must not exist. `why` (may be null) gets the
/// JSON pointer and the difference.
bool Matches(const Value& expected, const Value& actual, std::string* why);
bool Matches(std::string_view expected, std::string_view actual, std::string* why);

}  // namespace pchronicle::json
