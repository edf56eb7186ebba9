#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pchronicle/columnar/array.h"
#include "pchronicle/json/writer.h"

namespace pchronicle::app {

/// `text`, with bytes that are no UTF-8 escaped as `\xhh`: names and metadata come from files.
std::string ValidText(std::string_view text);
void WriteText(json::Writer* out, std::string_view text);

/// Writes one slot as a JSON value: numbers as numbers (64-bit ones with all digits; NaN and
/// infinities as text), decimals and temporal values as text (`12.50`, `2026-08-20`,
/// `2026-08-20T01:02:03.5Z`; durations with their unit), text as it is, binary as base64, lists and
/// maps as arrays, structs as objects. Text that is no UTF-8 is written as base64, too.
void WriteCell(const columnar::Array& array, int64_t slot, json::Writer* out);

}  // namespace pchronicle::app
