#include "pchronicle/lance/table/text_check.h"

#include <algorithm>

#include "pchronicle/codec/utf8.h"

namespace pchronicle::lance {
namespace {

using columnar::Array;
using columnar::TypeId;

std::span<const uint8_t> BytesOf(const Array& array) {
  return array.values == nullptr
             ? std::span<const uint8_t>()
             : std::span<const uint8_t>(array.values->data(), array.values->size());
}

template <typename Offset>
bool AllValid(const Array& array) {
  return codec::AreUtf8(
      BytesOf(array),
      std::span<const Offset>(array.offsets->as<Offset>(), static_cast<size_t>(array.length) + 1));
}

std::optional<InvalidText> FindInTexts(const Array& array) {
  if (columnar::HasLargeOffsets(array.type->id) ? AllValid<int64_t>(array)
                                                : AllValid<int32_t>(array)) {
    return std::nullopt;
  }
  for (int64_t i = 0; i < array.length; ++i) {
    const std::string_view text = array.Bytes(i);
    if (!codec::IsUtf8({reinterpret_cast<const uint8_t*>(text.data()), text.size()})) {
      return InvalidText{i, ""};
    }
  }
  return std::nullopt;
}

/// The list that an item belongs to.
int64_t ListOfItem(const Array& list, int64_t item) {
  if (list.type->id == TypeId::kFixedSizeList) {
    return item / list.type->width;
  }
  int64_t low = 0, high = list.length - 1;  // the last list that starts at the item or before it
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    (list.Offset(middle) <= item ? low : high) = list.Offset(middle) <= item ? middle : middle - 1;
  }
  return low;
}

}  // namespace

std::optional<InvalidText> FindInvalidText(const Array& array) {
  const TypeId id = array.type->id;
  if (array.length == 0) {
    return std::nullopt;
  }
  if (id == TypeId::kUtf8 || id == TypeId::kLargeUtf8) {
    return FindInTexts(array);
  }
  const bool is_struct = id == TypeId::kStruct;
  for (size_t i = 0; i < array.children.size(); ++i) {
    if (auto found = FindInvalidText(*array.children[i])) {
      found->path = (is_struct ? "." + array.type->children[i].name : "[]") + found->path;
      found->row = is_struct ? found->row : ListOfItem(array, found->row);
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace pchronicle::lance
