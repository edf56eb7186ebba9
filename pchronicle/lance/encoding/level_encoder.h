#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pchronicle/lance/encoding/chunk_cutter.h"
#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {

/// Writes the repetition or the definition levels of chunks as blocks (lance.md B6), in the form
/// that is smallest for the page: plain, packed with a width for each chunk, or packed with one
/// width.
class LevelEncoder {
 public:
  /// `levels` of the page, which must outlive the encoder; empty: nothing to write.
  LevelEncoder(std::span<const uint16_t> levels, std::span<const ChunkCut> cuts);

  bool empty() const { return levels_.empty(); }
  const proto::CompressiveEncoding& encoding() const { return encoding_; }
  /// Appends the levels of a chunk.
  void Append(const ChunkCut& cut, std::string* out) const;

 private:
  std::span<const uint16_t> levels_;
  proto::CompressiveEncoding encoding_;
  unsigned width_ = 0;  // out of line
};

}  // namespace pchronicle::lance
