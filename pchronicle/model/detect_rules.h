#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/model/detect.h"
#include "pchronicle/model/detect_shape.h"

namespace pchronicle::model {

/// What one record is. `name` is the detected format as people know it; `format` is set when we
/// read it.
struct Match {
  std::string_view name;
  std::optional<Format> format;
  Detection::Harbor harbor = Detection::Harbor::kNone;
  bool is_trajectory = true;  // false: known by name, but no run of any kind
};

/// Tests of formats.md 8.3 and sources.md 1.5 on the root object or the first element `c`;
/// `in_array`: c is an element.
std::optional<Match> Classify(const Shape& c, bool in_array, std::string_view file);
/// Explicit versions alone: these may be acted on before the record's end.
std::optional<Match> ClassifyByVersion(const Shape& c);
/// Format that a file name promises (8.2); only used where the content is damaged before it says
/// anything.
std::optional<Format> FormatByName(std::string_view file);
/// Kind of a well-known file that is no trajectory, by name; empty: none.
std::string_view KnownByName(std::string_view file);
/// `not a trajectory (members: a, b)`.
std::string NotATrajectory(const Shape& c, bool in_array);
/// `PNG image` and the like from a file's first bytes; empty: no known mark.
std::string_view BinaryKind(std::string_view head);

}  // namespace pchronicle::model
