#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pchronicle::model {

/// `_file_` that a path inside `file` names: relative to the folder of `file`, `.` and `..` taken
/// out, inside the mount. Nothing for an empty, absolute or climbing path and for anything with a
/// scheme (`s3://`).
std::optional<std::string> ResolveReferencePath(std::string_view file, std::string_view path);

}  // namespace pchronicle::model
