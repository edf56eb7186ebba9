#pragma once

#include <string>
#include <vector>

#include "pchronicle/model/document.h"

namespace pchronicle::model::events {

/// Event records that say what a Storyline says (formats.md 7.6), one compact JSON object each,
/// every payload marked `degraded`. For in-memory use and debugging: never written back into a
/// canonical store.
std::vector<std::string> Synthesize(const Storyline& storyline);

}  // namespace pchronicle::model::events
