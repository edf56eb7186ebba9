#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model {

/// Plain text of a message (formats.md 3.4): a string as it is; an array's text parts joined by one
/// blank line
/// ("\n\n"), none if no part has text; anything else none. Lone surrogates are U+FFFD. The view
/// points into the raw text or the arena.
std::optional<std::string_view> MessageText(const json::Raw& message, Arena& arena);

}  // namespace pchronicle::model
