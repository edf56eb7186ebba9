#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pchronicle::sql {

enum class NameCase : uint8_t { kKept, kIgnored };

/// `names` with those numbered that were there before: `n`, `n_1`. No number makes a name that is
/// also given. kIgnored: `a` and `A` are the same (columns of tables and members of structs).
std::vector<std::string> UniqueNames(const std::vector<std::string>& names, NameCase name_case);

}  // namespace pchronicle::sql
