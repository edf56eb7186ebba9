#pragma once

#include <string>

#include "pchronicle/cli/parser.h"

namespace pchronicle::cli {

/// Script for `source <(pchronicle completion bash)`: commands, options, fixed values, else file
/// names.
std::string BashCompletion(const CommandDescription& root);
/// Script for a folder of $fpath, named _pchronicle; also works with `source`.
std::string ZshCompletion(const CommandDescription& root);

}  // namespace pchronicle::cli
