#pragma once

#include <span>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"

namespace pchronicle::columnar {

/// The slots of all arrays, one after the other; at least one array, all of one type.
/// kResourceExhausted when text or lists grow beyond the type's offsets.
Result<ArrayPtr> Concat(std::span<const ArrayPtr> arrays);

}  // namespace pchronicle::columnar
