#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/model/document.h"
#include "pchronicle/model/openai/json_node.h"

namespace pchronicle::model::openai {

/// The minified text of a value; null when absent.
std::string CellOrNull(const json::Raw& raw);

/// A turn as a message of the given role; an assistant's with reasoning and calls (formats.md 4.9).
JsonNode MessageOf(const Turn& turn, std::string_view role);

/// One tool message for each observation result that names a call; `unlinked` counts the others.
std::vector<JsonNode> ToolMessagesOf(const Turn& turn, uint64_t* unlinked);

}  // namespace pchronicle::model::openai
