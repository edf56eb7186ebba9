#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/lance/table/table.h"

namespace pchronicle::lance {

/// What a check of one version found.
struct VerifyReport {
  struct Finding {
    std::string place;  // `fragment 3, column name`, `index id_idx`
    std::string text;
  };
  std::vector<Finding> problems;
  std::vector<Finding> skipped;  // what was not checked, and why
  uint64_t unreadable = 0;       // columns of fragments among these: unsupported, not damaged
  uint64_t fragments = 0, data_files = 0, rows = 0, deleted_rows = 0;
  uint64_t values = 0;  // slots read, one for each row and top-level column
  uint64_t indices = 0, index_entries = 0;  // entries, or zones of indices that have these
  ReadCounters reads;
};

/// Reads every page of every column and every entry of every index: data files against the
/// manifest, deletions and row ids against the rows, index entries and zones against the column. Memory is
/// that of one batch; problems beyond 1000 are not kept. `progress(done, total)` counts columns of
/// fragments. Fails only when cancelled.
Result<VerifyReport> Verify(const std::shared_ptr<const Table>& table, const Context& context,
                            const std::function<void(size_t, size_t)>& progress = nullptr);

}  // namespace pchronicle::lance
