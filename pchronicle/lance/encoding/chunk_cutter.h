#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pchronicle/lance/encoding/leaf_levels.h"

namespace pchronicle::lance {

/// Value slots and entries of one chunk of a mini-block page.
struct ChunkCut {
  size_t value = 0, values = 0;
  size_t entry = 0, entries = 0;
};

/// Cuts a page into chunks of a power of two values each but the last (lance.md B4), so that their
/// levels stay small enough.
class ChunkCutter {
 public:
  explicit ChunkCutter(const LeafLevels& levels);

  /// Chunks of at most `max_values` (a power of two) values; fits(from, count) tells whether so
  /// many values from there on are not too large; two values or the last one must fit. Nothing when
  /// that is not possible: entries without a slot, or values, are too many or too large.
  template <typename Fits>
  std::optional<std::vector<ChunkCut>> Cut(size_t max_values, Fits&& fits) const {
    std::vector<ChunkCut> cuts;
    size_t value = 0, entry = 0;
    do {
      const size_t left = levels_.slots - value;
      size_t count = max_values;
      bool last = false;
      while (true) {
        last = count >= left;
        const size_t taken = last ? left : count;
        if (LevelsFit(EntriesEnd(value + taken) - entry) && fits(value, taken)) {
          count = taken;
          break;
        }
        // A chunk that is not the last one has at least two values.
        count /= 2;
        if (count < 2) {
          return std::nullopt;
        }
      }
      const size_t end = EntriesEnd(value + count);
      cuts.push_back({value, count, entry, end - entry});
      value += count;
      entry = end;
      if (last) {
        return cuts;
      }
    } while (true);
  }

 private:
  /// Where the entries of a chunk end whose last slot is the one before `slot`: what owns no slot
  /// belongs to the next chunk, behind the last slot to this one.
  size_t EntriesEnd(size_t slot) const {
    if (slot == levels_.slots) {
      return levels_.entries;
    }
    const auto before = std::lower_bound(hidden_.begin(), hidden_.end(), slot);
    return slot + static_cast<size_t>(before - hidden_.begin());
  }
  bool LevelsFit(size_t entries) const;

  const LeafLevels& levels_;
  size_t bits_ = 0;             // of both levels of an entry
  std::vector<size_t> hidden_;  // for each entry without a slot: how many slots come before it
};

}  // namespace pchronicle::lance
