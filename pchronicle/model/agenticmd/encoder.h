#pragma once

#include <span>
#include <string>

#include "pchronicle/base/result.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/encode.h"

namespace pchronicle::model {

/// Writes one Storyline as AgenticMD (formats.md 6.4); reading it back at level 1 gives the same
/// Storyline. A file holds one, so several are kInvalidArgument and none is kUnsupported. A
/// residual of source `agenticmd` at another place than `/frontmatter/{key}` or
/// `/blocks/{i}/header/{key}`, or where a canonical member stands, is kInvalidArgument; one of a
/// block that is not there counts as lossy `unknown_fields`. A frontmatter that no reader would
/// take is kResourceExhausted. `options.pretty` has no meaning here. `report` may be null.
Result<std::string> EncodeAgenticMd(std::span<const Storyline> storylines,
                                    const EncodeOptions& options, EncodeReport* report);

}  // namespace pchronicle::model
