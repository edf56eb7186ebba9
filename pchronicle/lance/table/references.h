#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/io/store.h"

namespace pchronicle::lance {

struct Tag {
  std::string name, branch;  // branch empty: main
  uint64_t version = 0;
};
struct Branch {
  std::string name, parent;  // parent empty: main
  uint64_t parent_version = 0;
};

/// `_refs/tags/<name>.json` of a table at the root of the store (lance.md A10). kNotFound names the
/// tags that there are, kCorruption the file.
Result<Tag> ReadTag(const io::Store& store, const std::string& name);
/// All of them by name; none when the directory is missing.
Result<std::vector<Tag>> ListTags(const io::Store& store);
Result<std::vector<Branch>> ListBranches(const io::Store& store);

}  // namespace pchronicle::lance
