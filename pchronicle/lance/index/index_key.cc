#include "pchronicle/lance/index/index_key.h"

#include <bit>
#include <cstring>

namespace pchronicle::lance {
namespace {

using columnar::TypeId;

// The bits of a number in an order-preserving form, most significant byte first.
uint64_t SignBit(uint32_t width) { return uint64_t{1} << (8 * width - 1); }

uint64_t LoadNumber(const columnar::Array& array, int64_t slot, uint32_t width) {
  uint64_t bits = 0;
  std::memcpy(&bits, array.values->data() + static_cast<size_t>(slot) * width, width);
  return bits;
}

uint64_t Mask(uint32_t width) { return UINT64_MAX >> (64 - 8 * width); }

bool IsSigned(TypeId id) {
  switch (id) {
    case TypeId::kInt8:
    case TypeId::kInt16:
    case TypeId::kInt32:
    case TypeId::kInt64:
    case TypeId::kDate32:
    case TypeId::kDate64:
    case TypeId::kTime32:
    case TypeId::kTime64:
    case TypeId::kTimestamp:
    case TypeId::kDuration:
      return true;
    default:
      return false;
  }
}

bool IsUnsigned(TypeId id) {
  return id == TypeId::kUint8 || id == TypeId::kUint16 || id == TypeId::kUint32 ||
         id == TypeId::kUint64;
}

bool IsFloat(TypeId id) {
  return id == TypeId::kHalf || id == TypeId::kFloat || id == TypeId::kDouble;
}

}  // namespace

Result<IndexKey> IndexKey::For(columnar::DataTypePtr type) {
  const TypeId id = type->id;
  const uint32_t width = columnar::ByteWidth(*type);
  if (columnar::IsVariable(id)) {
    return IndexKey(std::move(type), Form::kBytes, 0);
  }
  if (id == TypeId::kFixedBinary && width != 0) {
    return IndexKey(std::move(type), Form::kBytes, width);
  }
  if (id == TypeId::kBool) {
    return IndexKey(std::move(type), Form::kBool, 0);
  }
  if (IsSigned(id) || IsUnsigned(id) || IsFloat(id)) {
    const Form form = IsSigned(id)     ? Form::kSigned
                      : IsUnsigned(id) ? Form::kUnsigned
                                       : Form::kFloat;
    return IndexKey(std::move(type), form, width);
  }
  return Status::Unsupported("an index over values of type {}", columnar::ToString(*type));
}

void IndexKey::Append(const columnar::Array& array, int64_t slot, std::string* out) const {
  if (form_ == Form::kBytes) {
    out->append(array.Bytes(slot));
    return;
  }
  if (form_ == Form::kBool) {
    out->push_back(array.Bit(slot) ? '\1' : '\0');
    return;
  }
  uint64_t bits = LoadNumber(array, slot, width_);
  const uint64_t sign = SignBit(width_);
  if (form_ == Form::kSigned) {
    bits ^= sign;
  } else if (form_ == Form::kFloat) {
    bits ^= (bits & sign) != 0 ? Mask(width_) : sign;
  }
  const uint64_t big = __builtin_bswap64(bits << (64 - 8 * width_));
  out->append(reinterpret_cast<const char*>(&big), width_);
}

KeyArrayBuilder::KeyArrayBuilder(IndexKey key) : key_(std::move(key)) { Reset(); }

void KeyArrayBuilder::Reset() {
  length_ = nulls_ = 0;
  validity_ = std::make_shared<columnar::Buffer>(0);
  values_ = std::make_shared<columnar::Buffer>(0);
  offsets_ = nullptr;
  if (columnar::IsVariable(key_.type_->id)) {
    offsets_ = std::make_shared<columnar::Buffer>(0);
    AppendOffset();
  }
}

void KeyArrayBuilder::AppendOffset() {
  const uint64_t end = values_->size();
  offsets_->Append(&end, columnar::HasLargeOffsets(key_.type_->id) ? 8 : 4);
}

void KeyArrayBuilder::AppendValidity(bool valid) {
  if (length_ % 8 == 0) {
    validity_->AppendZeros(1);
  }
  if (valid) {
    uint8_t& byte = validity_->data()[length_ / 8];
    byte = static_cast<uint8_t>(byte | 1 << (length_ % 8));
  }
  nulls_ += valid ? 0 : 1;
  ++length_;
}

void KeyArrayBuilder::AppendNull() {
  if (key_.form_ == IndexKey::Form::kBool) {
    values_->AppendZeros(length_ % 8 == 0 ? 1 : 0);
  } else if (offsets_ == nullptr) {
    values_->AppendZeros(key_.width_);
  } else {
    AppendOffset();
  }
  AppendValidity(false);
}

Status KeyArrayBuilder::Append(std::string_view key) {
  using Form = IndexKey::Form;
  if (key_.form_ == Form::kBool) {
    values_->AppendZeros(length_ % 8 == 0 ? 1 : 0);
    uint8_t& byte = values_->data()[length_ / 8];
    byte = static_cast<uint8_t>(byte | key[0] << (length_ % 8));
  } else if (key_.form_ == Form::kBytes) {
    if (offsets_ != nullptr && !columnar::HasLargeOffsets(key_.type_->id) &&
        values_->size() + key.size() > INT32_MAX) {
      return Status::ResourceExhausted("values of 2 GiB and more in one page of an index");
    }
    values_->Append(key.data(), key.size());
    if (offsets_ != nullptr) {
      AppendOffset();
    }
  } else {
    uint64_t bits = 0;
    std::memcpy(&bits, key.data(), key_.width_);
    bits = __builtin_bswap64(bits) >> (64 - 8 * key_.width_);
    const uint64_t sign = SignBit(key_.width_);
    if (key_.form_ == Form::kSigned) {
      bits ^= sign;
    } else if (key_.form_ == Form::kFloat) {
      bits ^= (bits & sign) != 0 ? sign : Mask(key_.width_);
    }
    values_->Append(&bits, key_.width_);
  }
  AppendValidity(true);
  return Status::Ok();
}

columnar::ArrayPtr KeyArrayBuilder::Finish() {
  auto out = std::make_shared<columnar::Array>();
  out->type = key_.type_;
  out->length = length_;
  out->null_count = nulls_;
  out->validity = nulls_ == 0 ? nullptr : validity_;
  out->offsets = offsets_;
  out->values = values_;
  Reset();
  return out;
}

}  // namespace pchronicle::lance
