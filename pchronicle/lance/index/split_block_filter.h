#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/predicate.h"

namespace pchronicle::lance {

/// A split-block Bloom filter as Parquet and Lance store it: blocks of eight 32-bit words, little
/// endian. The upper half of a hash chooses the block, the lower half one bit of each word. Does
/// not own its bytes. Immutable, thread-safe.
class SplitBlockFilter {
 public:
  /// kCorruption unless there is a whole number of blocks, at least one.
  static Result<SplitBlockFilter> Of(std::string_view bytes);
  /// False: no value with this hash was added.
  bool MayContain(uint64_t hash) const;

 private:
  explicit SplitBlockFilter(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};

/// The hash of a value: XXH64, seed 0, of its bytes as they lie in an array (text without a length,
/// numbers in their own width).
uint64_t FilterHash(std::string_view value);

/// Types whose values such an index holds: whole numbers, float and double, text, binary, dates,
/// times and timestamps.
bool IsFilterable(const columnar::DataType& type);

/// The hashes of all values of a filterable type that equal the literal, as predicates compare:
/// none when nothing does, two for zero among floats. Nothing when they cannot be listed (NaN, a
/// literal that does not fit): then any filter may have one.
std::optional<std::vector<uint64_t>> FilterHashes(const columnar::DataType& type,
                                                  const columnar::Scalar& literal);

}  // namespace pchronicle::lance
