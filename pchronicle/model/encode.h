#pragma once

#include <map>
#include <span>
#include <string>

#include "pchronicle/base/result.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model {

struct EncodeOptions {
  bool strict = false;  // lossy or dangling things are errors
  bool pretty = true;   // two spaces, and a line feed at the end
};

/// What an export could not carry (formats.md 3.8, 5.3, 9.3): field class -> number of values.
struct EncodeReport {
  std::map<std::string, uint64_t> lossy;
  std::map<std::string, std::string> notes;
};

/// Names of the lossy field classes, joined by commas.
std::string LossyFields(const EncodeReport& report);
/// Adds `more` to `report`, which may be null.
void AddReport(const EncodeReport& more, EncodeReport* report);

/// Encodes Storylines in the given order as one document of `format` (formats.md section 9).
/// kHfChat is decode-only.
Result<std::string> Encode(Format format, std::span<const Storyline> storylines,
                           const EncodeOptions& options = {}, EncodeReport* report = nullptr);

}  // namespace pchronicle::model
