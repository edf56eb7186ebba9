#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace pchronicle::lance {

/// 64 random bits of the system.
uint64_t RandomU64();
/// A random UUID (version 4).
std::array<uint8_t, 16> RandomUuid();
/// `8-4-4-4-12` lower-case hexadecimal digits.
std::string UuidText(const std::array<uint8_t, 16>& uuid);
/// A data file name nobody has used (lance.md A1): 24 binary digits, 26 hexadecimal ones, `.lance`.
/// Binary digits in front spread names over the partitions of object stores.
std::string NewDataFileName();

}  // namespace pchronicle::lance
