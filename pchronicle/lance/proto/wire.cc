#include "pchronicle/lance/proto/wire.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace pchronicle::lance::proto {

void WireReader::Damage(std::string_view what) {
  if (status_.ok()) {
    status_ = Status::Corruption("protobuf: {} in field {} at byte {} of {}", what, field_, start_,
                                 bytes_.size());
  }
}

bool WireReader::ReadVarint(std::string_view bytes, size_t* at, uint64_t* value) {
  uint64_t result = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (*at >= bytes.size()) {
      Damage("number cut off");
      return false;
    }
    const auto byte = static_cast<uint8_t>(bytes[(*at)++]);
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      *value = result;
      return true;
    }
  }
  Damage("number longer than ten bytes");
  return false;
}

bool WireReader::Next() {
  if (!status_.ok() || at_ >= bytes_.size()) {
    return false;
  }
  start_ = at_;
  uint64_t tag = 0;
  if (!ReadVarint(bytes_, &at_, &tag)) {
    return false;
  }
  if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) {
    Damage("field number out of range");
    return false;
  }
  field_ = static_cast<uint32_t>(tag >> 3);
  type_ = static_cast<WireType>(tag & 7);
  number_ = 0;
  content_ = {};
  size_t fixed = 0;
  switch (type_) {
    case WireType::kVarint:
      return ReadVarint(bytes_, &at_, &number_);
    case WireType::kFixed64:
      fixed = 8;
      break;
    case WireType::kFixed32:
      fixed = 4;
      break;
    case WireType::kBytes: {
      uint64_t length = 0;
      if (!ReadVarint(bytes_, &at_, &length)) {
        return false;
      }
      if (length > bytes_.size() - at_) {
        Damage("length beyond the message");
        return false;
      }
      content_ = bytes_.substr(at_, length);
      at_ += length;
      return true;
    }
    default:
      Damage("unknown wire type");
      return false;
  }
  if (fixed > bytes_.size() - at_) {
    Damage("number cut off");
    return false;
  }
  std::memcpy(&number_, bytes_.data() + at_, fixed);
  at_ += fixed;
  return true;
}

uint64_t WireReader::U64() {
  if (type_ == WireType::kBytes) {
    Damage("bytes where a number is expected");
    return 0;
  }
  return number_;
}

uint32_t WireReader::U32() {
  const uint64_t value = U64();
  if (value > UINT32_MAX) {
    Damage("number beyond 32 bits");
    return 0;
  }
  return static_cast<uint32_t>(value);
}

double WireReader::Double() {
  if (type_ != WireType::kFixed64) {
    Damage("no 64-bit float");
    return 0;
  }
  return std::bit_cast<double>(number_);
}

std::string_view WireReader::Bytes() {
  if (type_ != WireType::kBytes) {
    Damage("a number where bytes are expected");
    return {};
  }
  return content_;
}

WireReader WireReader::Message() {
  WireReader child(Bytes());
  child.depth_ = depth_ + 1;
  if (child.depth_ > kMaxMessageDepth) {
    Damage("messages nested too deeply");
  }
  child.status_ = status_;
  return child;
}

template <typename T>
void WireReader::AppendScalars(std::vector<T>* out) {
  if (type_ != WireType::kBytes) {
    out->push_back(static_cast<T>(number_));
    return;
  }
  for (size_t at = 0; at < content_.size();) {
    uint64_t value = 0;
    if (!ReadVarint(content_, &at, &value)) {
      return;
    }
    out->push_back(static_cast<T>(value));
  }
}

void WireReader::AppendTo(std::vector<uint64_t>* out) { AppendScalars(out); }
void WireReader::AppendTo(std::vector<int32_t>* out) { AppendScalars(out); }
void WireReader::AppendTo(std::vector<uint32_t>* out) { AppendScalars(out); }

void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

void WireWriter::Tag(uint32_t field, WireType type) {
  AppendVarint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type), &bytes_);
}

void WireWriter::PresentNumber(uint32_t field, uint64_t value) {
  Tag(field, WireType::kVarint);
  AppendVarint(value, &bytes_);
}

void WireWriter::Double(uint32_t field, double value) {
  Tag(field, WireType::kFixed64);
  const auto bits = std::bit_cast<uint64_t>(value);
  bytes_.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
}

void WireWriter::Bytes(uint32_t field, std::string_view value) {
  Tag(field, WireType::kBytes);
  AppendVarint(value.size(), &bytes_);
  bytes_ += value;
}

void WireWriter::MapEntry(uint32_t field, std::string_view key, std::string_view value) {
  WireWriter entry;
  entry.Bytes(1, key);
  entry.Bytes(2, value);
  Message(field, entry);
}

namespace {

// Signed numbers are extended to 64 bits.
template <typename T>
std::string PackVarints(std::span<const T> values) {
  std::string packed;
  for (const T value : values) {
    if constexpr (std::is_signed_v<T>) {
      AppendVarint(static_cast<uint64_t>(static_cast<int64_t>(value)), &packed);
    } else {
      AppendVarint(value, &packed);
    }
  }
  return packed;
}

}  // namespace

void WireWriter::Packed(uint32_t field, std::span<const uint64_t> values) {
  if (!values.empty()) {
    Bytes(field, PackVarints(values));
  }
}

void WireWriter::Packed(uint32_t field, std::span<const int32_t> values) {
  if (!values.empty()) {
    Bytes(field, PackVarints(values));
  }
}

void WireWriter::Packed(uint32_t field, std::span<const uint32_t> values) {
  if (!values.empty()) {
    Bytes(field, PackVarints(values));
  }
}

}  // namespace pchronicle::lance::proto
