#include "pchronicle/cli/problems.h"

#include <fmt/core.h>

#include <algorithm>

namespace pchronicle::cli {

void WarnProblems(const std::vector<catalog::SourceProblem>& problems, Console& console) {
  constexpr size_t kMaxLines = 20;
  for (size_t i = 0; i < std::min(problems.size(), kMaxLines); ++i) {
    console.Warn("left out " + problems[i].ToString());
  }
  if (problems.size() > kMaxLines) {
    console.Warn(fmt::format("left out {} more units of input", problems.size() - kMaxLines));
  }
}

}  // namespace pchronicle::cli
