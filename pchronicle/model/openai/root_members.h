#pragma once

#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/result.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/openai/row_index.h"

namespace pchronicle::model::openai {

/// What stands beside `session_steps` in the corpus objects of a file.
struct RootMembers {
  std::vector<UnknownField> fields;  // `/name`
  json::Raw envelope;                // `_storyline` (formats.md 9.2)
};

/// Reads those members, before and behind the rows; everything is copied into `arena`.
/// `error_offset` tells where an error stands.
Result<RootMembers> ReadRootMembers(const json::ByteInput& input,
                                    const json::CursorOptions& options,
                                    const std::vector<EnvelopeEntry>& objects, Arena& arena,
                                    uint64_t* error_offset);

}  // namespace pchronicle::model::openai
