#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pchronicle/app/show.h"

namespace pchronicle::cli {

struct ShowTextOptions {
  uint64_t from_step = 0;         // array position
  std::optional<uint64_t> steps;  // most steps
  uint64_t max_chars = 0;         // budget of the steps' text in characters, 0: none
  bool escape = false;            // control and bidi characters as `\u00xx` (BR-51)
};

/// One run as text for people and agents (cli.md 4.6). The same run and options always give the
/// same text; what the budget cut off is marked with how much there is and how to get it (BR-61).
std::string RenderRun(const app::ShownRun& run, const ShowTextOptions& options);

}  // namespace pchronicle::cli
