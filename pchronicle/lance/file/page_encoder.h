#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/codec/compression.h"
#include "pchronicle/columnar/array.h"

namespace pchronicle::lance {

/// The rows of one flat column that will become one page.
struct PageValues {
  columnar::DataTypePtr type;
  size_t rows = 0;
  size_t nulls = 0;
  std::vector<uint8_t> valid;    // one byte a row
  std::string bytes;             // fixed width: ByteWidth each, booleans a byte; else texts
  std::vector<uint64_t> starts;  // texts: rows + 1
};

/// A page ready to be written: buffers and its PageLayout message.
struct EncodedPage {
  std::vector<std::string> buffers;
  std::string layout;
  uint64_t rows = 0;
};

struct EncoderOptions {
  /// Chunk words of 32 bits: version 2.2.
  bool large_chunks = false;
};

/// Encodes a page in whichever way came out smallest (lance.md C1): constant when all is null;
/// dictionary; bit-packed, run-length or flat numbers; texts flat or zstd-compressed by chunk;
/// values of 256 bytes and more as full-zip, each compressed when that saves a tenth. Not
/// thread-safe.
class PageEncoder {
 public:
  explicit PageEncoder(EncoderOptions options) : options_(options) {}
  Result<EncodedPage> Encode(const PageValues& values);

 private:
  EncoderOptions options_;
  codec::ZstdCompressor zstd_;
};

}  // namespace pchronicle::lance
