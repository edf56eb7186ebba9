#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "pchronicle/base/result.h"
#include "pchronicle/io/store.h"
#include "pchronicle/lance/edit/edit_options.h"

namespace pchronicle::lance {

/// Which versions go. The newest, tagged ones, and those that a branch began at always stay.
struct CleanupOptions {
  /// Versions committed before this go; none: age does not matter.
  std::optional<int64_t> older_than_ns;
  /// So many of the newest versions stay, whatever their age; at least 1.
  uint64_t retain = 1;
  /// Files that no version refers to may belong to a change that somebody is making: they stay
  /// until they are so old.
  int64_t orphan_age_ns = int64_t{7} * 24 * 3600 * 1'000'000'000;
  /// The time orphans are judged by, since the epoch; none: now.
  std::optional<int64_t> now_ns;
  /// Tells what would go, deletes nothing.
  bool dry_run = false;
  EditOptions edit;  // branch, context, open_base
};

struct CleanupReport {
  uint64_t versions = 0;  // removed
  uint64_t data_files = 0, deletion_files = 0, index_files = 0, transaction_files = 0;
  uint64_t bytes = 0;
  uint64_t versions_kept = 0;
  /// Files that no version refers to and that are too young to go.
  uint64_t young_orphans = 0;
};

/// Removes old versions and the files that only they refer to (lance.md A10). Manifests go first,
/// so that no version is listed whose files are gone, and no RestoreVersion builds on one; files
/// that a clean-up left because it was cut off are orphans for the next one. Readers of a version
/// that goes lose its files; files that any version of any branch refers to stay. Everything is
/// looked at before anything is deleted: a manifest that cannot be read or has unknown feature
/// flags ends it with nothing deleted.
Result<CleanupReport> CleanUp(const std::shared_ptr<io::Store>& store,
                              const CleanupOptions& options);

}  // namespace pchronicle::lance
