#include "pchronicle/lance/file/batch_check.h"

#include <algorithm>
#include <string>
#include <vector>

#include "pchronicle/codec/bits.h"
#include "pchronicle/columnar/validity.h"

namespace pchronicle::lance {
namespace {

using columnar::Array;
using columnar::BufferPtr;
using columnar::TypeId;

/// Which slots of an array are not below a null: one byte each; empty: all.
using Reached = std::vector<uint8_t>;

Status Bad(const std::string& path, std::string_view what) {
  return Status::InvalidArgument("column '{}': {}", path, what);
}

size_t Size(const BufferPtr& buffer) { return buffer == nullptr ? 0 : buffer->size(); }

bool Holds(const BufferPtr& buffer, uint64_t count, uint64_t width) {
  return width == 0 || Size(buffer) / width >= count;
}

/// Offsets ascend from 0 or more and stay within what they point into.
template <typename Offset>
bool OffsetsFit(const Array& array, uint64_t limit) {
  if (array.length == 0) {
    return true;
  }
  if (!Holds(array.offsets, static_cast<uint64_t>(array.length) + 1, sizeof(Offset))) {
    return false;
  }
  const auto* offsets = array.offsets->as<Offset>();
  bool ascending = offsets[0] >= 0;
  for (int64_t i = 0; i < array.length; ++i) {
    ascending &= offsets[i] <= offsets[i + 1];
  }
  return ascending && static_cast<uint64_t>(offsets[array.length]) <= limit;
}

bool CheckOffsets(const Array& array, uint64_t limit) {
  return columnar::HasLargeOffsets(array.type->id) ? OffsetsFit<int64_t>(array, limit)
                                                   : OffsetsFit<int32_t>(array, limit);
}

/// Buffers and children of the array itself, by its type.
Status CheckShape(const Array& array, const std::string& path) {
  const auto length = static_cast<uint64_t>(array.length);
  if (array.validity != nullptr &&
      array.validity->size() < codec::BitmapBytes(static_cast<size_t>(length))) {
    return Bad(path, "a validity bitmap that is too short");
  }
  const columnar::DataType& type = *array.type;
  if (array.children.size() != type.children.size()) {
    return Bad(path, "a wrong number of children");
  }
  for (size_t i = 0; i < array.children.size(); ++i) {
    const columnar::ArrayPtr& child = array.children[i];
    if (child == nullptr || child->type == nullptr || child->length < 0 ||
        !columnar::SameType(*child->type, *type.children[i].type)) {
      return Bad(path, "a child that is missing or of another type");
    }
  }
  switch (type.id) {
    case TypeId::kNull:
      return Status::Ok();
    case TypeId::kBool:
      return Size(array.values) >= codec::BitmapBytes(static_cast<size_t>(length))
                 ? Status::Ok()
                 : Bad(path, "fewer values than its length");
    case TypeId::kStruct:
      for (const columnar::ArrayPtr& child : array.children) {
        if (child->length != array.length) {
          return Bad(path, "members of different lengths");
        }
      }
      return Status::Ok();
    case TypeId::kFixedSizeList: {
      const auto items = static_cast<uint64_t>(array.children[0]->length);
      return type.width == 0 || items / type.width >= length
                 ? Status::Ok()
                 : Bad(path, "fewer items than its length");
    }
    default:
      break;
  }
  if (columnar::IsListLike(type.id) || columnar::IsVariable(type.id)) {
    const uint64_t limit = columnar::IsListLike(type.id)
                               ? static_cast<uint64_t>(array.children[0]->length)
                               : Size(array.values);
    return CheckOffsets(array, limit) ? Status::Ok()
                                      : Bad(path, "offsets that do not ascend within its values");
  }
  return Holds(array.values, length, columnar::ByteWidth(type))
             ? Status::Ok()
             : Bad(path, "fewer values than its length");
}

bool IsReached(const Reached& reached, int64_t slot) {
  return reached.empty() || reached[static_cast<size_t>(slot)] != 0;
}

bool HasNullReached(const Array& array, const Reached& reached) {
  if (array.type->id != TypeId::kNull && columnar::CountNulls(array.validity, array.length) == 0) {
    return false;
  }
  for (int64_t i = 0; i < array.length; ++i) {
    if (array.IsNull(i) && IsReached(reached, i)) {
      return true;
    }
  }
  return false;
}

/// What of the child can be reached through `array`.
Reached ReachedBelow(const Array& array, const Reached& reached) {
  const bool list = columnar::IsListLike(array.type->id);
  if (!list && reached.empty() && array.validity == nullptr) {
    return {};
  }
  Reached below(static_cast<size_t>(array.children[0]->length), 0);
  for (int64_t i = 0; i < array.length; ++i) {
    if (array.IsNull(i) || !IsReached(reached, i)) {
      continue;
    }
    const int64_t from = list ? array.Offset(i) : i, to = list ? array.Offset(i + 1) : i + 1;
    std::fill(below.begin() + from, below.begin() + to, uint8_t{1});
  }
  return below;
}

/// Some field below has no nulls, but its array does: only then what is reached must be known.
bool NeedsReach(const Array& array, const FieldNode& field) {
  for (size_t i = 0; i < field.children.size(); ++i) {
    const Array& child = *array.children[i];
    if ((!field.children[i].nullable &&
         (child.validity != nullptr || child.type->id == TypeId::kNull)) ||
        (!field.children[i].is_column() && NeedsReach(child, field.children[i]))) {
      return true;
    }
  }
  return false;
}

Status CheckShapes(const Array& array, const std::string& path) {
  PCHRONICLE_RETURN_IF_ERROR(CheckShape(array, path));
  for (size_t i = 0; i < array.children.size(); ++i) {
    PCHRONICLE_RETURN_IF_ERROR(
        CheckShapes(*array.children[i], path + "." + array.type->children[i].name));
  }
  return Status::Ok();
}

Status CheckNulls(const Array& array, const FieldNode& field, const std::string& path,
                  const Reached& reached) {
  if (!field.nullable && HasNullReached(array, reached)) {
    return Bad(path, "nulls in a field that has none");
  }
  if (field.is_column() || !NeedsReach(array, field)) {
    return Status::Ok();
  }
  const Reached below = ReachedBelow(array, reached);
  for (size_t i = 0; i < field.children.size(); ++i) {
    PCHRONICLE_RETURN_IF_ERROR(CheckNulls(*array.children[i], field.children[i],
                                          path + "." + field.children[i].name, below));
  }
  return Status::Ok();
}

}  // namespace

Status CheckArray(const Array& array, const FieldNode& field, int64_t rows) {
  if (array.type == nullptr || !columnar::SameType(*array.type, *field.type) ||
      array.length != rows) {
    return Status::InvalidArgument(
        "column '{}': {} rows of {} for {} of {}", field.name, array.length,
        array.type == nullptr ? "nothing" : columnar::ToString(*array.type), rows,
        columnar::ToString(*field.type));
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckShapes(array, field.name));
  return CheckNulls(array, field, field.name, {});
}

}  // namespace pchronicle::lance
