#pragma once

#include <optional>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/predicate.h"

namespace pchronicle::lance {

/// `rows` times the same value, or null. Integers stand for temporal values in the unit of the
/// type. kInvalidArgument when the value is no value of the type: out of range, or of another kind.
Result<columnar::ArrayPtr> LiteralArray(const columnar::DataTypePtr& type,
                                        const std::optional<columnar::Scalar>& value, int64_t rows);

}  // namespace pchronicle::lance
