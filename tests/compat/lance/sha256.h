#pragma once

#include <string>
#include <string_view>

namespace pchronicle::compat {

/// SHA-256 as lowercase hex: fixtures hold it instead of long values.
std::string Sha256Hex(std::string_view bytes);

}  // namespace pchronicle::compat
