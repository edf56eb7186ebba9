#pragma once

#include <span>
#include <string>

#include "pchronicle/base/result.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/encode.h"

namespace pchronicle::model {

/// Writes an OpenAI Messages corpus (formats.md 4).
/// `report` may be null; what the target cannot carry is counted there. Errors are kInvalidArgument
/// (the documents do not fit the target) or kUnsupported (no documents).
Result<std::string> EncodeOpenAi(std::span<const Storyline> storylines,
                                 const EncodeOptions& options, EncodeReport* report);

}  // namespace pchronicle::model
