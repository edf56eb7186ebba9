#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pchronicle/catalog/row_table.h"
#include "pchronicle/catalog/scan.h"
#include "pchronicle/io/store.h"

namespace pchronicle::lance {
class Table;
}

namespace pchronicle::catalog {

/// A Lance table that is a mount root (DSC-17), pinned to the version that was the newest when the
/// snapshot was taken (PIN-03). Thread-safe; lives as long as the snapshot.
class ForeignTable : public RowTable {
 public:
  /// `store`: the folder of the table. Without a version there is none, and opening says so.
  ForeignTable(std::shared_ptr<const io::Store> store, std::optional<uint64_t> version)
      : store_(std::move(store)), version_(version) {}

  /// Opens the pinned version once, however many threads ask; errors are kept (LZY-02, LZY-03).
  Result<std::shared_ptr<const lance::Table>> Open() const;

  Result<std::vector<RowColumn>> Columns() const override;
  Result<uint64_t> CountRows() const override;
  std::string Describe() const override;

 private:
  const std::shared_ptr<const io::Store> store_;
  const std::optional<uint64_t> version_;
  mutable std::mutex mutex_;  // guards outcome_; held while the table is opened
  mutable std::optional<Result<std::shared_ptr<const lance::Table>>> outcome_;
};

/// The newest version of a table by the names in `_versions` and the entry of its manifest file,
/// which is what pins it: nothing is opened (PIN-02). kNotFound: no version is there.
struct NewestVersion {
  uint64_t version = 0;
  io::Entry manifest;
};
Result<NewestVersion> FindNewestVersion(const io::Store& store);

/// Starts a scan of the Dataset's foreign table. kNotFound: it has none. kInvalidArgument: unknown
/// column. kUnsupported and kCorruption: the table's own.
Result<std::unique_ptr<RowScan>> CreateRowScan(QueryScope& scope, const RowScanRequest& request);

}  // namespace pchronicle::catalog
