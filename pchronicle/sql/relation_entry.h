#pragma once

#include <memory>
#include <string>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/scan_entry.h"

namespace pchronicle::sql {

/// A relation in the engine's catalog. Made on first use of its name, so that opening an engine
/// does not pay for relations that a query does not name.
class RelationEntry : public ScanEntry {
 public:
  RelationEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema,
                duckdb::CreateTableInfo& info, std::shared_ptr<const Namespace> names,
                size_t dataset, size_t relation);

  const RelationSchema& relation_schema() const { return names().relations[relation_]; }
  /// From the size of the sources.
  uint64_t EstimateRows() const override;
  duckdb::TableFunction GetScanFunction(
      duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) override;

 private:
  const size_t relation_;
};

/// Creates one schema per Dataset whose relations appear on first use. Called within a transaction.
Status MountRelations(duckdb::ClientContext& context, std::shared_ptr<const Namespace> names);

}  // namespace pchronicle::sql
