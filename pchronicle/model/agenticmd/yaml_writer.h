#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::model::agenticmd {

/// One JSON object as block-style YAML lines with a line feed behind each; `{}` for an empty one.
/// Strings are plain only where no YAML reader takes them for anything else; numbers keep their
/// text; lone surrogates, which YAML cannot hold, are scalars tagged `!json`. YamlToJson gives the
/// same value back. Errors: a text that is no JSON object, or deeper than kMaxYamlDepth.
Result<std::string> JsonToYaml(std::string_view object);

}  // namespace pchronicle::model::agenticmd
