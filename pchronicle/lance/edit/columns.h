#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/lance/edit/commit.h"

namespace pchronicle::lance {

/// Gives one array for each new column, as many slots as `rows` has rows. Called for all physical
/// rows in their order, deleted ones too, whose values nobody will see.
using ColumnMaker =
    std::function<Result<std::vector<columnar::ArrayPtr>>(const columnar::RecordBatch& rows)>;

/// Adds columns whose values `make` gets out of the columns `read` (paths as for a scan; may be
/// none): one more data file for each fragment, the others stay (lance.md A5 merge). kConflict when
/// anything but an index or the config changed meanwhile.
Result<Committed> AddColumns(const std::shared_ptr<io::Store>& store,
                             const std::vector<columnar::DataField>& columns,
                             const std::vector<std::string>& read, const ColumnMaker& make,
                             const EditOptions& options = {});
/// Adds columns that are null in all rows: no file is written.
Result<Committed> AddNullColumns(const std::shared_ptr<io::Store>& store,
                                 const std::vector<columnar::DataField>& columns,
                                 const EditOptions& options = {});

/// Takes top-level columns out of the schema; their values stay in the files until compaction.
/// Indices on them go. kInvalidArgument: unknown column, or none would be left.
Result<Committed> DropColumns(const std::shared_ptr<io::Store>& store,
                              const std::vector<std::string>& columns,
                              const EditOptions& options = {});
/// Renames a top-level column; its id, and with it data and indices, stays.
Result<Committed> RenameColumn(const std::shared_ptr<io::Store>& store, const std::string& column,
                               const std::string& new_name, const EditOptions& options = {});

}  // namespace pchronicle::lance
