#pragma once

#include <cstdint>

namespace pchronicle::json {

/// Bytes of values that cursors of this thread captured, in all; a cursor's count arrives when it
/// is destroyed. The rest of what was read was skipped. The difference of two calls is what
/// happened in between on this thread.
uint64_t DecodedBytesOfThread();

}  // namespace pchronicle::json
