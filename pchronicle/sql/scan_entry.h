#pragma once

#include <memory>
#include <utility>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/engine.h"

namespace pchronicle::sql {

/// A table of the engine's catalog that a scan of ours answers: no statistics, no row ids, nothing
/// stored.
class ScanEntry : public duckdb::TableCatalogEntry {
 public:
  ScanEntry(duckdb::Catalog& in_catalog, duckdb::SchemaCatalogEntry& in_schema,
            duckdb::CreateTableInfo& info, std::shared_ptr<const Namespace> names, size_t dataset)
      : TableCatalogEntry(in_catalog, in_schema, info),
        names_(std::move(names)),
        dataset_(dataset) {
    internal = false;
  }

  size_t dataset() const { return dataset_; }
  const DatasetSchema& dataset_schema() const { return names_->datasets[dataset_]; }
  /// Rows there may be.
  virtual uint64_t EstimateRows() const = 0;

  duckdb::unique_ptr<duckdb::BaseStatistics> GetStatistics(duckdb::ClientContext&,
                                                           duckdb::column_t) override {
    return nullptr;
  }
  duckdb::TableStorageInfo GetStorageInfo(duckdb::ClientContext&) override {
    duckdb::TableStorageInfo info;
    info.cardinality = EstimateRows();
    return info;
  }
  /// The column that stands for none, so that count(*) reads no text.
  duckdb::virtual_column_map_t GetVirtualColumns() const override {
    duckdb::virtual_column_map_t none;
    none.insert(
        {duckdb::COLUMN_IDENTIFIER_EMPTY, duckdb::TableColumn("", duckdb::LogicalType::BOOLEAN)});
    return none;
  }
  duckdb::vector<duckdb::column_t> GetRowIdColumns() const override { return {}; }

 protected:
  const Namespace& names() const { return *names_; }

 private:
  const std::shared_ptr<const Namespace> names_;
  const size_t dataset_;
};

}  // namespace pchronicle::sql
