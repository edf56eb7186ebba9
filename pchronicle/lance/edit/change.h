#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {

/// What a row of a table with stable row ids keeps when it is written again (lance.md A8).
struct RowIdentity {
  static constexpr uint64_t kNew = UINT64_MAX;
  uint64_t id = kNew;    // kNew: the commit gives it one
  uint64_t created = 0;  // version; of new rows the one that is committed
};

/// A transaction that is ready to be committed, and what its manifest needs beside it. Its files
/// are written; new fragments have no ids yet, the commit gives them.
struct Change {
  proto::Transaction transaction;
  /// Tables with stable row ids: the rows of each of transaction.new_fragments. Missing or empty:
  /// what the fragment carries itself, else all are new.
  std::vector<std::vector<RowIdentity>> identities;
  /// Update only: rows were inserted because no row had their key, so rows that another update
  /// brought meanwhile are a conflict.
  bool inserts_by_key = false;
  /// Overwrite only: the format of the table from now on.
  std::string file_version = "2.1";
  bool stable_row_ids = false;
};

}  // namespace pchronicle::lance
