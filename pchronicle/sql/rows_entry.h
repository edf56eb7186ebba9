#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/scan_entry.h"

namespace pchronicle::sql {

/// The relation `rows` of a Dataset that is a foreign table (DSC-17). A table that cannot be opened
/// has an entry too; a query that names it fails with the table's own status.
class RowsEntry : public ScanEntry {
 public:
  static duckdb::unique_ptr<RowsEntry> Create(duckdb::Catalog& catalog,
                                              duckdb::SchemaCatalogEntry& schema,
                                              std::shared_ptr<const Namespace> names,
                                              size_t dataset);

  const catalog::RowTable& table() const { return *dataset_schema().rows; }
  const std::vector<catalog::RowColumn>& row_columns() const { return columns_; }
  uint64_t rows() const { return rows_; }  // live ones, by the table's account
  uint64_t EstimateRows() const override { return rows_; }

  duckdb::TableFunction GetScanFunction(
      duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) override;
  duckdb::virtual_column_map_t GetVirtualColumns() const override;

  /// Hidden columns `_rowid` and `_rowaddr`, unless the table has columns of these names.
  static const duckdb::column_t kRowId, kRowAddress;

 private:
  RowsEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema,
            duckdb::CreateTableInfo& info, std::shared_ptr<const Namespace> names, size_t dataset,
            std::vector<catalog::RowColumn> known, uint64_t rows, Status failure);

  const std::vector<catalog::RowColumn> columns_;
  const uint64_t rows_;
  const Status failure_;  // of opening the table
};

}  // namespace pchronicle::sql
