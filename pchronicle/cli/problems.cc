#include "pchronicle/cli/problems.h"

#include <fmt/core.h>

#include <algorithm>

namespace pchronicle::cli {

void WarnProblems(const std::vector<catalog::SourceProblem>& problems, uint64_t count,
                  Console& console) {
  constexpr size_t kMaxLines = 20;
  const size_t shown = std::min(problems.size(), kMaxLines);
  for (size_t i = 0; i < shown; ++i) {
    console.Warn("left out " + problems[i].ToString());
  }
  if (count > shown) {
    console.Warn(fmt::format("left out {} more units of input", count - shown));
  }
}

}  // namespace pchronicle::cli
