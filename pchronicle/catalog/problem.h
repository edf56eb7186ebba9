#pragma once

#include <string_view>
#include <vector>

#include "pchronicle/catalog/scan.h"
#include "pchronicle/model/diagnostics.h"
#include "pchronicle/model/line_finder.h"

namespace pchronicle::catalog {

/// Said of lines and offsets in a compressed file.
inline constexpr std::string_view kInText = " of the decompressed text";

/// Finds lines and pointers of problems of one input, for which it is read again: once for any
/// number of problems in ascending order of their offsets. Not thread-safe.
class ProblemPlacer {
 public:
  /// Both must outlive it.
  ProblemPlacer(std::string_view file, const json::ByteInput& input, bool is_compressed)
      : file_(file), input_(input), is_compressed_(is_compressed), lines_(input) {}
  SourceProblem Place(const model::Problem& problem);

 private:
  const std::string_view file_;
  const json::ByteInput& input_;
  const bool is_compressed_;
  model::LineFinder lines_;
};
/// A walker's problems in the order of their offsets.
std::vector<SourceProblem> PlaceProblems(std::string_view file, const json::ByteInput& input,
                                         const std::vector<model::Problem>& problems,
                                         bool is_compressed = false);
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
