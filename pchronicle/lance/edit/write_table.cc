#include "pchronicle/lance/edit/write_table.h"

#include "pchronicle/lance/edit/row_input.h"
#include "pchronicle/lance/edit/schema_fields.h"

namespace pchronicle::lance {
namespace {

using Operation = proto::Transaction::Operation;

// A new content of the table, written on top of `read_version`.
Result<Committed> WriteContent(const std::shared_ptr<io::Store>& store, uint64_t read_version,
                               const std::vector<columnar::DataField>& schema, BatchSource source,
                               const WriteOptions& options) {
  Change change;
  change.transaction.operation = Operation::kOverwrite;
  change.transaction.read_version = read_version;
  PCHRONICLE_ASSIGN_OR_RETURN(change.transaction.schema, AssignFields(schema, 0));
  for (const auto& [key, value] : options.schema_metadata) {
    change.transaction.schema_metadata.insert_or_assign(key, value);
  }
  change.file_version = options.version.ToString();
  change.stable_row_ids = options.stable_row_ids;
  UnpublishedFiles files(store);
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<RowInput> input,
                              RowInput::Open(change.transaction.schema, std::move(source)));
  PCHRONICLE_ASSIGN_OR_RETURN(change.transaction.new_fragments,
                              WriteRows(input.get(), BranchRoot(options.edit.branch),
                                        options.version, options.limits, options.edit, &files));
  return Commit(store, std::move(change), options.edit, &files);
}

}  // namespace

Result<Committed> CreateTable(const std::shared_ptr<io::Store>& store,
                              const std::vector<columnar::DataField>& schema, BatchSource source,
                              const WriteOptions& options) {
  // Found out early, before rows are written; the commit decides.
  const Result<std::vector<VersionEntry>> versions =
      ListVersions(*store, BranchRoot(options.edit.branch) + "_versions");
  if (versions.ok() && !versions->empty()) {
    return Status::AlreadyExists("{}: there is a table already, version {}", store->uri(),
                                 versions->back().version);
  }
  return WriteContent(store, 0, schema, std::move(source), options);
}

Result<Committed> AppendRows(const std::shared_ptr<io::Store>& store, BatchSource source,
                             const WriteOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table,
                              OpenToEdit(store, options.edit));
  Result<FileVersion> version = VersionToWrite(table->manifest());
  if (!version.ok()) {
    return version.status().WithContext(table->Describe());
  }
  Change change;
  change.transaction.operation = Operation::kAppend;
  change.transaction.read_version = table->version();
  UnpublishedFiles files(store);
  Result<std::unique_ptr<RowInput>> input =
      RowInput::Open(table->manifest().fields, std::move(source));
  if (!input.ok()) {
    return input.status().WithContext(table->Describe());
  }
  PCHRONICLE_ASSIGN_OR_RETURN(change.transaction.new_fragments,
                              WriteRows(input->get(), table->paths().InRoot(""), *version,
                                        options.limits, options.edit, &files));
  return Commit(store, std::move(change), options.edit, &files);
}

Result<Committed> OverwriteTable(const std::shared_ptr<io::Store>& store,
                                 const std::vector<columnar::DataField>& schema, BatchSource source,
                                 const WriteOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table,
                              OpenToEdit(store, options.edit));
  return WriteContent(store, table->version(), schema, std::move(source), options);
}

}  // namespace pchronicle::lance
