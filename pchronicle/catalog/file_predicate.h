#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pchronicle::catalog {

/// Three-valued answer of a condition that may not be decidable from the path alone (catalog.md 7).
enum class Truth : uint8_t { kFalse, kTrue, kUnknown };

/// A WHERE condition as far as it speaks of `_file_`; everything else is kUnknown. Immutable tree.
struct FilePredicate {
  enum class Kind : uint8_t {
    kUnknown,
    kLiteral,
    kEq,
    kNe,
    kIn,
    kNotIn,
    kLike,
    kNotLike,
    kAnd,
    kOr,
    kNot
  };
  Kind kind = Kind::kUnknown;
  Truth literal = Truth::kUnknown;  // kLiteral
  std::vector<std::string> values;  // kEq, kNe, kIn, kNotIn: paths; kLike, kNotLike: the pattern
  char32_t escape = 0;              // kLike: ESCAPE character, 0: none
  std::vector<FilePredicate> children;  // kAnd, kOr, kNot

  bool operator==(const FilePredicate&) const = default;
};

/// Value of the condition for a source with this path.
Truth Evaluate(const FilePredicate& predicate, std::string_view file);

}  // namespace pchronicle::catalog
