#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/columnar/predicate.h"
#include "pchronicle/lance/edit/commit.h"
#include "pchronicle/lance/edit/fragment_writer.h"

namespace pchronicle::lance {

/// A column and the value it gets; no value: null.
struct ColumnValue {
  std::string column;  // top-level
  std::optional<columnar::Scalar> value;
};
/// Changes columns of a batch of whole rows in place; rows and types must stay.
using BatchChange = std::function<Status(columnar::RecordBatch* rows)>;

struct UpdateResult {
  Committed committed;  // the version read when no row matched
  uint64_t rows = 0;
};

/// Sets columns of the rows for which `predicate` is true (null: of all). The rows are deleted
/// where they are and written to new fragments (lance.md A5): they keep their ids in tables with
/// stable row ids, and are not covered by indices until those are optimised. Memory: one batch, one
/// FileWriter and 24 bytes for each row. kInvalidArgument: unknown column, a value of another type.
Result<UpdateResult> UpdateRows(const std::shared_ptr<io::Store>& store,
                                const columnar::PredicatePtr& predicate,
                                const std::vector<ColumnValue>& values,
                                const EditOptions& options = {}, FileLimits limits = {});
/// The same with any change.
Result<UpdateResult> UpdateRows(const std::shared_ptr<io::Store>& store,
                                const columnar::PredicatePtr& predicate, const BatchChange& change,
                                const EditOptions& options = {}, FileLimits limits = {});

}  // namespace pchronicle::lance
