#pragma once

#include <set>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"
#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// A statement that may run, with what it uses.
struct CheckedStatement {
  duckdb::unique_ptr<duckdb::SQLStatement> statement;
  std::set<std::string> functions;  // names as called, lower case
  bool plain_tables =
      true;  // names no table but relations: no schema like information_schema, no table function
  bool unusual_types =
      false;  // casts to types beyond numbers, text, JSON and plain timestamps, or collates
};

/// Parses `sql` and accepts exactly one read-only statement (catalog.md 10), judged on the parsed
/// tree, never on the text. Refused: several statements (kInvalidArgument), anything but SELECT,
/// VALUES, DESCRIBE and EXPLAIN of these, functions that change state or reach outside the
/// relations (kUnsupported).
Result<CheckedStatement> CheckStatement(std::string_view sql, const duckdb::ParserOptions& options);

}  // namespace pchronicle::sql
