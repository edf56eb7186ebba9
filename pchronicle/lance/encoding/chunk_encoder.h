#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/buffer.h"
#include "pchronicle/lance/encoding/chunk_cutter.h"
#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {

/// Encodes the values of a mini-block page, one chunk after the other (lance.md B4). Points into
/// the values it was made for. Not thread-safe.
class ChunkEncoder {
 public:
  virtual ~ChunkEncoder() = default;

  const proto::CompressiveEncoding& encoding() const { return encoding_; }
  /// Value buffers of a chunk.
  virtual size_t buffers() const { return 1; }
  /// Where the page is cut for this encoding; nothing when it cannot be (ChunkCutter::Cut).
  virtual std::optional<std::vector<ChunkCut>> Cut(const ChunkCutter& cutter) const = 0;
  /// Sets buffers() buffers to the values [from, from + count).
  virtual Status Encode(size_t from, size_t count, std::vector<columnar::Buffer>* out) = 0;

 protected:
  /// Bytes of values in a chunk before compression: the whole has 32 KiB in 2.1 files.
  static constexpr size_t kChunkBytes = 16 << 10;
  static constexpr size_t kMostValues = 4096;

  proto::CompressiveEncoding encoding_;
};

}  // namespace pchronicle::lance
