#pragma once

#include <string>

#include "pchronicle/base/result.h"

namespace pchronicle::bench {

/// Reads an Arrow file into memory and writes it as a new Lance table at `path`, whose directory is
/// made. Gives one JSON line; `seconds` is the time of the writing.
Result<std::string> WriteAction(const std::string& arrow, const std::string& path, double* seconds);

}  // namespace pchronicle::bench
