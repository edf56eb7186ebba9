#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/engine.h"
#include "pchronicle/sql/query_state.h"

namespace pchronicle::sql {

class RowsEntry;

/// A foreign table in a plan: which conditions reached the scan.
struct RowsScanData : public duckdb::TableFunctionData {
  RowsScanData(RowsEntry& entry_in, duckdb::shared_ptr<QueryState> state_in)
      : entry(entry_in), state(std::move(state_in)) {}

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<RowsScanData>(*this);
  }
  bool Equals(const duckdb::FunctionData& other) const override;
  bool SupportStatementCache() const override { return false; }

  /// The conditions of all filters; null when there is none.
  columnar::PredicatePtr Filter() const;

  RowsEntry& entry;
  duckdb::shared_ptr<QueryState> state;  // null while no query of ours runs
  std::vector<columnar::PredicatePtr> filters;
  bool checked_again = false;  // some of the filters are also left to the engine
};

/// The scan operator of foreign tables: columns, struct members and conditions reach the table's
/// scan, threads take its tasks, batch indexes keep the order of the rows (REL-14). count(*) of the
/// whole table is answered by the table's own account.
duckdb::TableFunction MakeRowsScanFunction();

}  // namespace pchronicle::sql
