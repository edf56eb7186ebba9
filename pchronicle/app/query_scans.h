#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "pchronicle/catalog/scan.h"
#include "pchronicle/sql/engine.h"

namespace pchronicle::app {

/// The scans of one query over a snapshot. With `count` it also counts the cells that they hand to
/// the engine. Thread-safe.
class QueryScans : public sql::ScanFactory {
 public:
  QueryScans(catalog::QueryScope& scope, bool count) : scope_(scope), count_(count) {}

  Result<std::unique_ptr<catalog::RelationScan>> Create(catalog::ScanRequest request) override;
  Result<std::unique_ptr<catalog::RowScan>> CreateRows(
      const catalog::RowScanRequest& request) override;
  void Announce(const std::vector<catalog::ScanRequest>& scans) override { scope_.Announce(scans); }

  /// Content columns of `sources` were asked for while some were unknown (REL-11).
  bool content_unknown() const { return content_unknown_.load(); }
  uint64_t bytes() const { return bytes_.load(); }  // of counted cells

 private:
  catalog::QueryScope& scope_;
  const bool count_;
  std::atomic<bool> content_unknown_{false};
  std::atomic<uint64_t> bytes_{0};
};

}  // namespace pchronicle::app
