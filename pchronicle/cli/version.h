#pragma once

#include <string>
#include <string_view>

namespace pchronicle::cli {

/// `0.1.0`: the content of the file VERSION.
std::string_view VersionNumber();
/// `pchronicle 0.1.0`
std::string VersionLine();

}  // namespace pchronicle::cli
