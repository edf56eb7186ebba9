#pragma once

#include <functional>

#include "pchronicle/catalog/scan.h"

namespace pchronicle::app {

/// Rows of one relation without the engine (D27).
struct RowVisitor {
  std::function<void()> reset;  // rows given so far do not count: the scan starts again (STL-127)
  std::function<void(const columnar::Batch&)> visit;  // one at a time, in no particular order
};

/// Runs one scan over all its tasks, on as many threads as it can use. The first error ends it.
Status ReadRelation(catalog::QueryScope& scope, const catalog::ScanRequest& request,
                    const RowVisitor& visitor);

}  // namespace pchronicle::app
