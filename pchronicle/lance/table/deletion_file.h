#pragma once

#include <cstdint>
#include <string_view>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/file/file_reader.h"
#include "pchronicle/lance/proto/table_messages.h"
#include "pchronicle/lance/table/roaring_bitmap.h"
#include "pchronicle/lance/table/table_paths.h"

namespace pchronicle::lance {

/// The offsets in an `.arrow` deletion file (lance.md A9): an Arrow IPC file with one batch of one
/// uint32 column, plain or with compressed buffers (LZ4 frames, zstd). `rows`: how many the
/// manifest promises; a batch with another number is kCorruption before anything is allocated. Also
/// kCorruption: bytes cut off, positions outside the file, an offset that is there twice.
/// kUnsupported: other compressions.
Result<RoaringBitmap> DecodeArrowDeletions(std::string_view bytes, uint64_t rows);

/// The deleted offsets of a fragment that has a deletion file, of either kind; kCorruption unless
/// they are as many as the manifest says and below the fragment's rows. Errors name the file.
Result<RoaringBitmap> ReadDeletionFile(const TablePaths& paths, const proto::Fragment& fragment,
                                       ReadCounters* reads);

}  // namespace pchronicle::lance
