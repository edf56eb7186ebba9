#pragma once

#include <string>
#include <string_view>

#include "pchronicle/model/walker.h"

namespace pchronicle::app {

/// Name in the new Dataset of a single input (cli.md 5.1); line formats and compressed files keep
/// the extension of `source`.
std::string CanonicalName(model::Format format, std::string_view source);

/// Name for an input without one: `stdin`, and the extension that its first line and its
/// compression ask for.
std::string StdinName(const std::string& text);

/// Name of a Dataset for an input file: `.json`/`.actf` stripped, lower case, other characters `-`,
/// doubled `-` merged.
std::string DerivedDatasetName(std::string_view file_name);

}  // namespace pchronicle::app
