#pragma once

#include <cstdint>
#include <string>

#include "pchronicle/columnar/array.h"
#include "pchronicle/json/value.h"

namespace pchronicle::compat {

/// Compares one slot with the JSON value of a fixture's expected.ndjson (its README gives the form:
/// 64-bit integers as text, binary as hex, temporal values as exact milliseconds, decimals as
/// words, long values as length and SHA-256). Empty when they are the same, else what differs.
std::string CompareCell(const columnar::Array& array, int64_t slot, const json::Value& expected);

}  // namespace pchronicle::compat
