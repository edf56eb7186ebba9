#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/codec/compression.h"
#include "pchronicle/codec/fsst_trainer.h"
#include "pchronicle/columnar/buffer.h"
#include "pchronicle/lance/encoding/leaf_values.h"

namespace pchronicle::lance {

/// A page ready to be written: buffers and its PageLayout message.
struct EncodedPage {
  std::vector<columnar::Buffer> buffers;
  std::string layout;
  uint64_t rows = 0;
};

struct EncoderOptions {
  /// Chunk words of 32 bits and constants with a value: version 2.2.
  bool version_2_2 = false;
};

/// Encodes pages, choosing the encoding by sizes that are counted or taken from a sample (lance.md
/// C1): constant when no value is there; dictionary; bit-packed, run-length or flat numbers; texts
/// plain, FSST or zstd; full-zip for wide values, and where structure leaves mini-blocks no room.
/// The same page gives the same bytes. Not thread-safe; one for each thread.
class PageEncoder {
 public:
  explicit PageEncoder(EncoderOptions options) : options_(options), zstd_(kZstdLevel) {}

  /// kUnsupported: a type without values that can be written.
  Result<EncodedPage> Encode(const LeafLevels& levels, const columnar::DataTypePtr& type);

 private:
  /// Level 1 is written a third faster than 3 and read as fast, for 4% of size.
  static constexpr int kZstdLevel = 1;

  Result<EncodedPage> EncodeTexts(const LeafLevels& levels);
  Result<EncodedPage> EncodeFixed(const LeafLevels& levels);

  EncoderOptions options_;
  codec::ZstdCompressor zstd_;
  codec::FsstTrainer trainer_;
  LeafValues values_;  // memory is used again
};

}  // namespace pchronicle::lance
