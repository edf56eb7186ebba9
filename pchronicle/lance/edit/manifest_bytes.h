#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {

/// The bytes of a manifest file (lance.md A2): index section when there are indices, the serialised
/// transaction, the manifest with the positions of both, the tail. Sections of 4 GiB and more are
/// kResourceExhausted.
Result<std::string> EncodeManifestFile(proto::Manifest manifest,
                                       const std::vector<proto::Index>& indices,
                                       std::string_view transaction);

}  // namespace pchronicle::lance
