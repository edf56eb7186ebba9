#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::model::agenticmd {

/// Bytes of a frontmatter, and bytes that its aliases may add.
inline constexpr size_t kMaxYamlBytes = 1 << 20;
/// A document may be 128 levels deep (formats.md 1.1) and stands one level down, under `storyline`.
inline constexpr uint32_t kMaxYamlDepth = 129;
/// Tag of a scalar that is the text of a JSON value which YAML has no form for.
inline constexpr std::string_view kJsonTag = "!json";

/// The compact JSON text of a YAML mapping; of an empty text `{}`. Order and repeated keys are
/// kept. Plain scalars are typed by the YAML 1.2 core schema: a number keeps its text where that is
/// JSON, `.nan` and `.inf` become the bare tokens that json::Cursor counts as non-finite. Errors
/// name line and column: kInvalidArgument (no YAML, no mapping, a key that is no scalar, an alias
/// into itself), kResourceExhausted (bytes, depth, aliases). Thread-safe.
Result<std::string> YamlToJson(std::string_view yaml);

}  // namespace pchronicle::model::agenticmd
