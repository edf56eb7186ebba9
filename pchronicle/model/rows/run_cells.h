#pragma once

#include <string>

#include "pchronicle/model/rows/cell.h"

namespace pchronicle::model::rows {

/// Cells of `runs` (storage.md 1.3, formats.md 1.10) from a complete document. Not thread-safe.
class RunCells {
 public:
  /// `column` is any RunColumn but kRunFile. Text that is put together goes to `arena`.
  Cell Of(uint16_t column, const Document& document, Arena& arena);

 private:
  Cell Origin(const Document& document, Arena& arena);
  Cell Parent(const Document& document, Arena& arena);
  Cell Children(const Document& document, Arena& arena);
  Cell UnknownFields(const Document& document, Arena& arena);
  Cell UnknownKeyCounts(const Document& document, Arena& arena);
  void AddMember(std::string_view key, std::string_view text);

  std::string composed_;
};

}  // namespace pchronicle::model::rows
