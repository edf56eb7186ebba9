#pragma once

#include "pchronicle/app/find/expression.h"
#include "pchronicle/app/find/expression_input.h"
#include "pchronicle/base/result.h"

namespace pchronicle::app {

/// Reads one condition of an expression: a quoted text, a phrase, `#field(text)`, or a comparison
/// of a JSON value. The input stands at its first character and is left behind its last. Errors:
/// kInvalidArgument with the place.
Result<FindExpression> ParseCondition(ExpressionInput& in);

}  // namespace pchronicle::app
