#include "pchronicle/lance/edit/literal_array.h"

#include <cmath>
#include <limits>

namespace pchronicle::lance {
namespace {

using columnar::Scalar;
using columnar::TypeId;

// The bytes of one value; nothing when it is none of the type.
template <typename T>
std::optional<std::string> Integer(const Scalar& value) {
  T out;
  bool fits = false;
  if (const auto* number = std::get_if<int64_t>(&value)) {
    fits = std::in_range<T>(*number);
    out = static_cast<T>(*number);
  } else if (const auto* positive = std::get_if<uint64_t>(&value)) {
    fits = std::in_range<T>(*positive);
    out = static_cast<T>(*positive);
  }
  return fits ? std::optional(std::string(reinterpret_cast<const char*>(&out), sizeof(out)))
              : std::nullopt;
}

template <typename T>
std::optional<std::string> Float(const Scalar& value) {
  T out;
  if (const auto* number = std::get_if<double>(&value)) {
    out = static_cast<T>(*number);
    if (std::isinf(out) && !std::isinf(*number)) {
      return std::nullopt;
    }
  } else if (const auto* whole = std::get_if<int64_t>(&value)) {
    out = static_cast<T>(*whole);
  } else if (const auto* positive = std::get_if<uint64_t>(&value)) {
    out = static_cast<T>(*positive);
  } else {
    return std::nullopt;
  }
  return std::string(reinterpret_cast<const char*>(&out), sizeof(out));
}

std::optional<std::string> FixedBytes(const columnar::DataType& type, const Scalar& value) {
  switch (type.id) {
    case TypeId::kInt8:
      return Integer<int8_t>(value);
    case TypeId::kInt16:
      return Integer<int16_t>(value);
    case TypeId::kInt32:
    case TypeId::kDate32:
    case TypeId::kTime32:
      return Integer<int32_t>(value);
    case TypeId::kInt64:
    case TypeId::kDate64:
    case TypeId::kTime64:
    case TypeId::kTimestamp:
    case TypeId::kDuration:
      return Integer<int64_t>(value);
    case TypeId::kUint8:
      return Integer<uint8_t>(value);
    case TypeId::kUint16:
      return Integer<uint16_t>(value);
    case TypeId::kUint32:
      return Integer<uint32_t>(value);
    case TypeId::kUint64:
      return Integer<uint64_t>(value);
    case TypeId::kFloat:
      return Float<float>(value);
    case TypeId::kDouble:
      return Float<double>(value);
    case TypeId::kFixedBinary: {
      const auto* bytes = std::get_if<std::string>(&value);
      return bytes != nullptr && bytes->size() == type.width ? std::optional(*bytes) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

template <typename T>
Result<columnar::BufferPtr> EvenOffsets(size_t width, int64_t rows) {
  auto out = std::make_shared<columnar::Buffer>(0);
  uint64_t end = 0;
  for (int64_t i = 0; i <= rows; ++i, end += width) {
    if (end > static_cast<uint64_t>(std::numeric_limits<T>::max())) {
      return Status::ResourceExhausted("{} texts of {} bytes do not fit one batch", rows, width);
    }
    const T offset = static_cast<T>(end);
    out->Append(&offset, sizeof(offset));
  }
  return columnar::BufferPtr(std::move(out));
}

}  // namespace

Result<columnar::ArrayPtr> LiteralArray(const columnar::DataTypePtr& type,
                                        const std::optional<Scalar>& value, int64_t rows) {
  if (!value) {
    return columnar::MakeNullArray(type, rows);
  }
  auto out = std::make_shared<columnar::Array>();
  auto values = std::make_shared<columnar::Buffer>(0);
  out->type = type;
  out->length = rows;
  const auto wrong = [&] {
    return Status::InvalidArgument("the literal is no value of type {}", columnar::ToString(*type));
  };
  if (type->id == TypeId::kBool) {
    const bool* truth = std::get_if<bool>(&*value);
    if (truth == nullptr) {
      return wrong();
    }
    const std::string bits(static_cast<size_t>((rows + 7) / 8), *truth ? '\xff' : '\0');
    values->Append(bits.data(), bits.size());
  } else if (columnar::IsVariable(type->id)) {
    const auto* text = std::get_if<std::string>(&*value);
    if (text == nullptr) {
      return wrong();
    }
    PCHRONICLE_ASSIGN_OR_RETURN(out->offsets, columnar::HasLargeOffsets(type->id)
                                                  ? EvenOffsets<int64_t>(text->size(), rows)
                                                  : EvenOffsets<int32_t>(text->size(), rows));
    for (int64_t i = 0; i < rows; ++i) {
      values->Append(text->data(), text->size());
    }
  } else {
    const std::optional<std::string> bytes = FixedBytes(*type, *value);
    if (!bytes) {
      return wrong();
    }
    for (int64_t i = 0; i < rows; ++i) {
      values->Append(bytes->data(), bytes->size());
    }
  }
  out->values = std::move(values);
  return columnar::ArrayPtr(std::move(out));
}

}  // namespace pchronicle::lance
