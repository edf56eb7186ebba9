#include "pchronicle/lance/edit/update_rows.h"

#include <algorithm>

#include "pchronicle/lance/edit/literal_array.h"
#include "pchronicle/lance/edit/moved_rows.h"

namespace pchronicle::lance {
namespace {

Status CheckShape(const std::vector<columnar::DataField>& schema,
                  const columnar::RecordBatch& batch, int64_t rows) {
  if (batch.columns.size() != schema.size() || batch.rows != rows) {
    return Status::InvalidArgument("a change of rows must keep their number and their columns");
  }
  return Status::Ok();  // types, lengths and nulls are checked when they are written
}

}  // namespace

Result<UpdateResult> UpdateRows(const std::shared_ptr<io::Store>& store,
                                const columnar::PredicatePtr& predicate, const BatchChange& change,
                                const EditOptions& options, FileLimits limits) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table, OpenToEdit(store, options));
  const auto in_table = [&](const Status& status) { return status.WithContext(table->Describe()); };
  const Result<FileVersion> version = VersionToWrite(table->manifest());
  if (!version.ok()) {
    return in_table(version.status());
  }
  MovedRows moved(table);
  ScanOptions scan_options;
  scan_options.filter = predicate;
  moved.Request(&scan_options);
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Scan> scan,
                              Scan::Plan(table, std::move(scan_options)));
  UnpublishedFiles files(store);
  FragmentWriter writer(table->manifest().fields, table->paths().InRoot(""), *version, limits,
                        &files);
  const Context unbounded;
  const Context& context = options.context == nullptr ? unbounded : *options.context;
  for (size_t task = 0; task < scan->tasks().size(); ++task) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<ScanTaskReader> reader, scan->OpenTask(task));
    for (columnar::RecordBatch batch;;) {
      PCHRONICLE_ASSIGN_OR_RETURN(const bool more, reader->Next(&batch, context));
      if (!more) {
        break;
      }
      PCHRONICLE_RETURN_IF_ERROR(moved.TakeFrom(&batch));
      const std::vector<columnar::DataField> schema = batch.fields;
      const int64_t rows = batch.rows;
      PCHRONICLE_RETURN_IF_ERROR(change(&batch));
      PCHRONICLE_RETURN_IF_ERROR(CheckShape(schema, batch, rows));
      PCHRONICLE_RETURN_IF_ERROR(in_table(writer.Append(batch)));
    }
  }
  UpdateResult out;
  out.committed.version = table->version();
  out.rows = moved.count();
  if (out.rows == 0) {
    return out;
  }
  Change update;
  proto::Transaction& transaction = update.transaction;
  transaction.operation = proto::Transaction::Operation::kUpdate;
  transaction.read_version = table->version();
  PCHRONICLE_ASSIGN_OR_RETURN(transaction.new_fragments, writer.Finish());
  moved.GiveIdentity(/*keep_updated=*/false, &transaction.new_fragments);
  PCHRONICLE_RETURN_IF_ERROR(DeleteFromFragments(*table, moved.Places(), &files, &transaction));
  PCHRONICLE_ASSIGN_OR_RETURN(out.committed, Commit(store, std::move(update), options, &files));
  return out;
}

Result<UpdateResult> UpdateRows(const std::shared_ptr<io::Store>& store,
                                const columnar::PredicatePtr& predicate,
                                const std::vector<ColumnValue>& values, const EditOptions& options,
                                FileLimits limits) {
  if (values.empty()) {
    return Status::InvalidArgument("an update that sets no column");
  }
  const auto set = [&](columnar::RecordBatch* rows) -> Status {
    for (const ColumnValue& value : values) {
      const auto field =
          std::find_if(rows->fields.begin(), rows->fields.end(),
                       [&](const columnar::DataField& f) { return f.name == value.column; });
      if (field == rows->fields.end()) {
        return Status::InvalidArgument("the table has no column '{}'", value.column);
      }
      Result<columnar::ArrayPtr> array = LiteralArray(field->type, value.value, rows->rows);
      if (!array.ok()) {
        return array.status().WithContext("column '" + value.column + "'");
      }
      rows->columns[static_cast<size_t>(field - rows->fields.begin())] = *std::move(array);
    }
    return Status::Ok();
  };
  return UpdateRows(store, predicate, set, options, limits);
}

}  // namespace pchronicle::lance
