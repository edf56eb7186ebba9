#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pchronicle::columnar {

/// Two's complement of any width to decimal digits, with the point `scale` digits from the end. At
/// most 80 zeros are added for a scale that the digits do not reach.
std::string DecimalText(std::string_view little_endian, int32_t scale);

}  // namespace pchronicle::columnar
