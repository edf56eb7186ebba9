#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pchronicle/columnar/array.h"

namespace pchronicle::columnar {

/// `child` (a member of the struct `parent`, same length) with every slot null whose parent slot is
/// null; `child` itself when the parent has no nulls.
ArrayPtr MaskByParent(const ArrayPtr& child, const Array& parent);

/// Bits that are set where any of the arrays (all of `length` slots) is not null; none when that
/// is everywhere.
BufferPtr AnyValid(std::span<const ArrayPtr> arrays, int64_t length);

/// Zero bits in the first `length` bits of `validity`; 0 when there is none.
int64_t CountNulls(const BufferPtr& validity, int64_t length);

}  // namespace pchronicle::columnar
