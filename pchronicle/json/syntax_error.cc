#include "pchronicle/json/syntax_error.h"

#include <fmt/format.h>

namespace pchronicle::json::internal {

std::string ByteName(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  if (code < 0x20 || code >= 0x7f) {
    return fmt::format("0x{:02x}", code);
  }
  return fmt::format("'{}'", byte);
}

std::string FaultText(Fault fault, char found, uint32_t max_depth) {
  const std::string name = ByteName(found);
  switch (fault) {
    case Fault::kNone:
      break;
    case Fault::kDepth:
      return fmt::format("JSON is nested deeper than {} levels", max_depth);
    case Fault::kCloserKind:
      return fmt::format("expected '{}' to close the innermost container, found {}",
                         found == ']' ? '}' : ']', name);
    case Fault::kValue:
      return fmt::format("expected a JSON value, found {}", name);
    case Fault::kValueAfterComma:
      return fmt::format("expected a JSON value after ',', found {}", name);
    case Fault::kKeyOrClose:
      return fmt::format("expected a string key or '}}', found {}", name);
    case Fault::kKeyAfterComma:
      return fmt::format("expected a string key after ',', found {}", name);
    case Fault::kColon:
      return fmt::format("expected ':' after an object key, found {}", name);
    case Fault::kCommaOrBrace:
      return fmt::format("expected ',' or '}}' after an object member, found {}", name);
    case Fault::kCommaOrBracket:
      return fmt::format("expected ',' or ']' after an array element, found {}", name);
    case Fault::kControl:
      return fmt::format("expected an escape or '\"' in a string, found control character {}",
                         name);
    case Fault::kEscape:
      return fmt::format("expected one of \"\\/bfnrtu after a backslash, found {}", name);
    case Fault::kHexDigit:
      return fmt::format("expected four hexadecimal digits after \\u, found {}", name);
    case Fault::kDigit:
      return fmt::format("expected a digit in a number, found {}", name);
    case Fault::kLeadingZero:
      return fmt::format("expected no digit after the leading 0 of a number, found {}", name);
    case Fault::kLiteral:
      return fmt::format("expected true, false or null, found {} inside the word", name);
    case Fault::kToken:
      return fmt::format("expected the end of a number or literal, found {}", name);
  }
  return "unknown JSON syntax error";
}

std::string TruncatedText(bool line, std::string_view inside) {
  return fmt::format("{} ends inside {}", line ? "line" : "JSON input", inside);
}

}  // namespace pchronicle::json::internal
