#pragma once

#include <string_view>

#include "pchronicle/json/raw.h"

namespace pchronicle::model {

/// Whether a value is the string of these characters, however it is written: `"te\u0078t"` is
/// "text". Does not allocate unless the value has escapes.
bool TextIs(const json::Raw& raw, std::string_view characters);

}  // namespace pchronicle::model
