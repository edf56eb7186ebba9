#pragma once

#include <string>
#include <vector>

#include "pchronicle/base/status.h"
#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// kUnsupported, naming column and remedy, for types whose values the engine's exporter changes or
/// breaks: those with a time zone of their own, integers beyond 128 bits, variants.
Status CheckArrowTypes(const duckdb::vector<duckdb::LogicalType>& types,
                       const duckdb::vector<std::string>& names);

/// Fills `out` with the schema of a struct of the columns: text and lists with 64-bit offsets (`U`,
/// `+L`), because a chunk of long messages may be larger than 2 GiB; instants as `tsn:`; JSON as
/// text. Throws the engine's exceptions.
void ExportArrowSchema(duckdb::ClientContext& client,
                       const duckdb::vector<duckdb::LogicalType>& types,
                       const duckdb::vector<std::string>& names, ArrowSchema* out);

/// Fills `out` with a struct array that owns copies of the cells. Throws the engine's exceptions.
void ExportArrowArray(duckdb::ClientContext& client, duckdb::DataChunk& chunk, ArrowArray* out);

}  // namespace pchronicle::sql
