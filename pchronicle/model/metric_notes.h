#pragma once

#include <cstdint>
#include <string>

#include "pchronicle/model/diagnostics.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/step_metrics.h"

namespace pchronicle::model {

/// JSON pointer of turn `ordinal` in its source record.
std::string TurnPointer(const Document& document, int64_t ordinal);

/// Diagnostic `bad_value` of a step's metrics, with pointer and value (BR-05).
void NoteBadMetric(Diagnostics& diagnostics, const Document& document, int64_t ordinal,
                   const BadMetric& bad);

/// The like of the document's final_metrics.
void NoteBadTotal(Diagnostics& diagnostics, const Document& document, const BadMetric& bad);

}  // namespace pchronicle::model
