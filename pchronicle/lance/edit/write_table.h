#pragma once

#include <memory>
#include <vector>

#include "pchronicle/lance/edit/batch_source.h"
#include "pchronicle/lance/edit/commit.h"
#include "pchronicle/lance/edit/fragment_writer.h"

namespace pchronicle::lance {

/// Format of a new table, and how its files are cut.
struct WriteOptions {
  EditOptions edit;
  FileLimits limits;
  /// 2.1 is read by every release since 0.38.1; 2.2 is needed for maps and blobs.
  FileVersion version = {2, 1};
  /// Create only: rows keep their ids when they are updated or compacted (lance.md A8).
  bool stable_row_ids = false;
  /// Key-value metadata of the schema.
  columnar::Metadata schema_metadata;
};

/// Makes a table of these columns, version 1, with all rows of `source`, which may be none.
/// kAlreadyExists when the store holds a table. Columns are matched by name; missing ones are null.
Result<Committed> CreateTable(const std::shared_ptr<io::Store>& store,
                              const std::vector<columnar::DataField>& schema, BatchSource source,
                              const WriteOptions& options = {});

/// Adds rows; a commit of its own even when there are none. Never conflicts with other appends,
/// updates or deletes. kInvalidArgument when the columns do not fit the schema.
Result<Committed> AppendRows(const std::shared_ptr<io::Store>& store, BatchSource source,
                             const WriteOptions& options = {});

/// Replaces schema and rows; older versions stay. Indices are dropped.
Result<Committed> OverwriteTable(const std::shared_ptr<io::Store>& store,
                                 const std::vector<columnar::DataField>& schema, BatchSource source,
                                 const WriteOptions& options = {});

}  // namespace pchronicle::lance
