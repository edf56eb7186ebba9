#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/engine.h"
#include "pchronicle/sql/task_loop.h"

namespace pchronicle::sql {

class RowsEntry;

/// A foreign table in a plan: which conditions reached the scan.
struct RowsScanData : public TaskScanData<RowsScanData, RowsEntry> {
  using TaskScanData::TaskScanData;
  bool Equals(const duckdb::FunctionData& other) const override;

  /// The conditions of all filters; null when there is none.
  columnar::PredicatePtr Filter() const;

  std::vector<columnar::PredicatePtr> filters;
  bool checked_again = false;  // some of the filters are also left to the engine
};

/// The scan operator of foreign tables: columns, struct members and conditions reach the table's
/// scan, whose queue TaskLoop works off. count(*) of the whole table is answered by the table's own
/// account.
duckdb::TableFunction MakeRowsScanFunction();

}  // namespace pchronicle::sql
