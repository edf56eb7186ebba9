#pragma once

#include "pchronicle/sql/guard.h"

namespace pchronicle::sql {

/// The statement uses only functions that an engine without its function library has, so the
/// library (a third of the time it takes to open the engine) need not be loaded.
bool RunsWithoutFunctionLibrary(const CheckedStatement& statement);

/// Functions that the dialect of our documentation has and the engine has not: `octet_length` on
/// text.
void RegisterFunctions(duckdb::DatabaseInstance& database);

}  // namespace pchronicle::sql
