#pragma once

#include <memory>
#include <string>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/engine.h"

namespace pchronicle::sql {

/// A relation in the engine's catalog. Made on first use of its name, so that opening an engine
/// does not pay for relations that a query does not name.
class RelationEntry : public duckdb::TableCatalogEntry {
 public:
  RelationEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema,
                duckdb::CreateTableInfo& info, std::shared_ptr<const Namespace> names,
                size_t dataset, size_t relation);

  size_t dataset() const { return dataset_; }
  const DatasetSchema& dataset_schema() const { return names_->datasets[dataset_]; }
  const RelationSchema& relation_schema() const { return names_->relations[relation_]; }
  /// Rows the relation may have, from the size of its sources.
  uint64_t EstimateRows() const;

  duckdb::unique_ptr<duckdb::BaseStatistics> GetStatistics(duckdb::ClientContext&,
                                                           duckdb::column_t) override {
    return nullptr;
  }
  duckdb::TableFunction GetScanFunction(
      duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) override;
  duckdb::TableStorageInfo GetStorageInfo(duckdb::ClientContext& context) override;
  duckdb::virtual_column_map_t GetVirtualColumns() const override;
  duckdb::vector<duckdb::column_t> GetRowIdColumns() const override { return {}; }

 private:
  std::shared_ptr<const Namespace> names_;
  const size_t dataset_, relation_;
};

/// Creates one schema per Dataset whose relations appear on first use. Called within a transaction.
Status MountRelations(duckdb::ClientContext& context, std::shared_ptr<const Namespace> names);

}  // namespace pchronicle::sql
