#pragma once

#include <string>

#include "tests/golden/golden_case.h"

namespace pchronicle::golden {

/// What became of a case.
struct Outcome {
  enum class Kind { kPassed, kFailed };
  Kind kind = Kind::kPassed;
  std::string why;
};

/// Runs one case and checks everything it expects, and guarantee 3 of formats.md 9.1 where that
/// applies.
Outcome RunCase(const Case& golden);

}  // namespace pchronicle::golden
