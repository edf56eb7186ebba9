#pragma once

#include <optional>
#include <vector>

#include "pchronicle/catalog/file_predicate.h"
#include "pchronicle/model/relations.h"
#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// Columns of one scan as expressions above it name them.
struct ScanColumns {
  duckdb::idx_t table_index;
  const duckdb::vector<duckdb::ColumnIndex>& ids;
  const columnar::Schema& schema;
};

/// What a bound condition says about `_file_`, constant per source (catalog.md 7). kUnknown where
/// it does not or where it depends on anything else.
catalog::FilePredicate ToFilePredicate(const duckdb::Expression& condition,
                                       const ScanColumns& columns);

/// The condition is decided by the path alone, for every path: it need not be checked again
/// (PRN-02).
bool IsExact(const catalog::FilePredicate& predicate);

/// Hints for the scanner that follow from one AND-conjunct (PRN-03); none when nothing follows.
/// Every row that satisfies the conjunct satisfies all of them, so they only ever leave out rows
/// that the engine would drop.
std::vector<model::RowPredicate> ToRowPredicates(const duckdb::Expression& condition,
                                                 const ScanColumns& columns);

/// The part of a SQL LIKE pattern without wildcards, in pieces. `escape` 0: none.
struct LikePieces {
  bool anchored_start = true;  // the first piece must stand at the start
  std::vector<std::string> pieces;
};
LikePieces SplitLike(std::string_view pattern, char escape);

}  // namespace pchronicle::sql
