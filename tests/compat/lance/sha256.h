#pragma once

#include <string>
#include <string_view>

namespace pchronicle::lance::testing_support {

/// Lower-case hex SHA-256 (FIPS 180-4): the fixtures name long values by it.
std::string Sha256Hex(std::string_view bytes);

}  // namespace pchronicle::lance::testing_support
