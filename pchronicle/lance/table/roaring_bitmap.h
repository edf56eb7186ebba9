#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"

namespace pchronicle::lance {

/// A set of u32 in the portable Roaring serialisation (lance.md A9): deletion files, fragment
/// bitmaps and the row bitmaps of indices. Memory stays proportional to the bytes it came from.
/// Thread-safe once it is not changed any more.
class RoaringBitmap {
 public:
  RoaringBitmap();
  RoaringBitmap(RoaringBitmap&&) noexcept;
  RoaringBitmap& operator=(RoaringBitmap&&) noexcept;
  ~RoaringBitmap();

  /// Reads exactly `bytes`; kCorruption for anything that no writer makes (unsorted containers,
  /// wrong cardinalities, bytes left over). The message names no file: the caller adds it.
  static Result<RoaringBitmap> Decode(std::string_view bytes);
  /// Any order, duplicates allowed.
  static RoaringBitmap FromValues(std::span<const uint32_t> values);
  /// Adds [begin, end), end at most 2^32.
  void AddRange(uint64_t begin, uint64_t end);

  uint64_t cardinality() const;
  bool Contains(uint32_t value) const;
  /// Members in [begin, end), end at most 2^32.
  uint64_t CountIn(uint64_t begin, uint64_t end) const;
  /// Members in [begin, end) in ascending order, appended to `out`.
  void AppendIn(uint64_t begin, uint64_t end, std::vector<uint32_t>* out) const;
  /// All members, ascending. 4 bytes each: look at cardinality() first.
  std::vector<uint32_t> Values() const;

  RoaringBitmap Union(const RoaringBitmap& other) const;
  RoaringBitmap Intersect(const RoaringBitmap& other) const;
  /// Members of this one that are not in `other`.
  RoaringBitmap Without(const RoaringBitmap& other) const;
  /// Portable serialisation, run containers where they are smaller.
  std::string Encode() const;

 private:
  struct Impl;
  explicit RoaringBitmap(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pchronicle::lance
