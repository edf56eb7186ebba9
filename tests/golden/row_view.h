#pragma once

#include <string>

#include "pchronicle/base/result.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/model/relations.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::golden {

/// The rows of one relation as a JSON array of objects (formats.md 1.10): what SQL would be given.
/// Text and JSON cells are strings; `timestamp_ns` stands beside `timestamp`.
Result<std::string> RelationRows(model::Relation relation, model::Format format,
                                 const json::ByteInput& input, model::WalkOptions options);

}  // namespace pchronicle::golden
