#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"

namespace pchronicle::lance {

/// Gives batches one after the other; false at the end. All have the same fields, in any order of
/// the columns as long as it stays the same. Called from the thread that makes the change.
using BatchSource = std::function<Result<bool>(columnar::RecordBatch* out)>;

/// The batches given.
BatchSource FromBatches(std::vector<columnar::RecordBatch> batches);

}  // namespace pchronicle::lance
