#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pchronicle {

/// RFC 4648 base64 with padding, standard alphabet.
std::string EncodeBase64(std::string_view bytes);
/// Accepts the standard and the URL-safe alphabet, padded or not; blanks and line ends are passed
/// over. Nothing for any other character or a length that no encoder produces.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace pchronicle
