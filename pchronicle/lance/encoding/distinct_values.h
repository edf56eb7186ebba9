#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/lance/encoding/leaf_values.h"
#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {

/// The values of a page by number: items in the order of their first slot.
struct DistinctValues {
  std::vector<std::string_view> items;  // views of the values
  std::vector<uint32_t> indices;        // one for each slot; 0 where the slot has no value
  uint64_t item_bytes = 0;
};

/// What a dictionary has to be better than.
struct DistinctLimits {
  uint64_t bytes = 0;  // of the page without one
  uint64_t runs = 0;   // of equal values; 0: not known
};

/// Nothing when items and packed indices would take more than the limit, more than a quarter of the
/// slots hold a new value, or the items are too many bytes; given up as soon as that is seen or
/// likely. A page of fewer than 100 slots has none.
std::optional<DistinctValues> FindDistinct(const LeafValues& values, const DistinctLimits& limits);

/// The dictionary of a mini-block page: its block (lance.md B6) and what describes that.
struct Dictionary {
  proto::CompressiveEncoding encoding;
  std::string block;
  uint64_t items = 0;
};
Dictionary MakeDictionary(const LeafValues& values, const DistinctValues& distinct);

}  // namespace pchronicle::lance
