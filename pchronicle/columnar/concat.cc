#include "pchronicle/columnar/concat.h"

#include <cstring>
#include <limits>
#include <vector>

#include "pchronicle/base/check.h"

namespace pchronicle::columnar {
namespace {

// Appends `length` bits (all ones without a source) behind bit `at`.
void AppendBits(const Buffer* bits, int64_t length, int64_t at, Buffer* out) {
  for (int64_t i = 0; i < length; ++i) {
    if (bits == nullptr || (bits->data()[i >> 3] >> (i & 7) & 1) != 0) {
      uint8_t& byte = out->data()[(at + i) >> 3];
      byte = static_cast<uint8_t>(byte | 1U << ((at + i) & 7));
    }
  }
}

std::shared_ptr<Buffer> ZeroBits(int64_t length) {
  auto out = std::make_shared<Buffer>();
  out->AppendZeros(static_cast<size_t>(length + 7) / 8);
  return out;
}

template <typename Offset>
Status JoinOffsets(std::span<const ArrayPtr> arrays, Buffer* out) {
  Offset at = 0;
  out->Append(&at, sizeof(at));
  for (const ArrayPtr& array : arrays) {
    const auto* offsets = array->offsets->as<Offset>();
    if (offsets[array->length] > std::numeric_limits<Offset>::max() - at) {
      return Status::ResourceExhausted("values of type {} beyond {} bytes or items",
                                       ToString(*array->type), std::numeric_limits<Offset>::max());
    }
    for (int64_t i = 1; i <= array->length; ++i) {
      const auto end = static_cast<Offset>(at + offsets[i]);
      out->Append(&end, sizeof(end));
    }
    at = static_cast<Offset>(at + offsets[array->length]);
  }
  return Status::Ok();
}

void JoinValidity(std::span<const ArrayPtr> arrays, Array* out) {
  for (const ArrayPtr& array : arrays) {
    out->null_count += array->null_count;
  }
  bool any = false;
  for (const ArrayPtr& array : arrays) {
    any = any || array->validity != nullptr;
  }
  if (!any) {
    return;
  }
  auto bits = ZeroBits(out->length);
  int64_t at = 0;
  for (const ArrayPtr& array : arrays) {
    AppendBits(array->validity.get(), array->length, at, bits.get());
    at += array->length;
  }
  out->validity = std::move(bits);
}

}  // namespace

Result<ArrayPtr> Concat(std::span<const ArrayPtr> arrays) {
  PCHRONICLE_CHECK(!arrays.empty());
  if (arrays.size() == 1) {
    return arrays.front();
  }
  auto out = std::make_shared<Array>();
  out->type = arrays.front()->type;
  for (const ArrayPtr& array : arrays) {
    out->length += array->length;
  }
  JoinValidity(arrays, out.get());
  const TypeId id = out->type->id;
  if (IsVariable(id) || IsListLike(id)) {
    auto offsets = std::make_shared<Buffer>();
    PCHRONICLE_RETURN_IF_ERROR(HasLargeOffsets(id) ? JoinOffsets<int64_t>(arrays, offsets.get())
                                                   : JoinOffsets<int32_t>(arrays, offsets.get()));
    out->offsets = std::move(offsets);
  }
  if (id == TypeId::kBool) {
    auto bits = ZeroBits(out->length);
    int64_t at = 0;
    for (const ArrayPtr& array : arrays) {
      AppendBits(array->values.get(), array->length, at, bits.get());
      at += array->length;
    }
    out->values = std::move(bits);
  } else if (id != TypeId::kNull && out->type->children.empty()) {
    auto values = std::make_shared<Buffer>(0);
    for (const ArrayPtr& array : arrays) {
      const size_t bytes = IsVariable(id)
                               ? static_cast<size_t>(array->Offset(array->length))
                               : static_cast<size_t>(array->length) * ByteWidth(*out->type);
      if (bytes > 0) {
        values->Append(array->values->data(), bytes);
      }
    }
    out->values = std::move(values);
  }
  for (size_t k = 0; k < out->type->children.size(); ++k) {
    std::vector<ArrayPtr> children;
    for (const ArrayPtr& array : arrays) {
      children.push_back(array->children[k]);
    }
    PCHRONICLE_ASSIGN_OR_RETURN(ArrayPtr child, Concat(children));
    out->children.push_back(std::move(child));
  }
  return ArrayPtr(std::move(out));
}

}  // namespace pchronicle::columnar
