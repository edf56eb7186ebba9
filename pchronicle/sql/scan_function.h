#pragma once

#include <memory>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/engine.h"
#include "pchronicle/sql/query_state.h"

namespace pchronicle::sql {

class RelationEntry;

/// One relation of one Dataset in a plan: what is scanned and which conditions reached the scan.
struct RelationScanData : public duckdb::TableFunctionData {
  RelationScanData(RelationEntry& entry_in, duckdb::shared_ptr<QueryState> state_in)
      : entry(entry_in), state(std::move(state_in)) {}

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override;
  bool Equals(const duckdb::FunctionData& other) const override;
  bool SupportStatementCache() const override { return false; }

  /// Those of the engine's column ids that are columns of the relation (others are row ids).
  std::vector<uint16_t> RelationColumns(const duckdb::vector<duckdb::column_t>& ids) const;
  /// The request for these columns, with everything that was pushed down.
  catalog::ScanRequest Request(std::vector<uint16_t> columns) const;

  RelationEntry& entry;
  duckdb::shared_ptr<QueryState> state;  // null while no query of ours runs (information_schema)
  std::vector<catalog::FilePredicate> file_conjuncts;
  std::vector<model::RowPredicate> row_predicates;
  std::optional<size_t> announced;  // place in ScanFactory::Announce
};

/// The one scan operator behind every relation (D28): projection and predicates reach the catalog's
/// scan, threads take tasks from its one queue, batch indexes keep the order of REL-14.
duckdb::TableFunction MakeScanFunction();

}  // namespace pchronicle::sql
