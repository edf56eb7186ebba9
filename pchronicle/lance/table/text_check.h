#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pchronicle/columnar/array.h"

namespace pchronicle::lance {

/// A text that is not UTF-8, which the format does not allow and does not check.
struct InvalidText {
  int64_t row = 0;   // slot of the array that was given
  std::string path;  // below it: `.name`, `[]`; empty: the array's own text
};

/// The first text column of an array, itself or below it, that holds invalid text, and its first
/// such row. Costs one pass over the bytes of texts.
std::optional<InvalidText> FindInvalidText(const columnar::Array& array);

}  // namespace pchronicle::lance
