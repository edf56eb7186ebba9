#include "pchronicle/lance/encoding/value_builder.h"

#include <cstring>

#include "pchronicle/codec/bits.h"

namespace pchronicle::lance {

using columnar::Buffer;
using columnar::TypeId;

uint8_t* ValidityBuilder::Room(size_t count) {
  bits_->Resize(codec::BitmapBytes(length_ + count));
  return bits_->data();
}

void ValidityBuilder::Materialize() {
  if (bits_ == nullptr) {
    bits_ = pool_.Take();
    const size_t valid = length_;
    length_ = 0;
    codec::FillBits(true, valid, Room(valid), 0);
    length_ = valid;
  }
}

void ValidityBuilder::AppendValid(size_t count) {
  if (bits_ != nullptr) {
    codec::FillBits(true, count, Room(count), length_);
  }
  length_ += count;
}

void ValidityBuilder::AppendNull(size_t count) {
  if (count != 0) {
    Materialize();
    codec::FillBits(false, count, Room(count), length_);
    length_ += count;
    nulls_ += count;
  }
}

void ValidityBuilder::AppendBits(const uint8_t* bits, size_t at, size_t count) {
  const size_t valid = codec::CountBits(bits, at, count);
  if (valid == count) {
    AppendValid(count);
    return;
  }
  Materialize();
  codec::CopyBits(bits, at, count, Room(count), length_);
  length_ += count;
  nulls_ += count - valid;
}

void ValidityBuilder::AppendLevels(const uint16_t* levels, size_t count, uint16_t limit) {
  Materialize();
  const size_t valid = codec::LevelsToBits(levels, count, limit, Room(count), length_);
  length_ += count;
  nulls_ += count - valid;
}

columnar::BufferPtr ValidityBuilder::Finish() {
  columnar::BufferPtr bits = nulls_ == 0 ? nullptr : bits_;
  Reset();
  return bits;
}

void ValidityBuilder::Reset() {
  bits_.reset();
  length_ = nulls_ = 0;
}

ValueShape ValueShape::Of(const columnar::DataType& type) {
  ValueShape shape;
  switch (type.id) {
    case TypeId::kNull:
      return shape;
    case TypeId::kBool:
      shape.kind = Kind::kBits;
      return shape;
    case TypeId::kStruct:
      shape.kind = Kind::kStruct;
      break;
    case TypeId::kFixedSizeList:
      shape.kind = Kind::kFixedSizeList;
      shape.width = type.width;
      break;
    default:
      shape.kind = columnar::IsVariable(type.id) ? Kind::kVariable : Kind::kFixed;
      shape.width = columnar::ByteWidth(type);
      shape.large = columnar::HasLargeOffsets(type.id);
      return shape;
  }
  for (const columnar::DataField& child : type.children) {
    shape.children.push_back(Of(*child.type));
  }
  return shape;
}

uint64_t ValueShape::PlainBytes() const {
  switch (kind) {
    case Kind::kBits:
      return 1;
    case Kind::kFixed:
      return width;
    case Kind::kFixedSizeList:
      return width * children[0].PlainBytes();
    default:
      return 0;
  }
}

std::string ValueShape::ToString() const {
  switch (kind) {
    case Kind::kNull:
      return "null values";
    case Kind::kBits:
      return "booleans";
    case Kind::kFixed:
      return fmt::format("{}-byte values", width);
    case Kind::kVariable:
      return large ? "values with 64-bit offsets" : "values with 32-bit offsets";
    case Kind::kFixedSizeList:
      return fmt::format("lists of {} {}", width, children[0].ToString());
    case Kind::kStruct:
      return fmt::format("structs of {} members", children.size());
  }
  return "values";
}

ValueBuilder::ValueBuilder(ValueShape shape) : shape_(std::move(shape)) {
  for (const ValueShape& child : shape_.children) {
    children_.emplace_back(child);
  }
  Reset();
}

size_t ValueBuilder::bytes() const {
  size_t sum =
      (values_ == nullptr ? 0 : values_->size()) + (offsets_ == nullptr ? 0 : offsets_->size());
  for (const ValueBuilder& child : children_) {
    sum += child.bytes();
  }
  return sum;
}

void ValueBuilder::Reset() {
  size_ = 0;
  validity_.Reset();
  const ValueShape::Kind kind = shape_.kind;
  // Let go first, so that the pool can hand out the same memory again.
  values_.reset();
  offsets_.reset();
  if (kind == ValueShape::Kind::kBits || kind == ValueShape::Kind::kFixed ||
      kind == ValueShape::Kind::kVariable) {
    values_ = values_pool_.Take();
  }
  if (kind == ValueShape::Kind::kVariable) {
    offsets_ = offsets_pool_.Take();
    offsets_->AppendZeros(shape_.large ? 8 : 4);
  }
  for (ValueBuilder& child : children_) {
    child.Reset();
  }
}

void ValueBuilder::AppendPlain(const uint8_t* values, size_t count, size_t stride) {
  const size_t width = shape_.width;
  switch (shape_.kind) {
    case ValueShape::Kind::kFixed: {
      uint8_t* out = ReserveFixed(count);
      if (stride == width) {
        std::memcpy(out, values, count * width);
      } else {
        for (size_t i = 0; i < count; ++i) {
          std::memcpy(out + i * width, values + i * stride, width);
        }
      }
      AdvanceFixed(count);
      return;
    }
    case ValueShape::Kind::kBits:
      values_->Resize(codec::BitmapBytes(size_ + count));
      if (stride == 1) {
        codec::BytesToBits(values, count, values_->data(), size_);
      } else {
        for (size_t i = 0; i < count; ++i) {
          codec::BytesToBits(values + i * stride, 1, values_->data(), size_ + i);
        }
      }
      break;
    case ValueShape::Kind::kFixedSizeList: {
      const size_t item = static_cast<size_t>(shape_.children[0].PlainBytes());
      if (stride == item * width) {
        children_[0].AppendPlain(values, count * width, item);
      } else {
        for (size_t i = 0; i < count; ++i) {
          children_[0].AppendPlain(values + i * stride, width, item);
        }
      }
      children_[0].validity().AppendValid(count * width);
      break;
    }
    default:
      PCHRONICLE_DCHECK(false);
  }
  size_ += count;
}

void ValueBuilder::AppendBits(const uint8_t* bits, size_t at, size_t count) {
  values_->Resize(codec::BitmapBytes(size_ + count));
  codec::CopyBits(bits, at, count, values_->data(), size_);
  size_ += count;
}

Status ValueBuilder::CheckText(uint64_t size) const {
  if (!shape_.large && size > INT32_MAX) {
    return Status::ResourceExhausted(
        "more than 2 GiB of text in one batch of a column with 32-bit offsets: read fewer rows");
  }
  return Status::Ok();
}

Status ValueBuilder::CloseText() {
  const uint64_t end = values_->size();
  PCHRONICLE_RETURN_IF_ERROR(CheckText(end));
  if (shape_.large) {
    std::memcpy(offsets_->Reserve(8), &end, 8);
    offsets_->Advance(8);
  } else {
    const auto small = static_cast<uint32_t>(end);
    std::memcpy(offsets_->Reserve(4), &small, 4);
    offsets_->Advance(4);
  }
  ++size_;
  return Status::Ok();
}

Status ValueBuilder::AppendText(const uint8_t* text, size_t size) {
  values_->Append(text, size);
  return CloseText();
}

template <typename End>
Status ValueBuilder::AppendTexts(const uint8_t* text, const uint8_t* ends, size_t count,
                                 uint64_t start) {
  if (count == 0) {
    return Status::Ok();
  }
  const auto end_at = [&](size_t i) {
    End end;
    std::memcpy(&end, ends + i * sizeof(End), sizeof(End));
    return uint64_t{end};
  };
  const uint64_t total = end_at(count - 1) - start, base = values_->size();
  PCHRONICLE_RETURN_IF_ERROR(CheckText(base + total));
  values_->Append(text, static_cast<size_t>(total));
  const uint64_t shift = base - start;  // modulo 2^64
  if (shape_.large) {
    auto* out = reinterpret_cast<uint64_t*>(offsets_->Reserve(count * 8));
    for (size_t i = 0; i < count; ++i) {
      out[i] = end_at(i) + shift;
    }
    offsets_->Advance(count * 8);
  } else {
    auto* out = reinterpret_cast<uint32_t*>(offsets_->Reserve(count * 4));
    for (size_t i = 0; i < count; ++i) {
      out[i] = static_cast<uint32_t>(end_at(i) + shift);
    }
    offsets_->Advance(count * 4);
  }
  size_ += count;
  return Status::Ok();
}

template Status ValueBuilder::AppendTexts<uint32_t>(const uint8_t*, const uint8_t*, size_t,
                                                    uint64_t);
template Status ValueBuilder::AppendTexts<uint64_t>(const uint8_t*, const uint8_t*, size_t,
                                                    uint64_t);

void ValueBuilder::AppendEmpty(size_t count) {
  switch (shape_.kind) {
    case ValueShape::Kind::kBits:
      values_->Resize(codec::BitmapBytes(size_ + count));
      codec::FillBits(false, count, values_->data(), size_);
      break;
    case ValueShape::Kind::kFixed:
      values_->AppendZeros(count * shape_.width);
      break;
    case ValueShape::Kind::kVariable: {
      const uint64_t end = values_->size();
      const size_t width = shape_.large ? 8 : 4;
      uint8_t* out = offsets_->Reserve(count * width);
      for (size_t i = 0; i < count; ++i) {
        std::memcpy(out + i * width, &end, width);
      }
      offsets_->Advance(count * width);
      break;
    }
    case ValueShape::Kind::kFixedSizeList:
      children_[0].AppendEmpty(count * shape_.width);
      children_[0].validity().AppendNull(count * shape_.width);
      break;
    case ValueShape::Kind::kStruct:
      for (ValueBuilder& child : children_) {
        child.AppendEmpty(count);
        child.validity().AppendNull(count);
      }
      break;
    case ValueShape::Kind::kNull:
      break;
  }
  size_ += count;
}

std::string_view ValueBuilder::View(size_t i) const {
  const auto* bytes = reinterpret_cast<const char*>(values_->data());
  if (shape_.kind == ValueShape::Kind::kFixed) {
    return {bytes + i * shape_.width, shape_.width};
  }
  const auto end = [&](size_t k) -> uint64_t {
    return shape_.large ? offsets_->as<uint64_t>()[k] : offsets_->as<uint32_t>()[k];
  };
  return {bytes + end(i), static_cast<size_t>(end(i + 1) - end(i))};
}

columnar::ArrayPtr ValueBuilder::Finish(const columnar::DataTypePtr& type,
                                        columnar::BufferPtr validity, size_t nulls) {
  auto array = std::make_shared<columnar::Array>();
  array->type = type;
  array->length = static_cast<int64_t>(size_);
  array->null_count = static_cast<int64_t>(type->id == TypeId::kNull ? size_ : nulls);
  array->validity = std::move(validity);
  array->values = values_;
  array->offsets = offsets_;
  for (size_t i = 0; i < children_.size(); ++i) {
    ValueBuilder& child = children_[i];
    const size_t child_nulls = child.validity().nulls();
    columnar::BufferPtr child_validity = child.validity().Finish();
    array->children.push_back(
        child.Finish(type->children[i].type, std::move(child_validity), child_nulls));
  }
  Reset();
  return array;
}

}  // namespace pchronicle::lance
