#pragma once

#include <string>

#include "pchronicle/base/status.h"
#include "pchronicle/lance/encoding/decode_context.h"

namespace pchronicle::lance {

/// Appends the JSON text of a JSONB value (lance.md E3): no blanks, members in stored order,
/// shortest doubles. Not-a-number and infinities become `NaN`, `Infinity`, `-Infinity`.
/// kCorruption: damage, nesting deeper than 64.
Status AppendJsonbText(Bytes value, std::string* out);

}  // namespace pchronicle::lance
