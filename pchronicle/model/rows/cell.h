#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "pchronicle/columnar/batch.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model::rows {

/// One value on its way into a column or a predicate. Text either already lives as long as the
/// batch (kStable) or points into the source and is copied when it is appended (kBorrowed).
struct Cell {
  enum class Kind : uint8_t { kNull, kInt, kDouble, kBorrowed, kStable, kUnknown };
  Kind kind = Kind::kNull;
  int64_t integer = 0;
  double number = 0;
  std::string_view text = {};

  static Cell Null() { return {}; }
  static Cell Int(int64_t value) { return {.kind = Kind::kInt, .integer = value}; }
  static Cell Bool(bool value) { return Int(value ? 1 : 0); }
  static Cell Double(double value) { return {.kind = Kind::kDouble, .number = value}; }
  static Cell Borrowed(std::string_view value) { return {.kind = Kind::kBorrowed, .text = value}; }
  static Cell Stable(std::string_view value) { return {.kind = Kind::kStable, .text = value}; }
  /// For predicates only: a value that they cannot look at; it may be null.
  static Cell Unknown() { return {.kind = Kind::kUnknown}; }

  static Cell Of(const std::optional<int64_t>& value) { return value ? Int(*value) : Null(); }
  static Cell Of(const std::optional<double>& value) { return value ? Double(*value) : Null(); }
  static Cell Of(const std::optional<bool>& value) { return value ? Bool(*value) : Null(); }
  static Cell Of(const Text& value) { return value ? Borrowed(*value) : Null(); }

  bool is_null() const { return kind == Kind::kNull; }
};

/// `view` is of `source` itself or of text that was put into the arena of the batch.
inline Cell TextOf(std::string_view view, std::string_view source) {
  const bool inside = view.data() >= source.data() && view.data() < source.data() + source.size();
  return inside ? Cell::Borrowed(view) : Cell::Stable(view);
}

/// The minified JSON text of a value; null when absent or null.
inline Cell JsonCell(const json::Raw& raw, Arena& arena) {
  if (!raw.has_value()) {
    return Cell::Null();
  }
  return TextOf(json::CellText(raw, json::Surrogates::kReplace, arena), raw.text);
}

inline void Append(const Cell& cell, columnar::Column& column, Arena& arena) {
  switch (cell.kind) {
    case Cell::Kind::kNull:
    case Cell::Kind::kUnknown:
      column.AppendNull();
      return;
    case Cell::Kind::kInt:
      column.AppendInt(cell.integer);
      return;
    case Cell::Kind::kDouble:
      column.AppendDouble(cell.number);
      return;
    case Cell::Kind::kBorrowed:
      column.AppendText(arena.Copy(cell.text));
      return;
    case Cell::Kind::kStable:
      column.AppendText(cell.text);
      return;
  }
}

}  // namespace pchronicle::model::rows
