#pragma once

#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// Installs the check that joins of trajectory relations of one Dataset compare `_file_` (JON-01 to
/// JON-07). It runs on the bound plan of every query, before the optimizer.
void RegisterJoinRule(duckdb::DBConfig& config);

}  // namespace pchronicle::sql
