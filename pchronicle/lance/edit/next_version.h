#pragma once

#include <cstdint>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/edit/change.h"
#include "pchronicle/lance/table/manifest_file.h"

namespace pchronicle::lance {

/// What a manifest file holds beside its transaction.
struct VersionContent {
  proto::Manifest manifest;
  std::vector<proto::Index> indices;
};

struct NextVersionInput {
  /// The newest version; null: there is none, and the change is an overwrite.
  const ManifestFile* latest = nullptr;
  /// The version that a restore brings back.
  const ManifestFile* restored = nullptr;
  /// Names of indices of the version that the change was made on; for create_index.
  const std::vector<proto::Index>* read_indices = nullptr;
  int64_t now_ns = 0;
};

/// The version that `change` makes out of the newest one (lance.md A6 "Manifest building rules",
/// A8, A10). New fragments get ids and, with stable row ids, row ids; those of rewrites are noted
/// in `change`, too. kConflict: a fragment that the change needs is gone. Pure; no input or output.
Result<VersionContent> BuildNextVersion(const NextVersionInput& input, Change* change);

}  // namespace pchronicle::lance
