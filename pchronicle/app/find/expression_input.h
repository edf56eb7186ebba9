#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pchronicle/base/status.h"

namespace pchronicle::app {

/// Where the reading of a `--match` expression stands.
struct ExpressionInput {
  enum class Keyword : uint8_t { kNone, kAnd, kOr, kNot };

  std::string_view text;
  size_t at = 0;

  static bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  /// Of fields and columns.
  static bool IsNameCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  void SkipBlanks();
  std::string_view TakeName();
  /// A keyword in any case that ends at a blank or at something that cannot be part of a word.
  Keyword PeekKeyword() const;

  /// Characters up to `offset`, from 1.
  size_t Place(size_t offset) const;
  /// The failure with its place in front: `character 9: ...`.
  Status Fail(size_t offset, const Status& status) const;
};

}  // namespace pchronicle::app
