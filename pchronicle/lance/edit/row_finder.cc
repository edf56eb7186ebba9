#include "pchronicle/lance/edit/row_finder.h"

#include "pchronicle/lance/table/scan.h"

namespace pchronicle::lance {

Result<RowsByFragment> FindRows(const std::shared_ptr<const Table>& table,
                                const columnar::PredicatePtr& predicate,
                                const EditOptions& options) {
  ScanOptions scan_options;
  scan_options.columns.emplace();
  scan_options.row_address = true;
  scan_options.filter = predicate;
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Scan> scan,
                              Scan::Plan(table, std::move(scan_options)));
  RowsByFragment out;
  const Context unbounded;
  const Context& context = options.context == nullptr ? unbounded : *options.context;
  columnar::RecordBatch batch;
  for (size_t task = 0; task < scan->tasks().size(); ++task) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<ScanTaskReader> reader, scan->OpenTask(task));
    std::vector<uint32_t> offsets;
    for (;;) {
      PCHRONICLE_ASSIGN_OR_RETURN(const bool more, reader->Next(&batch, context));
      if (!more) {
        break;
      }
      for (int64_t i = 0; i < batch.rows; ++i) {
        offsets.push_back(RowAddress::FromU64(batch.columns.back()->Value<uint64_t>(i)).offset);
      }
    }
    if (!offsets.empty()) {
      RoaringBitmap& rows = out[table->fragments()[scan->tasks()[task].fragment].id];
      rows = rows.Union(RoaringBitmap::FromValues(offsets));
    }
  }
  return out;
}

}  // namespace pchronicle::lance
