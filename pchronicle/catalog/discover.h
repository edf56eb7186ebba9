#pragma once

#include <map>
#include <string>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/catalog/file_name.h"
#include "pchronicle/catalog/mount.h"
#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::catalog {

/// What one mount holds, unpinned: revisions carry only their entries.
struct Discovery {
  std::vector<Source> sources;  // by `_file_`
  std::vector<io::Entry>
      rewards;  // Harbor `verifier/reward.txt`, by path: no sources, but read beside one
  std::map<std::string, uint64_t> passed_over;
  uint64_t directories = 0;
};

/// Walks the tree below a root (catalog.md 3): one listing per directory, one stat per file, no
/// open but that of `chronicle.manifest` sidecars and of the marker files that pin a store. A store
/// whose marker is wrong is a source with an error. Directories are walked in parallel where there
/// are many.
Result<Discovery> Discover(const OpenedRoot& root, const Limits& limits, const Context& context);

}  // namespace pchronicle::catalog
