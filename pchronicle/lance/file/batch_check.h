#pragma once

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/file/field_tree.h"

namespace pchronicle::lance {

/// Checks that an array can be written as a field: of its type, with buffers and children as long
/// as the type asks for, offsets that ascend within the child, and a value wherever a field that
/// has no nulls is not below a null. kInvalidArgument with the path of the field.
Status CheckArray(const columnar::Array& array, const FieldNode& field, int64_t rows);

}  // namespace pchronicle::lance
