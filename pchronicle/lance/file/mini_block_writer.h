#pragma once

#include <optional>

#include "pchronicle/lance/encoding/chunk_encoder.h"
#include "pchronicle/lance/encoding/distinct_values.h"
#include "pchronicle/lance/file/page_encoder.h"

namespace pchronicle::lance {

/// A mini-block page (lance.md B4). `dictionary`: what the values are indices into, or null.
/// Nothing when the structure has no place in chunks: then the page must be full-zip.
Result<std::optional<EncodedPage>> WriteMiniBlock(const LeafLevels& levels, ChunkEncoder* values,
                                                  const Dictionary* dictionary,
                                                  const EncoderOptions& options);

}  // namespace pchronicle::lance
