#pragma once

#include <cstdint>
#include <string_view>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/table/roaring_bitmap.h"

namespace pchronicle::lance {

/// The offsets in an `.arrow` deletion file (lance.md A9): an Arrow IPC file with one batch of one
/// uint32 column, plain or with compressed buffers (LZ4 frames, zstd). `rows`: how many the
/// manifest promises; a batch with another number is kCorruption before anything is allocated. Also
/// kCorruption: bytes cut off, positions outside the file, an offset that is there twice.
/// kUnsupported: other compressions.
Result<RoaringBitmap> DecodeArrowDeletions(std::string_view bytes, uint64_t rows);

}  // namespace pchronicle::lance
