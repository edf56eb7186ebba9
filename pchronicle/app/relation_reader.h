#pragma once

#include <functional>
#include <string_view>

#include "pchronicle/catalog/scan.h"

namespace pchronicle::app {

/// Rows of one relation without the engine (D27).
struct RowVisitor {
  std::function<void()> reset;  // rows given so far do not count: the scan starts again (STL-127)
  /// In no particular order; one at a time unless `concurrent`.
  std::function<void(const columnar::Batch&)> visit;
  bool concurrent = false;  // visit may be called by several threads at once

  /// Optional, for scans of a row relation whose request has the column `_file_`. All rows of the
  /// files before `file` have been visited: true when no other row is needed. Never called twice at
  /// a time.
  std::function<bool(std::string_view file)> enough = {};
};

/// Runs one scan over all its tasks, on as many threads as it can use. The first error ends it;
/// with `enough` it is the first in the order of the rows, and errors behind the last row needed do
/// not count.
Status ReadRelation(catalog::QueryScope& scope, const catalog::ScanRequest& request,
                    const RowVisitor& visitor);

}  // namespace pchronicle::app
