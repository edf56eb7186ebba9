#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pchronicle/columnar/buffer.h"
#include "pchronicle/lance/encoding/leaf_levels.h"

namespace pchronicle::lance {

/// Which items of the fixed size lists of a page are valid, one level of nesting.
struct ItemValidity {
  uint64_t items = 0;      // of one value of the column at this level
  bool has_nulls = false;  // none: `bits` is empty
  columnar::Buffer bits;
};

/// The values in the slots of one column of a page, gathered from the arrays. Slots without a value
/// are zeros or empty texts, so that what lies under a null costs nothing.
///
/// | type | bytes | starts |
/// | fixed width | `width` each | |
/// | kBool | 0 or 1 each, width 1 | |
/// | texts and binary | one behind the other | slots + 1 |
/// | fixed size lists | their items as above, `items` of each value | |
struct LeafValues {
  columnar::DataTypePtr type;                // of the column
  const columnar::DataType* item = nullptr;  // of the innermost item; `type` if it is no list
  size_t count = 0;                          // slots
  size_t width = 0;                          // bytes of one innermost item; 0: texts, null type
  uint64_t items = 1;                        // innermost items of a value
  columnar::Buffer bytes;
  std::vector<uint64_t> starts;
  uint64_t longest = 0;             // text
  std::vector<uint8_t> null;        // one for each slot, 1: no value; empty: all have one
  std::vector<ItemValidity> lists;  // fixed size lists, outer first

  bool texts() const { return !starts.empty(); }
  bool is_null(size_t slot) const { return !null.empty() && null[slot] != 0; }
  std::string_view text(size_t slot) const {
    return {reinterpret_cast<const char*>(bytes.data()) + starts[slot],
            static_cast<size_t>(starts[slot + 1] - starts[slot])};
  }
  /// A value of a fixed width, or all items of a list.
  std::string_view fixed(size_t slot) const {
    const size_t size = width * static_cast<size_t>(items);
    return {reinterpret_cast<const char*>(bytes.data()) + slot * size, size};
  }
};

/// Fills `out` with the values of the levels' runs; memory of `out` is used again.
void GatherValues(const LeafLevels& levels, const columnar::DataTypePtr& type, LeafValues* out);

}  // namespace pchronicle::lance
