#include "pchronicle/lance/encoding/leaf_values.h"

#include <algorithm>
#include <cstring>

#include "pchronicle/codec/bits.h"

namespace pchronicle::lance {
namespace {

using columnar::Array;
using columnar::TypeId;

/// One byte for each slot that has no value; nothing when all have one.
void FindNullSlots(const LeafLevels& levels, std::vector<uint8_t>* null) {
  null->clear();
  if (!levels.has_null_slots()) {
    return;
  }
  null->reserve(levels.slots);
  for (const uint16_t level : levels.def) {
    if (level <= levels.visible) {
      null->push_back(level != 0 ? 1 : 0);
    }
  }
}

template <typename Offset>
void GatherTexts(const LeafLevels& levels, LeafValues* out) {
  out->starts.reserve(out->count + 1);
  out->starts.push_back(0);
  uint64_t at = 0;
  size_t slot = 0;
  for (const SlotRun& run : levels.runs) {
    const auto* offsets = run.leaf->offsets->as<Offset>() + run.from;
    const auto count = static_cast<size_t>(run.count);
    if (out->null.empty()) {
      const auto first = static_cast<uint64_t>(offsets[0]);
      for (size_t i = 0; i < count; ++i) {
        const uint64_t end = at + static_cast<uint64_t>(offsets[i + 1]) - first;
        out->longest = std::max(out->longest, end - out->starts.back());
        out->starts.push_back(end);
      }
      const auto size = static_cast<size_t>(static_cast<uint64_t>(offsets[count]) - first);
      if (size != 0) {
        out->bytes.Append(run.leaf->values->data() + first, size);
      }
      at += size;
      slot += count;
      continue;
    }
    for (size_t i = 0; i < count; ++i, ++slot) {
      const auto size =
          out->null[slot] != 0 ? size_t{0} : static_cast<size_t>(offsets[i + 1] - offsets[i]);
      if (size != 0) {
        out->bytes.Append(run.leaf->values->data() + offsets[i], size);
      }
      at += size;
      out->longest = std::max<uint64_t>(out->longest, size);
      out->starts.push_back(at);
    }
  }
}

void GatherBools(const Array& array, int64_t from, int64_t count, columnar::Buffer* out) {
  uint8_t* to = out->Reserve(static_cast<size_t>(count));
  const uint8_t* bits = array.values->data();
  for (int64_t i = 0; i < count; ++i) {
    to[i] = codec::GetBit(bits, static_cast<size_t>(from + i)) ? 1 : 0;
  }
  out->Advance(static_cast<size_t>(count));
}

/// Items [from, from + count) of a fixed-width array.
void GatherFixed(const Array& array, size_t width, int64_t from, int64_t count,
                 columnar::Buffer* out) {
  if (count == 0) {
    return;
  }
  if (array.type->id == TypeId::kBool) {
    GatherBools(array, from, count, out);
  } else {
    out->Append(array.values->data() + static_cast<size_t>(from) * width,
                static_cast<size_t>(count) * width);
  }
}

void AppendValidity(const Array& array, int64_t from, int64_t count, size_t at, ItemValidity* out) {
  const auto n = static_cast<size_t>(count);
  uint8_t* bits = out->bits.Reserve(n / 8 + 16);
  bits = out->bits.data();
  if (array.validity == nullptr) {
    codec::FillBits(true, n, bits, at);
  } else {
    codec::CopyBits(array.validity->data(), static_cast<size_t>(from), n, bits, at);
    out->has_nulls = out->has_nulls || codec::CountBits(bits, at, n) != n;
  }
  out->bits.Resize(codec::BitmapBytes(at + n));
}

/// Items of fixed size lists below the slots of a run; `at`: slots before.
void GatherLists(const SlotRun& run, size_t at, LeafValues* out) {
  const Array* array = run.leaf;
  int64_t from = run.from, count = run.count;
  for (ItemValidity& level : out->lists) {
    from *= array->type->width;
    count *= array->type->width;
    array = array->children[0].get();
    AppendValidity(*array, from, count, at * static_cast<size_t>(level.items), &level);
  }
  GatherFixed(*array, out->width, from, count, &out->bytes);
}

void ClearNulls(LeafValues* out) {
  const size_t size = out->width * static_cast<size_t>(out->items);
  for (size_t i = 0; i < out->null.size(); ++i) {
    if (out->null[i] == 0) {
      continue;
    }
    std::memset(out->bytes.data() + i * size, 0, size);
    for (ItemValidity& level : out->lists) {
      for (uint64_t k = 0; k < level.items; ++k) {
        const size_t bit = i * static_cast<size_t>(level.items) + static_cast<size_t>(k);
        uint8_t* byte = level.bits.data() + bit / 8;
        *byte = static_cast<uint8_t>(*byte | 1U << (bit % 8));
      }
    }
  }
}

}  // namespace

void GatherValues(const LeafLevels& levels, const columnar::DataTypePtr& type, LeafValues* out) {
  out->type = type;
  out->item = type.get();
  out->count = levels.slots;
  out->items = 1;
  out->longest = 0;
  out->bytes.Clear();
  out->starts.clear();
  out->lists.clear();
  FindNullSlots(levels, &out->null);
  if (columnar::IsVariable(type->id)) {
    out->width = 0;
    return columnar::HasLargeOffsets(type->id) ? GatherTexts<int64_t>(levels, out)
                                               : GatherTexts<int32_t>(levels, out);
  }
  while (out->item->id == TypeId::kFixedSizeList) {
    out->items *= out->item->width;
    out->lists.emplace_back().items = out->items;
    out->item = out->item->children[0].type.get();
  }
  out->width = out->item->id == TypeId::kBool ? 1 : columnar::ByteWidth(*out->item);
  if (out->width == 0) {
    return;
  }
  out->bytes.Reserve(out->count * out->width * static_cast<size_t>(out->items));
  size_t at = 0;
  for (const SlotRun& run : levels.runs) {
    if (out->lists.empty()) {
      GatherFixed(*run.leaf, out->width, run.from, run.count, &out->bytes);
    } else {
      GatherLists(run, at, out);
    }
    at += static_cast<size_t>(run.count);
  }
  ClearNulls(out);
}

}  // namespace pchronicle::lance
