#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"

namespace pchronicle::bench {

/// What a table action read, as sums that do not depend on how values are laid out. Sums of
/// columns that never came are left out.
class TableSums {
 public:
  /// kInvalidArgument when a summed column has another type than the benchmark's tables.
  Status Add(const columnar::RecordBatch& batch);
  /// The sums that `action` asks for, as one JSON line.
  std::string ToJson(std::string_view action) const;

 private:
  uint64_t rows_ = 0;
  // Empty until a value came.
  std::optional<int64_t> prompt_tokens_, step_ids_, token_sum_;
  uint64_t message_bytes_ = 0, tokens_ = 0;
};

}  // namespace pchronicle::bench
