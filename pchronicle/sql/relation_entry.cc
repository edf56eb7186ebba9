#include "pchronicle/sql/relation_entry.h"

#include <algorithm>

#include "pchronicle/sql/rows_entry.h"
#include "pchronicle/sql/scan_function.h"
#include "pchronicle/sql/vectors.h"

namespace pchronicle::sql {
namespace {

/// Bytes of source per row, as seen in typical corpora. Only the order of magnitude matters: it
/// decides which side of a join is kept in memory.
uint64_t BytesPerRow(model::Relation relation) {
  switch (relation) {
    case model::Relation::kSources:
    case model::Relation::kRuns:
    case model::Relation::kTrajectories:
    case model::Relation::kRunTree:
      return 60'000;
    case model::Relation::kSteps:
    case model::Relation::kEvents:
      return 2'000;
    case model::Relation::kToolCalls:
    case model::Relation::kObservationResults:
      return 4'000;
  }
  return 2'000;
}

/// Makes a Dataset's relations when they are first looked up.
class RelationGenerator : public duckdb::DefaultGenerator {
 public:
  RelationGenerator(duckdb::Catalog& in_catalog, duckdb::SchemaCatalogEntry& schema,
                    std::shared_ptr<const Namespace> names, size_t dataset)
      : DefaultGenerator(in_catalog),
        schema_(schema),
        names_(std::move(names)),
        dataset_(dataset) {}

  duckdb::unique_ptr<duckdb::CatalogEntry> CreateDefaultEntry(duckdb::ClientContext&,
                                                              const std::string& name) override {
    return Create(name);
  }
  duckdb::unique_ptr<duckdb::CatalogEntry> CreateDefaultEntry(duckdb::CatalogTransaction,
                                                              const std::string& name) override {
    return Create(name);
  }
  duckdb::vector<std::string> GetDefaultEntries() override {
    duckdb::vector<std::string> entries;
    for (const RelationSchema& relation : names_->relations) {
      entries.push_back(relation.name);
    }
    if (names_->datasets[dataset_].rows != nullptr) {
      entries.push_back(catalog::kRowsRelation);
    }
    return entries;
  }

 private:
  duckdb::unique_ptr<duckdb::CatalogEntry> Create(const std::string& name) const {
    const auto found = std::find_if(names_->relations.begin(), names_->relations.end(),
                                    [&](const RelationSchema& relation) {
                                      return duckdb::StringUtil::CIEquals(relation.name, name);
                                    });
    if (found == names_->relations.end()) {
      const bool rows = names_->datasets[dataset_].rows != nullptr &&
                        duckdb::StringUtil::CIEquals(catalog::kRowsRelation, name);
      return rows ? RowsEntry::Create(catalog, schema_, names_, dataset_) : nullptr;
    }
    duckdb::CreateTableInfo info(schema_, found->name);
    info.internal = false;
    for (size_t i = 0; i < found->columns.size(); ++i) {
      const columnar::Field& field = found->columns[i];
      info.columns.AddColumn(duckdb::ColumnDefinition(field.name, ToLogicalType(field.type)));
      if (!field.nullable) {
        info.constraints.push_back(
            duckdb::make_uniq<duckdb::NotNullConstraint>(duckdb::LogicalIndex(i)));
      }
    }
    return duckdb::make_uniq<RelationEntry>(catalog, schema_, info, names_, dataset_,
                                            static_cast<size_t>(found - names_->relations.begin()));
  }

  duckdb::SchemaCatalogEntry& schema_;
  const std::shared_ptr<const Namespace> names_;
  const size_t dataset_;
};

}  // namespace

RelationEntry::RelationEntry(duckdb::Catalog& in_catalog, duckdb::SchemaCatalogEntry& in_schema,
                             duckdb::CreateTableInfo& info, std::shared_ptr<const Namespace> names,
                             size_t dataset, size_t relation)
    : ScanEntry(in_catalog, in_schema, info, std::move(names), dataset), relation_(relation) {}

uint64_t RelationEntry::EstimateRows() const {
  const uint64_t by_size = dataset_schema().bytes / BytesPerRow(relation_schema().relation);
  return std::max<uint64_t>({by_size, dataset_schema().ready_sources, 1});
}

duckdb::TableFunction RelationEntry::GetScanFunction(
    duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  bind_data = duckdb::make_uniq<RelationScanData>(*this, QueryState::Get(context));
  return MakeScanFunction();
}

Status MountRelations(duckdb::ClientContext& context, std::shared_ptr<const Namespace> names) {
  const std::string default_name = duckdb::DatabaseManager::GetDefaultDatabase(context);
  auto& catalog = duckdb::Catalog::GetCatalog(context, default_name);
  const auto transaction = duckdb::CatalogTransaction::GetSystemTransaction(*context.db);
  for (size_t i = 0; i < names->datasets.size(); ++i) {
    const std::string& alias = names->datasets[i].alias;
    if (alias == default_name || alias == "system" || alias == "temp") {
      return Status::InvalidArgument("mount name '{}' is reserved by the SQL engine", alias);
    }
    duckdb::CreateSchemaInfo info;
    info.schema = alias;
    info.on_conflict = duckdb::OnCreateConflict::IGNORE_ON_CONFLICT;
    auto entry = catalog.CreateSchema(transaction, info);
    if (!entry) {
      entry = catalog.GetSchema(transaction, alias, duckdb::OnEntryNotFound::THROW_EXCEPTION).get();
    }
    auto& schema = entry->Cast<duckdb::DuckSchemaEntry>();
    schema.GetCatalogSet(duckdb::CatalogType::TABLE_ENTRY)
        .SetDefaultGenerator(duckdb::make_uniq<RelationGenerator>(catalog, schema, names, i));
  }
  return Status::Ok();
}

}  // namespace pchronicle::sql
