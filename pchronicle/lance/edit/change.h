#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {

/// Stands in Change::row_ids for a row that is new and gets its id when it is committed.
inline constexpr uint64_t kNewRowId = UINT64_MAX;

/// A transaction that is ready to be committed, and what its manifest needs beside it. Its files
/// are written; new fragments have no ids yet, the commit gives them.
struct Change {
  proto::Transaction transaction;
  /// Tables with stable row ids: the ids of the rows of each of transaction.new_fragments. Missing
  /// or empty: what the fragment carries itself, else new ones.
  std::vector<std::vector<uint64_t>> row_ids;
  /// Overwrite only: the format of the table from now on.
  std::string file_version = "2.1";
  bool stable_row_ids = false;
};

}  // namespace pchronicle::lance
