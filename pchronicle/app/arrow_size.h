#pragma once

#include <cstdint>

#include "pchronicle/columnar/arrow_abi.h"

namespace pchronicle::app {

/// Bytes that the buffers of an array hold, for limits: exact for text and lists, up to a few bytes
/// a cell too many for rare types. `array` must be of the type `schema`.
uint64_t ArrowBytes(const ArrowSchema& schema, const ArrowArray& array);

}  // namespace pchronicle::app
