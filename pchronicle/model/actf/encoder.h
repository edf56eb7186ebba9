#pragma once

#include <span>
#include <string>

#include "pchronicle/base/result.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/encode.h"

namespace pchronicle::model {

/// Writes ACTF documents (formats.md 5).
/// `report` may be null; what the target cannot carry is counted there. Errors are kInvalidArgument
/// (the documents do not fit the target) or kUnsupported (no documents).
Result<std::string> EncodeActf(std::span<const Storyline> storylines, const EncodeOptions& options,
                               EncodeReport* report);

}  // namespace pchronicle::model
