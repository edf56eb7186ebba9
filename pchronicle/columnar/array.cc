#include "pchronicle/columnar/array.h"

#include <cstring>

namespace pchronicle::columnar {
namespace {

BufferPtr Zeros(size_t bytes) {
  auto buffer = std::make_shared<Buffer>();
  buffer->AppendZeros(bytes);
  return buffer;
}

size_t BitBytes(int64_t bits) { return static_cast<size_t>(bits + 7) / 8; }

void SetBit(uint8_t* bits, size_t i) {
  bits[i >> 3] = static_cast<uint8_t>(bits[i >> 3] | 1U << (i & 7));
}

/// Slots of a child that the slots `rows` of a list cover, and the offsets of the new list.
template <typename Offset>
std::vector<int64_t> TakeLists(const Array& array, const std::vector<int64_t>& rows,
                               Buffer* offsets) {
  std::vector<int64_t> items;
  offsets->Resize((rows.size() + 1) * sizeof(Offset));
  auto* out = offsets->as<Offset>();
  *out++ = 0;
  for (const int64_t row : rows) {
    if (!array.IsNull(row)) {
      for (int64_t i = array.Offset(row); i < array.Offset(row + 1); ++i) {
        items.push_back(i);
      }
    }
    *out++ = static_cast<Offset>(items.size());
  }
  return items;
}

template <typename Offset>
void TakeBytes(const Array& array, const std::vector<int64_t>& rows, Buffer* offsets,
               Buffer* values) {
  offsets->Resize((rows.size() + 1) * sizeof(Offset));
  auto* out = offsets->as<Offset>();
  *out++ = 0;
  for (const int64_t row : rows) {
    if (!array.IsNull(row)) {
      const std::string_view bytes = array.Bytes(row);
      values->Append(bytes.data(), bytes.size());
    }
    *out++ = static_cast<Offset>(values->size());
  }
}

void TakeFixed(const Array& array, const std::vector<int64_t>& rows, size_t width, Buffer* values) {
  values->Resize(rows.size() * width);
  uint8_t* out = values->data();
  const uint8_t* from = array.values->data();
  for (const int64_t row : rows) {
    std::memcpy(out, from + static_cast<size_t>(row) * width, width);
    out += width;
  }
}

bool SameSlot(const Array& a, int64_t i, const Array& b, int64_t j);

bool SameRange(const Array& a, int64_t i, const Array& b, int64_t j, int64_t count) {
  for (int64_t k = 0; k < count; ++k) {
    if (!SameSlot(a, i + k, b, j + k)) {
      return false;
    }
  }
  return true;
}

bool SameSlot(const Array& a, int64_t i, const Array& b, int64_t j) {
  if (a.IsNull(i) || b.IsNull(j)) {
    return a.IsNull(i) && b.IsNull(j);
  }
  switch (a.type->id) {
    case TypeId::kNull:
      return true;
    case TypeId::kBool:
      return a.Bit(i) == b.Bit(j);
    case TypeId::kStruct:
      for (size_t k = 0; k < a.children.size(); ++k) {
        if (!SameSlot(*a.children[k], i, *b.children[k], j)) {
          return false;
        }
      }
      return true;
    case TypeId::kFixedSizeList: {
      const auto width = static_cast<int64_t>(a.type->width);
      return SameRange(*a.children[0], i * width, *b.children[0], j * width, width);
    }
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kMap: {
      const int64_t count = a.Offset(i + 1) - a.Offset(i);
      return count == b.Offset(j + 1) - b.Offset(j) &&
             SameRange(*a.children[0], a.Offset(i), *b.children[0], b.Offset(j), count);
    }
    default:
      return a.Bytes(i) == b.Bytes(j);
  }
}

}  // namespace

std::string_view Array::Bytes(int64_t i) const {
  if (IsVariable(type->id)) {
    const int64_t from = Offset(i), to = Offset(i + 1);
    return {reinterpret_cast<const char*>(values->data()) + from, static_cast<size_t>(to - from)};
  }
  const size_t width = ByteWidth(*type);
  return {reinterpret_cast<const char*>(values->data()) + static_cast<size_t>(i) * width, width};
}

ArrayPtr MakeNullArray(const DataTypePtr& type, int64_t length) {
  auto array = std::make_shared<Array>();
  array->type = type;
  array->length = length;
  array->null_count = length;
  const auto slots = static_cast<size_t>(length);
  if (type->id != TypeId::kNull) {
    array->validity = Zeros(BitBytes(length));
  }
  if (type->id == TypeId::kBool) {
    array->values = Zeros(BitBytes(length));
  } else if (IsVariable(type->id) || IsListLike(type->id)) {
    array->offsets = Zeros((slots + 1) * (HasLargeOffsets(type->id) ? 8 : 4));
    if (IsVariable(type->id)) {
      array->values = Zeros(0);
    }
  } else if (const size_t width = ByteWidth(*type);
             width != 0 || type->id == TypeId::kFixedBinary) {
    array->values = Zeros(slots * width);
  }
  for (const DataField& child : type->children) {
    const int64_t child_length = type->id == TypeId::kStruct          ? length
                                 : type->id == TypeId::kFixedSizeList ? length * type->width
                                                                      : 0;
    array->children.push_back(MakeNullArray(child.type, child_length));
  }
  return array;
}

ArrayPtr TakeSlots(const Array& array, const std::vector<int64_t>& rows) {
  auto out = std::make_shared<Array>();
  out->type = array.type;
  out->length = static_cast<int64_t>(rows.size());
  if (array.type->id == TypeId::kNull) {
    out->null_count = out->length;
    return out;
  }
  if (array.validity != nullptr) {
    auto validity = std::make_shared<Buffer>();
    validity->AppendZeros(BitBytes(out->length));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (array.IsNull(rows[i])) {
        ++out->null_count;
      } else {
        SetBit(validity->data(), i);
      }
    }
    out->validity = out->null_count == 0 ? nullptr : validity;
  }
  auto offsets = std::make_shared<Buffer>(), values = std::make_shared<Buffer>();
  const TypeId id = array.type->id;
  if (id == TypeId::kBool) {
    values->AppendZeros(BitBytes(out->length));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (array.Bit(rows[i])) {
        SetBit(values->data(), i);
      }
    }
  } else if (IsVariable(id)) {
    HasLargeOffsets(id) ? TakeBytes<int64_t>(array, rows, offsets.get(), values.get())
                        : TakeBytes<int32_t>(array, rows, offsets.get(), values.get());
  } else if (IsListLike(id)) {
    const std::vector<int64_t> items = HasLargeOffsets(id)
                                           ? TakeLists<int64_t>(array, rows, offsets.get())
                                           : TakeLists<int32_t>(array, rows, offsets.get());
    out->children.push_back(TakeSlots(*array.children[0], items));
  } else if (id == TypeId::kFixedSizeList) {
    const auto width = static_cast<int64_t>(array.type->width);
    std::vector<int64_t> items;
    items.reserve(rows.size() * array.type->width);
    for (const int64_t row : rows) {
      for (int64_t k = 0; k < width; ++k) {
        items.push_back(row * width + k);
      }
    }
    out->children.push_back(TakeSlots(*array.children[0], items));
  } else if (id == TypeId::kStruct) {
    for (const ArrayPtr& child : array.children) {
      out->children.push_back(TakeSlots(*child, rows));
    }
  } else {
    TakeFixed(array, rows, ByteWidth(*array.type), values.get());
  }
  out->offsets = offsets->size() == 0 ? nullptr : offsets;
  out->values = IsListLike(id) || id == TypeId::kFixedSizeList || id == TypeId::kStruct
                    ? nullptr
                    : std::move(values);
  return out;
}

bool SameValues(const Array& a, const Array& b) {
  return SameType(*a.type, *b.type) && a.length == b.length && SameRange(a, 0, b, 0, a.length);
}

}  // namespace pchronicle::columnar
