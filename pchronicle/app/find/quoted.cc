#include "pchronicle/app/find/quoted.h"

#include "pchronicle/json/raw.h"

namespace pchronicle::app {
namespace {

// Place of the quote that ends the text, or npos.
size_t FindEnd(std::string_view text, size_t begin) {
  const char quote = text[begin];
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == quote) {
      return i;
    }
    i += quote == '"' && text[i] == '\\' ? 1 : 0;
  }
  return std::string_view::npos;
}

}  // namespace

Result<std::string> ParseQuoted(std::string_view text, size_t* at) {
  const size_t end = FindEnd(text, *at);
  if (end == std::string_view::npos) {
    return Status::InvalidArgument("this quote is not closed; add {}", text[*at]);
  }
  const std::string_view quoted = text.substr(*at, end + 1 - *at);
  if (quoted.front() == '\'') {
    *at = end + 1;
    return std::string(quoted.substr(1, quoted.size() - 2));
  }
  const json::Raw raw = json::RawFromText(quoted);
  if (!raw.is_string()) {
    return Status::InvalidArgument(
        "not a JSON string; inside double quotes write \\\" \\\\ \\n \\u0041, or use single "
        "quotes");
  }
  *at = end + 1;
  Arena arena(quoted.size());
  return std::string(json::DecodeString(raw, arena));
}

}  // namespace pchronicle::app
