#pragma once

#include <span>
#include <string>

#include "pchronicle/base/result.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/encode.h"

namespace pchronicle::model {

/// Writes the Storyline v1 wire (formats.md 2.2): one document is an object, several an array.
/// `report` may be null; what the target cannot carry is counted there. Errors are kInvalidArgument
/// (the documents do not fit the target) or kUnsupported (no documents).
Result<std::string> EncodeStoryline(std::span<const Storyline> storylines,
                                    const EncodeOptions& options, EncodeReport* report);

}  // namespace pchronicle::model
