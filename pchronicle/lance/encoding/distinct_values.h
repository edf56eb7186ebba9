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

/// Nothing when more than a quarter of the slots hold a new value, or the first thousands of them
/// make that likely, or the items are too many bytes; a page of fewer than 100 slots has none.
std::optional<DistinctValues> FindDistinct(const LeafValues& values);

/// The dictionary of a mini-block page: its block (lance.md B6) and what describes that.
struct Dictionary {
  proto::CompressiveEncoding encoding;
  std::string block;
  uint64_t items = 0;
};
Dictionary MakeDictionary(const LeafValues& values, const DistinctValues& distinct);

}  // namespace pchronicle::lance
