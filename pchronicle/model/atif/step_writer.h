#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/status.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/encode.h"

namespace pchronicle::model::atif {

/// Appends one turn as an ATIF step (formats.md 3.8). `from_atif`: the turn was read from ATIF, so
/// odd shapes go back as they came. Counts in `report` what a step cannot hold. Error: `decode ATIF
/// step[N].observation from Storyline`.
Status WriteStep(const Turn& turn, bool from_atif, std::string& out, EncodeReport& report);

/// The version a document is written with (formats.md 3.9).
std::string_view VersionFor(const Storyline& storyline);

}  // namespace pchronicle::model::atif
