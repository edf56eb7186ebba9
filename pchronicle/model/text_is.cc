#include "pchronicle/model/text_is.h"

#include "pchronicle/base/arena.h"

namespace pchronicle::model {

bool TextIs(const json::Raw& raw, std::string_view characters) {
  if (!raw.is_string()) {
    return false;
  }
  const std::string_view written = raw.text.substr(1, raw.text.size() - 2);
  if (written.size() == characters.size() || written.find('\\') == std::string_view::npos) {
    // Writing escapes takes more room than what they say.
    return written == characters;
  }
  Arena arena(256);
  return json::DecodeString(raw, arena) == characters;
}

}  // namespace pchronicle::model
