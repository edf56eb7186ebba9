#pragma once

#include <string>
#include <string_view>

namespace pchronicle::model::agenticmd {

/// Appends one block as writers do (formats.md 6.2): header, blank line, body, blank line. `header`
/// is a JSON object without line breaks whose `length` is the byte length of `body`. A speaker with
/// other characters than letters, digits, `-` and `_` is left out of the marker.
void AppendBlock(std::string_view speaker, std::string_view header, std::string_view body,
                 std::string& out);

}  // namespace pchronicle::model::agenticmd
