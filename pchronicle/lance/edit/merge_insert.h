#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/lance/edit/batch_source.h"
#include "pchronicle/lance/edit/commit.h"
#include "pchronicle/lance/edit/fragment_writer.h"

namespace pchronicle::lance {

struct MergeInsertOptions {
  /// Columns that are equal in a row of the source and in the row of the table that it stands for;
  /// a null equals nothing. At least one.
  std::vector<std::string> keys;
  /// Rows of the table that a row of the source stands for are replaced by it; else left alone.
  bool update_matched = true;
  /// Rows of the source that stand for no row of the table are added; else dropped.
  bool insert_new = true;
  EditOptions edit;
  FileLimits limits;
  /// Memory for the keys of the source, about; more are kResourceExhausted.
  uint64_t max_key_bytes = uint64_t{2} << 30;
};

struct MergeInsertResult {
  Committed committed;                 // the version read when nothing changed
  uint64_t updated = 0, inserted = 0;  // rows of the source
};

/// Brings the rows of `source` into the table by their keys: an upsert, or one half of it. The rows
/// go to data files while they are read; only their keys stay in memory. Then the key columns of
/// the table are scanned; few keys of one column are looked up through its index where there is
/// one. Of several rows in the table with the same key all are replaced by the one of the source.
/// kInvalidArgument: two rows of the source have the same key; a column is missing although matched
/// rows are to be replaced. kConflict, beside what UpdateRows says: another update or merge brought
/// rows meanwhile, which might have the same keys.
Result<MergeInsertResult> MergeInsert(const std::shared_ptr<io::Store>& store, BatchSource source,
                                      const MergeInsertOptions& options);

}  // namespace pchronicle::lance
