#pragma once

#include <cstdint>
#include <vector>

#include "pchronicle/catalog/scan.h"
#include "pchronicle/cli/console.h"

namespace pchronicle::cli {

/// One `warning:` line for each unit of input that was left out: the first 20, then how many more
/// of `count` in all (catalog.md 11).
void WarnProblems(const std::vector<catalog::SourceProblem>& problems, uint64_t count,
                  Console& console);

}  // namespace pchronicle::cli
