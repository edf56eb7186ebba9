#pragma once

#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// Runs tasks of a statement until its result can be fetched. While other threads have all the
/// tasks, the caller sleeps in short naps that grow to half a millisecond: the engine's own loop
/// asks again and again, which takes a core, or half of one, from whoever does the work. Ends early
/// when the statement failed or was interrupted; the engine's Execute then says so. May throw what
/// the engine throws.
void RunUntilReady(duckdb::PendingQueryResult& pending);
/// The same for the next chunk of a streamed result; other results are ready at once.
void RunUntilChunk(duckdb::QueryResult& result);

}  // namespace pchronicle::sql
