#pragma once

#include "pchronicle/base/status.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// Writes slots [begin, begin + count) of `array` to rows [at, at + count) of a flat vector of type
/// ToLogicalType(DataField with `type`). Numbers are copied once; text stays where it is, its
/// buffers are held by the vector. `type` is the column's own type; structs in the array may lack
/// members of it, which are null then. kCorruption: a time of day outside the day. kUnsupported:
/// what the engine cannot hold (4 GiB of text in one cell, instants beyond its range).
Status FillFromArray(const columnar::DataType& type, const columnar::ArrayPtr& array, int64_t begin,
                     int64_t count, duckdb::idx_t at, duckdb::Vector& vector);

}  // namespace pchronicle::sql
