#include "pchronicle/lance/table/flatbuffer.h"

#include <cstring>

namespace pchronicle::lance {
namespace {

template <typename T>
std::optional<T> Load(std::string_view bytes, uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) {
    return std::nullopt;
  }
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// The target of a forward reference: a u32 distance from where it stands.
std::optional<uint64_t> Follow(std::string_view bytes, uint64_t at) {
  const std::optional<uint32_t> distance = Load<uint32_t>(bytes, at);
  if (!distance || *distance > bytes.size() - at) {
    return std::nullopt;
  }
  return at + *distance;
}

}  // namespace

std::optional<FlatTable> FlatTable::Root(std::string_view bytes) {
  const std::optional<uint64_t> root = Follow(bytes, 0);
  return root ? At(bytes, *root) : std::nullopt;
}

std::optional<FlatTable> FlatTable::At(std::string_view bytes, uint64_t position) {
  const std::optional<int32_t> back = Load<int32_t>(bytes, position);
  if (!back) {
    return std::nullopt;
  }
  const int64_t vtable = static_cast<int64_t>(position) - *back;
  if (vtable < 0) {
    return std::nullopt;
  }
  const std::optional<uint16_t> size = Load<uint16_t>(bytes, static_cast<uint64_t>(vtable));
  if (!size || *size < 4 || bytes.size() - static_cast<uint64_t>(vtable) < *size) {
    return std::nullopt;
  }
  return FlatTable(bytes, position, static_cast<uint64_t>(vtable), *size);
}

std::optional<uint64_t> FlatTable::Offset(uint32_t slot) const {
  const uint64_t entry = 4 + 2 * uint64_t{slot};
  if (entry + 2 > vtable_size_) {
    return std::nullopt;
  }
  const std::optional<uint16_t> offset = Load<uint16_t>(bytes_, vtable_ + entry);
  if (!offset || *offset == 0) {
    return std::nullopt;
  }
  return at_ + *offset;
}

template <typename T>
std::optional<int64_t> FlatTable::Number(uint32_t slot, T fallback) const {
  const std::optional<uint64_t> at = Offset(slot);
  if (!at) {
    return fallback;
  }
  const std::optional<T> value = Load<T>(bytes_, *at);
  return value ? std::optional<int64_t>(*value) : std::nullopt;
}

std::optional<int64_t> FlatTable::Int64(uint32_t slot, int64_t fallback) const {
  return Number(slot, fallback);
}

std::optional<int64_t> FlatTable::Int32(uint32_t slot, int32_t fallback) const {
  return Number(slot, fallback);
}

std::optional<int64_t> FlatTable::Int16(uint32_t slot, int16_t fallback) const {
  return Number(slot, fallback);
}

std::optional<int64_t> FlatTable::Int8(uint32_t slot, int8_t fallback) const {
  return Number(slot, fallback);
}

std::optional<FlatTable> FlatTable::Table(uint32_t slot) const {
  const std::optional<uint64_t> at = Offset(slot);
  const std::optional<uint64_t> target = at ? Follow(bytes_, *at) : std::nullopt;
  return target ? At(bytes_, *target) : std::nullopt;
}

std::optional<FlatTable::Vector> FlatTable::Elements(uint32_t slot, uint32_t width) const {
  const std::optional<uint64_t> at = Offset(slot);
  const std::optional<uint64_t> target = at ? Follow(bytes_, *at) : std::nullopt;
  const std::optional<uint32_t> count = target ? Load<uint32_t>(bytes_, *target) : std::nullopt;
  if (!count || uint64_t{*count} * width > bytes_.size() - *target - 4) {
    return std::nullopt;
  }
  return Vector{bytes_.substr(*target + 4, uint64_t{*count} * width), *count};
}

std::optional<std::string_view> FlatTable::Text(uint32_t slot) const {
  const std::optional<Vector> bytes = Elements(slot, 1);
  return bytes ? std::optional<std::string_view>(bytes->bytes) : std::nullopt;
}

std::optional<FlatTable> FlatTable::TableAt(uint32_t slot, uint32_t index) const {
  const std::optional<Vector> all = Elements(slot, 4);
  if (!all || index >= all->count) {
    return std::nullopt;
  }
  const auto place = static_cast<uint64_t>(all->bytes.data() - bytes_.data()) + uint64_t{index} * 4;
  const std::optional<uint64_t> target = Follow(bytes_, place);
  return target ? At(bytes_, *target) : std::nullopt;
}

}  // namespace pchronicle::lance
