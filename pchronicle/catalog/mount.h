#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::catalog {

/// Refuses duplicate aliases and namespaces, blank URIs and a second default, without touching
/// storage (MNT-04, -05).
Status CheckMounts(const std::vector<Mount>& mounts);

/// Makes the mount named `alias` the default Dataset, and no other. kNotFound, naming the mounts
/// there are, when there is none of that name (MNT-08).
Status SelectDefault(std::string_view alias, std::vector<Mount>& mounts);

/// A mount's root, opened.
struct OpenedRoot {
  std::shared_ptr<io::Store> store;
  std::string uri;   // absolute (SID-03a); of a single file: the file's
  std::string file;  // the only source when the root is a file
};
/// Location grammar MNT-09, then the store behind it.
Result<OpenedRoot> OpenRoot(const Mount& mount);

}  // namespace pchronicle::catalog
