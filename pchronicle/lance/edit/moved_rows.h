#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "pchronicle/lance/edit/change.h"
#include "pchronicle/lance/edit/deletions.h"
#include "pchronicle/lance/table/scan.h"

namespace pchronicle::lance {

/// Rows of a table that a scan gives and that are written again elsewhere: where they were and, in
/// tables with stable row ids, what they keep (lance.md A8). Not thread-safe. Memory: 4 bits to 4
/// bytes for each row, with stable ids 24 more.
class MovedRows {
 public:
  explicit MovedRows(std::shared_ptr<const Table> table) : table_(std::move(table)) {}

  /// Asks for the system columns that TakeFrom needs.
  void Request(ScanOptions* options) const;
  /// Notes the rows of a batch of that scan and takes the system columns off it.
  Status TakeFrom(columnar::RecordBatch* batch);

  uint64_t count() const { return count_; }
  /// Where they were, by fragment.
  RowsByFragment Places() const;
  /// Gives the fragments that the rows were written to, in the same order, their ids and the
  /// versions in which they were created; `keep_updated`: also those of their last update, which
  /// otherwise is the version to come. Nothing without stable row ids.
  void GiveIdentity(bool keep_updated, std::vector<proto::Fragment>* fragments) const;

  /// What the row noted as number `row` keeps; stable ids only.
  RowIdentity IdentityOf(uint64_t row) const { return {ids_[row], created_[row]}; }

 private:
  struct Versions {
    std::optional<RowVersions> created, updated;
  };
  Result<const Versions*> VersionsOf(uint32_t fragment);

  const std::shared_ptr<const Table> table_;
  std::map<uint32_t, std::vector<uint32_t>> places_;
  std::map<uint32_t, Versions> versions_;
  std::vector<uint64_t> ids_, created_, updated_;
  uint64_t count_ = 0;
};

}  // namespace pchronicle::lance
