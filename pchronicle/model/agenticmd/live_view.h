#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::model::agenticmd {

/// Visible dialogue of one call as a live file shows it (formats.md 6.5).
struct LiveBlock {
  std::string_view call_id;  // not empty
  std::string_view source;   // user, agent or system
  std::string_view body;     // UTF-8
};

/// The text with that block in it. A block of the same call and source is replaced where it stands:
/// its other header members stay, and so does every byte behind it. Otherwise the block comes last,
/// one blank line behind what is there. Errors: those of ParseBlocks, and kInvalidArgument for text
/// without any marker (it would end inside nobody's block) or a bad block.
Result<std::string> PutLiveBlock(std::string_view text, const LiveBlock& block);

}  // namespace pchronicle::model::agenticmd
