#pragma once

#include <string>
#include <string_view>

namespace pchronicle::sql {

/// The engine's plan in its YAML form as indented lines for people and for grep, one fact a line
/// (EXP-04):
///
///     HASH_GROUP_BY
///       Groups: #0
///       PCHRONICLE_SCAN
///         relation: dataset.steps
///         sources: 1/3
std::string PlanText(std::string_view yaml);

}  // namespace pchronicle::sql
