#pragma once

#include <string_view>

#include "pchronicle/lance/file/page_encoder.h"

namespace pchronicle::lance {

/// A constant page without a value (lance.md B5): every entry is null, empty or within something
/// that is.
EncodedPage WriteValueless(const LeafLevels& levels);

/// A page of 2.2 without levels whose values are all the same fixed-width value of at most 32
/// bytes.
EncodedPage WriteConstant(const LeafLevels& levels, std::string_view value);
inline constexpr size_t kMaxConstantBytes = 32;

}  // namespace pchronicle::lance
