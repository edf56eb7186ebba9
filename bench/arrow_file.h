#pragma once

#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"

namespace pchronicle::bench {

/// What an Arrow IPC file holds.
struct ArrowFile {
  std::vector<columnar::DataField> schema;
  std::vector<columnar::RecordBatch> batches;
  /// Bytes of all buffers.
  uint64_t bytes = 0;
};

/// Reads an uncompressed Arrow IPC file of numbers, booleans, timestamps, text, binary and lists of
/// these into memory. kUnsupported for other types, dictionaries and compression.
Result<ArrowFile> ReadArrowFile(const std::string& path);

}  // namespace pchronicle::bench
