#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pchronicle::lance {

/// A table inside a flatbuffer, read with bounds checks and without a schema (lance.md A9): every
/// access that would leave the bytes gives nothing. Views point into the bytes.
class FlatTable {
 public:
  /// The root table of a buffer.
  static std::optional<FlatTable> Root(std::string_view bytes);

  /// The scalar of a slot; `fallback` when the slot is absent, nothing when it lies outside.
  std::optional<int64_t> Int64(uint32_t slot, int64_t fallback) const;
  std::optional<int64_t> Int32(uint32_t slot, int32_t fallback) const;
  std::optional<int64_t> Int16(uint32_t slot, int16_t fallback) const;
  std::optional<int64_t> Int8(uint32_t slot, int8_t fallback) const;
  bool Has(uint32_t slot) const { return Offset(slot).has_value(); }
  /// Nothing when absent or broken.
  std::optional<FlatTable> Table(uint32_t slot) const;
  /// A string; nothing when absent or broken.
  std::optional<std::string_view> Text(uint32_t slot) const;

  /// Elements of a vector of structs or scalars of `width` bytes, back to back.
  struct Vector {
    std::string_view bytes;
    uint32_t count = 0;
  };
  std::optional<Vector> Elements(uint32_t slot, uint32_t width) const;
  /// One of a vector of tables.
  std::optional<FlatTable> TableAt(uint32_t slot, uint32_t index) const;

 private:
  FlatTable(std::string_view bytes, uint64_t at, uint64_t vtable, uint16_t vtable_size)
      : bytes_(bytes), at_(at), vtable_(vtable), vtable_size_(vtable_size) {}
  static std::optional<FlatTable> At(std::string_view bytes, uint64_t position);
  template <typename T>
  std::optional<int64_t> Number(uint32_t slot, T fallback) const;
  // Position of a slot's value in the bytes; nothing when absent.
  std::optional<uint64_t> Offset(uint32_t slot) const;

  std::string_view bytes_;
  uint64_t at_, vtable_;
  uint16_t vtable_size_;
};

}  // namespace pchronicle::lance
