#include "pchronicle/lance/encoding/chunk_cutter.h"

#include <bit>

namespace pchronicle::lance {
namespace {

constexpr size_t kMaxEntries = UINT16_MAX;
/// A chunk of 2.1 has 32 KiB for everything; the levels must leave room for the values.
constexpr size_t kMaxLevelBits = (6 << 10) * 8;

}  // namespace

ChunkCutter::ChunkCutter(const LeafLevels& levels) : levels_(levels) {
  bits_ = static_cast<size_t>(std::bit_width(levels.lists) + std::bit_width(levels.max_def));
  if (!levels.hides_entries()) {
    return;
  }
  for (size_t i = 0; i < levels.entries; ++i) {
    if (levels.def[i] > levels.visible) {
      hidden_.push_back(i - hidden_.size());
    }
  }
}

bool ChunkCutter::LevelsFit(size_t entries) const {
  return bits_ == 0 || (entries <= kMaxEntries && entries * bits_ <= kMaxLevelBits);
}

}  // namespace pchronicle::lance
