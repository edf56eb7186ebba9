#include "pchronicle/lance/edit/delete_rows.h"

#include "pchronicle/lance/edit/deletions.h"
#include "pchronicle/lance/edit/row_finder.h"

namespace pchronicle::lance {

Result<DeleteResult> DeleteRows(const std::shared_ptr<io::Store>& store,
                                const columnar::PredicatePtr& predicate,
                                const EditOptions& options) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table, OpenToEdit(store, options));
  PCHRONICLE_ASSIGN_OR_RETURN(const RowsByFragment rows, FindRows(table, predicate, options));
  DeleteResult out;
  out.committed.version = table->version();
  for (const auto& [fragment, offsets] : rows) {
    out.rows += offsets.cardinality();
  }
  if (out.rows == 0) {
    return out;
  }
  Change change;
  change.transaction.operation = proto::Transaction::Operation::kDelete;
  change.transaction.read_version = table->version();
  change.transaction.predicate = columnar::ToString(*predicate);
  UnpublishedFiles files(store);
  PCHRONICLE_RETURN_IF_ERROR(DeleteFromFragments(*table, rows, &files, &change.transaction));
  PCHRONICLE_ASSIGN_OR_RETURN(out.committed, Commit(store, std::move(change), options, &files));
  return out;
}

}  // namespace pchronicle::lance
