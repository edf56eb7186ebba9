#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pchronicle/catalog/row_table.h"
#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// Columns of one scan of a foreign table as expressions above it name them.
struct RowColumns {
  duckdb::idx_t table_index;
  const duckdb::vector<duckdb::ColumnIndex>& ids;
  const std::vector<catalog::RowColumn>& columns;
};

/// A condition as the table's scan understands it.
struct RowFilter {
  columnar::PredicatePtr predicate;
  bool exact = true;  // true for the very rows for which the condition is, null where it is null
};

/// What follows from a condition for the scan; nothing when nothing does. Every row for which the
/// condition is true passes, so that an inexact one only has to be checked again.
std::optional<RowFilter> ToRowFilter(const duckdb::Expression& condition,
                                     const RowColumns& columns);

/// Path of a column for the scan, of a member by the positions in its structs; nothing when a name
/// on the way holds a dot and the path would be ambiguous.
std::optional<std::string> MemberPath(const std::vector<catalog::RowColumn>& columns, size_t column,
                                      const std::vector<duckdb::idx_t>& members);

}  // namespace pchronicle::sql
