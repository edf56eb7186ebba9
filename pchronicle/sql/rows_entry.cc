#include "pchronicle/sql/rows_entry.h"

#include "pchronicle/sql/array_types.h"
#include "pchronicle/sql/errors.h"
#include "pchronicle/sql/query_state.h"
#include "pchronicle/sql/rows_scan.h"
#include "pchronicle/sql/unique_names.h"

namespace pchronicle::sql {
namespace {

struct SystemColumn {
  const char* name;
  duckdb::column_t id;
};

/// Numbers above those of the engine's own virtual columns.
constexpr duckdb::column_t kFirstSystemColumn = (duckdb::column_t{1} << 63) + 0x70630000;

}  // namespace

const duckdb::column_t RowsEntry::kRowId = kFirstSystemColumn;
const duckdb::column_t RowsEntry::kRowAddress = kFirstSystemColumn + 1;

RowsEntry::RowsEntry(duckdb::Catalog& in_catalog, duckdb::SchemaCatalogEntry& in_schema,
                     duckdb::CreateTableInfo& info, std::shared_ptr<const Namespace> names,
                     size_t dataset, std::vector<catalog::RowColumn> known, uint64_t rows,
                     Status failure)
    : ScanEntry(in_catalog, in_schema, info, std::move(names), dataset),
      columns_(std::move(known)),
      rows_(rows),
      failure_(std::move(failure)) {}

duckdb::unique_ptr<RowsEntry> RowsEntry::Create(duckdb::Catalog& catalog,
                                                duckdb::SchemaCatalogEntry& schema,
                                                std::shared_ptr<const Namespace> names,
                                                size_t dataset) {
  const catalog::RowTable& table = *names->datasets[dataset].rows;
  auto columns = table.Columns();
  const auto rows = table.CountRows();
  Status failure = columns.ok() ? rows.status() : columns.status();
  std::vector<catalog::RowColumn> known;
  if (columns.ok()) {
    known = std::move(columns).value();
  }
  if (failure.ok() && known.empty()) {
    failure = Status::Unsupported("the table has no columns");
  }
  duckdb::CreateTableInfo info(schema, catalog::kRowsRelation);
  info.internal = false;
  std::vector<std::string> column_names;
  for (const catalog::RowColumn& column : known) {
    column_names.push_back(column.field.name);
  }
  column_names = UniqueNames(column_names, NameCase::kIgnored);
  for (size_t i = 0; i < known.size(); ++i) {
    info.columns.AddColumn(duckdb::ColumnDefinition(
        column_names[i], known[i].unreadable.empty() ? ToLogicalType(known[i].field)
                                                     : duckdb::LogicalType::SQLNULL));
    if (!known[i].field.nullable) {
      info.constraints.push_back(
          duckdb::make_uniq<duckdb::NotNullConstraint>(duckdb::LogicalIndex(i)));
    }
  }
  if (known.empty()) {  // a table needs one
    info.columns.AddColumn(duckdb::ColumnDefinition("_rowid", duckdb::LogicalType::UBIGINT));
  }
  return duckdb::unique_ptr<RowsEntry>(new RowsEntry(catalog, schema, info, std::move(names),
                                                     dataset, std::move(known),
                                                     rows.ok() ? *rows : 0, std::move(failure)));
}

duckdb::TableFunction RowsEntry::GetScanFunction(
    duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  auto state = QueryState::Get(context);
  if (!failure_.ok()) {
    if (state) {
      state->Fail(failure_);
    }
    ThrowStatus(failure_);
  }
  bind_data = duckdb::make_uniq<RowsScanData>(*this, std::move(state));
  return MakeRowsScanFunction();
}

duckdb::virtual_column_map_t RowsEntry::GetVirtualColumns() const {
  duckdb::virtual_column_map_t virtual_columns = ScanEntry::GetVirtualColumns();
  for (const SystemColumn& column :
       {SystemColumn{"_rowid", kRowId}, SystemColumn{"_rowaddr", kRowAddress}}) {
    if (!ColumnExists(column.name)) {
      virtual_columns.insert(
          {column.id, duckdb::TableColumn(column.name, duckdb::LogicalType::UBIGINT)});
    }
  }
  return virtual_columns;
}

}  // namespace pchronicle::sql
