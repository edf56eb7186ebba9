#include "pchronicle/lance/edit/columns.h"

#include <algorithm>

#include "pchronicle/lance/edit/fragment_writer.h"
#include "pchronicle/lance/edit/schema_fields.h"
#include "pchronicle/lance/table/fragment_reader.h"
#include "pchronicle/lance/table/projection.h"

namespace pchronicle::lance {
namespace {

using Operation = proto::Transaction::Operation;

// About so many bytes are read and made at once.
constexpr uint64_t kBatchBytes = 2 << 20;

// The new fields, with ids behind all that were ever used.
Result<std::vector<proto::Field>> NewFields(const Table& table,
                                            const std::vector<columnar::DataField>& columns) {
  if (columns.empty()) {
    return Status::InvalidArgument("no column to add");
  }
  for (const columnar::DataField& column : columns) {
    if (!FieldAndChildren(table.manifest().fields, column.name).empty()) {
      return Status::InvalidArgument("{}: there is a column '{}' already", table.Describe(),
                                     column.name);
    }
  }
  return AssignFields(columns, NextFieldId(table.manifest()));
}

Change MergeOf(const Table& table, const std::vector<proto::Field>& fields) {
  Change change;
  change.transaction.operation = Operation::kMerge;
  change.transaction.read_version = table.version();
  change.transaction.new_fragments = table.fragments();
  change.transaction.schema = table.manifest().fields;
  change.transaction.schema.insert(change.transaction.schema.end(), fields.begin(), fields.end());
  change.transaction.schema_metadata = table.manifest().schema_metadata;
  return change;
}

// Writes the new columns of one fragment; gives its new data file.
Result<proto::DataFile> WriteColumns(const std::shared_ptr<const Table>& table, size_t fragment,
                                     const std::vector<columnar::DataField>& columns,
                                     const std::vector<std::string>& read, const ColumnMaker& make,
                                     const EditOptions& options, FragmentWriter* writer) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::vector<FieldNode> fields, Project(table->schema(), read));
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<FragmentReader> reader,
                              FragmentReader::Open(table, fragment, std::move(fields)));
  const uint64_t step = reader->SuggestRows(kBatchBytes);
  for (uint64_t at = 0; at < reader->rows(); at += step) {
    PCHRONICLE_RETURN_IF_ERROR(options.CheckContext());
    const uint64_t end = std::min(reader->rows(), at + step);
    columnar::RecordBatch rows;
    PCHRONICLE_RETURN_IF_ERROR(reader->ReadRows(at, end, &rows));
    rows.rows = static_cast<int64_t>(end - at);
    columnar::RecordBatch made;
    made.fields = columns;
    made.rows = rows.rows;
    PCHRONICLE_ASSIGN_OR_RETURN(made.columns, make(rows));
    PCHRONICLE_RETURN_IF_ERROR(writer->Append(made));
  }
  PCHRONICLE_ASSIGN_OR_RETURN(std::vector<proto::Fragment> written, writer->Finish());
  if (written.size() != 1 || written[0].physical_rows != reader->rows()) {
    return Status::Internal("the new columns of a fragment have other rows than it");
  }
  return std::move(written[0].files[0]);
}

Result<Committed> CommitSchema(const std::shared_ptr<io::Store>& store, const Table& table,
                               std::vector<proto::Field> schema, const EditOptions& options) {
  Change change;
  change.transaction.operation = Operation::kProject;
  change.transaction.read_version = table.version();
  change.transaction.schema = std::move(schema);
  UnpublishedFiles files(store);
  return Commit(store, std::move(change), options, &files);
}

Status NoSuchColumn(const Table& table, const std::string& column) {
  return Status::InvalidArgument("{}: there is no column '{}'", table.Describe(), column);
}

}  // namespace

Result<Committed> AddColumns(const std::shared_ptr<io::Store>& store,
                             const std::vector<columnar::DataField>& columns,
                             const std::vector<std::string>& read, const ColumnMaker& make,
                             const EditOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table, OpenToEdit(store, options));
  PCHRONICLE_ASSIGN_OR_RETURN(const FileVersion version, VersionToWrite(table->manifest()));
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<proto::Field> fields, NewFields(*table, columns));
  Change change = MergeOf(*table, fields);
  UnpublishedFiles files(store);
  for (size_t i = 0; i < table->fragments().size(); ++i) {
    FragmentWriter writer(fields, table->paths().InRoot(""), version, {UINT64_MAX, UINT64_MAX},
                          &files);
    Result<proto::DataFile> file = WriteColumns(table, i, columns, read, make, options, &writer);
    if (!file.ok()) {
      return file.status().WithContext(
          fmt::format("{}: fragment {}", table->Describe(), table->fragments()[i].id));
    }
    change.transaction.new_fragments[i].files.push_back(*std::move(file));
  }
  return Commit(store, std::move(change), options, &files);
}

Result<Committed> AddNullColumns(const std::shared_ptr<io::Store>& store,
                                 const std::vector<columnar::DataField>& columns,
                                 const EditOptions& options) {
  for (const columnar::DataField& column : columns) {
    if (!column.nullable) {
      return Status::InvalidArgument("column '{}' may not be null, so it needs values",
                                     column.name);
    }
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table, OpenToEdit(store, options));
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<proto::Field> fields, NewFields(*table, columns));
  UnpublishedFiles files(store);
  return Commit(store, MergeOf(*table, fields), options, &files);
}

Result<Committed> DropColumns(const std::shared_ptr<io::Store>& store,
                              const std::vector<std::string>& columns, const EditOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table, OpenToEdit(store, options));
  std::vector<proto::Field> schema = table->manifest().fields;
  for (const std::string& column : columns) {
    const std::vector<proto::Field> gone = FieldAndChildren(schema, column);
    if (gone.empty()) {
      return NoSuchColumn(*table, column);
    }
    std::erase_if(schema, [&](const proto::Field& field) {
      return std::any_of(gone.begin(), gone.end(),
                         [&](const proto::Field& g) { return g.id == field.id; });
    });
  }
  if (schema.empty()) {
    return Status::InvalidArgument("{}: a table keeps at least one column", table->Describe());
  }
  return CommitSchema(store, *table, std::move(schema), options);
}

Result<Committed> RenameColumn(const std::shared_ptr<io::Store>& store, const std::string& column,
                               const std::string& new_name, const EditOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table, OpenToEdit(store, options));
  std::vector<proto::Field> schema = table->manifest().fields;
  const std::vector<proto::Field> found = FieldAndChildren(schema, column);
  if (found.empty()) {
    return NoSuchColumn(*table, column);
  }
  if (!FieldAndChildren(schema, new_name).empty()) {
    return Status::InvalidArgument("{}: there is a column '{}' already", table->Describe(),
                                   new_name);
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckColumnName(new_name));
  for (proto::Field& field : schema) {
    if (field.id == found.front().id) {
      field.name = new_name;
    }
  }
  return CommitSchema(store, *table, std::move(schema), options);
}

}  // namespace pchronicle::lance
