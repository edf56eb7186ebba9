#pragma once

#include <string_view>

#include "pchronicle/catalog/scan.h"
#include "pchronicle/model/diagnostics.h"

namespace pchronicle::catalog {

/// A walker's problem with its line and pointer, for which the input is read again.
SourceProblem PlaceProblem(std::string_view file, const json::ByteInput& input,
                           const model::Problem& problem);
/// The like for an error of a whole file, found by detection.
SourceProblem PlaceError(const Source& source, const ResolvedSource& resolved);

/// Errors that are no property of the data: they end a query under every policy (catalog.md 11).
bool FailsAlways(const Status& status);

/// Adds the lost units of one reading to those known.
void MergeLost(const model::SourceNotes& found, model::SourceNotes& known);

/// The error of a strict reader: message as SourceProblem::ToString.
Status ToStatus(const SourceProblem& problem);
/// Place and message without the file, for `sources.reason`.
std::string ReasonText(const SourceProblem& problem);

}  // namespace pchronicle::catalog
