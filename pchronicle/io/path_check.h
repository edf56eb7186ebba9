#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/status.h"

namespace pchronicle::io {

/// Refuses paths that would leave the root: absolute ones, `..` components, NUL bytes.
Status CheckRelative(std::string_view path);
/// `directory/name`, or `name` in the root.
std::string JoinPath(std::string_view directory, std::string_view name);

}  // namespace pchronicle::io
