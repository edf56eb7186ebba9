#pragma once

#include "pchronicle/model/document.h"
#include "pchronicle/model/encode.h"

namespace pchronicle::model::openai {

/// Counts what of a Storyline a corpus has no member for (formats.md 4.9, end), by field class.
void CountLost(const Storyline& storyline, EncodeReport& report);

}  // namespace pchronicle::model::openai
