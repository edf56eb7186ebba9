#include "pchronicle/columnar/validity.h"

#include <bit>
#include <cstring>

namespace pchronicle::columnar {
namespace {

size_t BitBytes(int64_t length) { return (static_cast<size_t>(length) + 7) / 8; }

}  // namespace

int64_t CountNulls(const BufferPtr& validity, int64_t length) {
  if (validity == nullptr) {
    return 0;
  }
  int64_t set = 0;
  const int64_t whole = length / 8;
  for (int64_t i = 0; i < whole; ++i) {
    set += std::popcount(validity->data()[i]);
  }
  if (length % 8 != 0) {
    set += std::popcount(static_cast<uint8_t>(validity->data()[whole] & ((1 << length % 8) - 1)));
  }
  return length - set;
}

ArrayPtr MaskByParent(const ArrayPtr& child, const Array& parent) {
  if (parent.validity == nullptr || child->type->id == TypeId::kNull) {
    return child;
  }
  auto out = std::make_shared<Array>(*child);
  if (child->validity == nullptr) {
    out->validity = parent.validity;
  } else {
    auto bits = std::make_shared<Buffer>(BitBytes(child->length));
    for (size_t i = 0; i < bits->size(); ++i) {
      bits->data()[i] =
          static_cast<uint8_t>(child->validity->data()[i] & parent.validity->data()[i]);
    }
    out->validity = std::move(bits);
  }
  out->null_count = CountNulls(out->validity, out->length);
  return out;
}

BufferPtr AnyValid(std::span<const ArrayPtr> arrays, int64_t length) {
  for (const ArrayPtr& array : arrays) {
    if (array->validity == nullptr && array->type->id != TypeId::kNull) {
      return nullptr;
    }
  }
  auto bits = std::make_shared<Buffer>();
  bits->AppendZeros(BitBytes(length));
  for (const ArrayPtr& array : arrays) {
    for (size_t i = 0; array->validity != nullptr && i < bits->size(); ++i) {
      bits->data()[i] |= array->validity->data()[i];
    }
  }
  return CountNulls(bits, length) == 0 ? nullptr : BufferPtr(std::move(bits));
}

}  // namespace pchronicle::columnar
