#pragma once

#include "pchronicle/columnar/batch.h"
#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// Engine type of a relation column.
duckdb::LogicalType ToLogicalType(columnar::Type type);

/// Keeps the text of a batch alive as long as any vector points into it.
using TextOwner = duckdb::buffer_ptr<duckdb::VectorBuffer>;
TextOwner MakeTextOwner(std::shared_ptr<Arena> text);

/// Writes rows [begin, begin + count) of `column` to rows [at, at + count) of a flat vector.
/// Numbers are copied; text stays where it is, held by `owner` (D30). The caller keeps text outside
/// the arena alive until the vector is reset. False when a text is too long for the engine (4 GiB).
bool FillVector(const columnar::Column& column, size_t begin, size_t count, size_t at,
                const TextOwner& owner, duckdb::Vector& vector);

}  // namespace pchronicle::sql
