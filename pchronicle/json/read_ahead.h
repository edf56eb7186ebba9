#pragma once

#include <cstdint>
#include <memory>

#include "pchronicle/json/byte_source.h"

namespace pchronicle::json {

struct ReadAheadOptions {
  /// Bytes that are read as asked for before a thread is started.
  uint64_t start_after = 16 << 20;
  size_t block_bytes = 256 << 10;
  size_t blocks = 4;  // in flight; what is read for nothing when the reader stops early
  /// Most threads of this process at once; a source that gets none asks again after `start_after`
  /// more bytes. 0: half the processors.
  unsigned max_threads = 0;
};

/// Reads `source` as asked for and, once it has given so much that more of the same is likely,
/// ahead in a thread of its own: one document of gigabytes is decoded by one thread, for which the
/// copy out of the page cache is a third of the work. Blocks are handed over, not copied. Bytes and
/// errors are those of `source`. The destructor waits for the read under way.
std::unique_ptr<ByteSource> MakeReadAhead(std::unique_ptr<ByteSource> source,
                                          ReadAheadOptions options = {});

/// Sources that read ahead at this moment.
unsigned ReadAheadThreads();

}  // namespace pchronicle::json
