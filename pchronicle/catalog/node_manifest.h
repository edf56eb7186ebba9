#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::catalog {

/// Sidecar `chronicle.manifest` of a Dataset node (storage.md 5), as far as discovery needs it.
struct NodeManifest {
  enum class Kind { kLeaf, kBranch };
  Kind kind = Kind::kBranch;
  std::string format;  // leaf only
};

/// Reads the TOML text. kInvalidArgument when it breaks a rule of storage.md 5; unknown keys are
/// ignored (CMF-002).
Result<NodeManifest> ParseNodeManifest(std::string_view text);

}  // namespace pchronicle::catalog
