#pragma once

#include <cstdint>
#include <vector>

#include "pchronicle/lance/encoding/leaf_levels.h"
#include "pchronicle/lance/proto/wire.h"

namespace pchronicle::lance {

/// The layers of a page in its layout message.
inline void WriteLayers(uint32_t field, const LeafLevels& levels, proto::WireWriter* out) {
  const std::vector<uint64_t> layers(levels.layers.begin(), levels.layers.end());
  out->Packed(field, std::span<const uint64_t>(layers));
}

}  // namespace pchronicle::lance
