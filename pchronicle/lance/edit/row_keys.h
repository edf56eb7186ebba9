#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/columnar/predicate.h"

namespace pchronicle::lance {

/// The values of key columns as bytes: equal bytes mean equal keys. Floats compare by value: -0 is
/// 0, all NaN are one. Fixed-width types, booleans, text and binary can be keys.
class KeyEncoder {
 public:
  /// `columns`: positions of the key columns in the batches to come. kUnsupported: other types.
  static Result<KeyEncoder> Make(const columnar::RecordBatch& batch, std::vector<size_t> columns);
  /// False when a column is null: such a row equals none.
  bool Encode(const columnar::RecordBatch& batch, int64_t row, std::string* out) const;

 private:
  explicit KeyEncoder(std::vector<size_t> columns) : columns_(std::move(columns)) {}
  std::vector<size_t> columns_;
};

/// The keys of the rows of a source, each once. Not thread-safe.
class KeyTable {
 public:
  explicit KeyTable(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// kInvalidArgument: the key is there; kResourceExhausted: more than `max_bytes` of memory.
  Status Add(const std::string& key, uint64_t row);
  std::optional<uint64_t> Find(const std::string& key) const;
  size_t size() const { return rows_.size(); }

 private:
  const uint64_t max_bytes_;
  uint64_t bytes_ = 0;
  std::unordered_map<std::string, uint64_t> rows_;
};

}  // namespace pchronicle::lance
