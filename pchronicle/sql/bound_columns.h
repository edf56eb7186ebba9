#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/filters.h"

namespace pchronicle::sql {

/// Column number of a plain reference, also through the cast of JSON to its text.
std::optional<uint16_t> ColumnOf(const duckdb::Expression& expression, const ScanColumns& columns);

/// The value of a constant; null when the expression is none, or NULL.
const duckdb::Value* ConstantOf(const duckdb::Expression& expression);

/// The text of a VARCHAR constant that is not NULL.
std::optional<std::string> TextOf(const duckdb::Expression& expression);

}  // namespace pchronicle::sql
