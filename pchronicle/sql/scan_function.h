#pragma once

#include <memory>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/engine.h"
#include "pchronicle/sql/task_loop.h"

namespace pchronicle::sql {

class RelationEntry;

/// One relation of one Dataset in a plan: what is scanned and which conditions reached the scan.
struct RelationScanData : public TaskScanData<RelationScanData, RelationEntry> {
  using TaskScanData::TaskScanData;
  bool Equals(const duckdb::FunctionData& other) const override;

  /// Those of the engine's column ids that are columns of the relation (others are row ids).
  std::vector<uint16_t> RelationColumns(const duckdb::vector<duckdb::column_t>& ids) const;
  /// The request for these columns, with everything that was pushed down.
  catalog::ScanRequest Request(std::vector<uint16_t> columns) const;

  std::vector<catalog::FilePredicate> file_conjuncts;
  std::vector<model::RowPredicate> row_predicates;
  std::optional<size_t> announced;  // place in ScanFactory::Announce
};

/// The one scan operator behind every relation (D28): projection and predicates reach the catalog's
/// scan, whose one queue TaskLoop works off.
duckdb::TableFunction MakeScanFunction();

}  // namespace pchronicle::sql
