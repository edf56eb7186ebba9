#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/table/roaring_bitmap.h"
#include "pchronicle/lance/table/row_ids.h"

namespace pchronicle::lance {

/// Where rows are that were written again elsewhere, in order and without the deleted ones. Memory:
/// that of their deletions, nothing for each row. Thread-safe once it is filled.
class RowMoves {
 public:
  struct Source {
    uint32_t fragment = 0;
    uint64_t rows = 0;                             // deleted ones, too
    std::shared_ptr<const RoaringBitmap> deleted;  // none: null
  };
  struct Target {
    uint32_t fragment = 0;
    uint64_t rows = 0;
  };
  /// The live rows of `from`, one fragment after the other, became those of `to`. kInternal when
  /// there are more or fewer.
  Status Add(std::vector<Source> from, std::vector<Target> to);

  /// The fragment was written again.
  bool Contains(uint32_t fragment) const { return sources_.contains(fragment); }
  /// The new place of a row of such a fragment; nothing when it was deleted.
  std::optional<RowAddress> Find(RowAddress row) const;

 private:
  struct Moved {
    Source source;
    uint64_t first = 0;  // of its live rows among those of the group
    size_t group = 0;
  };
  struct Group {
    std::vector<Target> targets;
    std::vector<uint64_t> ends;  // rows up to the end of each
  };
  std::unordered_map<uint32_t, Moved> sources_;
  std::vector<Group> groups_;
};

}  // namespace pchronicle::lance
