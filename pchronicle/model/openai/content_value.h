#pragma once

#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model::openai {

/// formats.md 4.3 over a captured value: null and empty things have none.
bool HasValue(const json::Raw& value);

/// Content as the hub keeps it (formats.md 4.1): a string that holds a JSON array of content parts,
/// or one part object, becomes that structure; everything else stays as it is. Decoded text goes to
/// `arena`.
json::Raw DecodeContent(const json::Raw& content, Arena& arena);

/// A value that may have been written as JSON text of an object or array (meta_json, messages...):
/// the structure. Absent when it is neither `kind` nor text of one. `*was_text` tells which.
json::Raw DecodeStructure(const json::Raw& value, json::Kind kind, Arena& arena, bool* was_text);

/// Call arguments (formats.md 4.4): text that parses as JSON gives the parsed value, missing gives
/// null.
json::Raw DecodeArguments(const json::Raw& arguments, Arena& arena);

/// The plain text of a content for 4.6: a string, an object's `text`, or the texts of parts joined
/// by a line feed.
std::string_view ContentText(const json::Raw& content, Arena& arena);

/// The constant null.
json::Raw NullRaw();

}  // namespace pchronicle::model::openai
