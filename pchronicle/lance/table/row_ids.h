#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {

/// Where a row lies: fragment id and offset in the fragment, deleted rows counted (lance.md A8).
struct RowAddress {
  uint32_t fragment = 0, offset = 0;
  static RowAddress FromU64(uint64_t value) {
    return {static_cast<uint32_t>(value >> 32), static_cast<uint32_t>(value)};
  }
  uint64_t ToU64() const { return uint64_t{fragment} << 32 | offset; }
  auto operator<=>(const RowAddress&) const = default;
};

/// The row ids of one fragment, one per physical row in order, kept as runs of consecutive ids.
/// Immutable and thread-safe.
class RowIdSequence {
 public:
  /// Ids equal to addresses: tables without stable row ids.
  static RowIdSequence FromAddresses(uint32_t fragment, uint64_t rows);
  /// The serialised sequence of a fragment; kCorruption unless it has exactly `rows` ids and no id
  /// twice. Memory: at most 32 bytes for each two bytes of input.
  static Result<RowIdSequence> Decode(std::string_view bytes, uint64_t rows);

  uint64_t size() const { return rows_; }
  /// Id of a row below size().
  uint64_t At(uint64_t row) const;
  /// Appends the ids of rows [begin, end).
  void AppendIds(uint64_t begin, uint64_t end, std::vector<uint64_t>* out) const;
  /// The row with this id.
  std::optional<uint64_t> Find(uint64_t id) const;

 private:
  struct Run {
    uint64_t first_row, first_id, length;
  };
  size_t RunOf(uint64_t row) const;
  Status AddSegment(const proto::IdSegment& segment, uint64_t limit);
  Status AddRun(uint64_t first_id, uint64_t length, uint64_t limit);
  Status IndexById();

  std::vector<Run> runs_;        // by row
  std::vector<uint32_t> by_id_;  // positions in runs_, by first id; empty: runs_ is sorted
  uint64_t rows_ = 0;
};

/// Table versions in which the rows of a fragment were created or last updated.
class RowVersions {
 public:
  /// kCorruption unless the runs cover exactly `rows` rows.
  static Result<RowVersions> Decode(std::string_view bytes, uint64_t rows);
  uint64_t At(uint64_t row) const;

 private:
  std::vector<std::pair<uint64_t, uint64_t>> runs_;  // end row, version
};

}  // namespace pchronicle::lance
