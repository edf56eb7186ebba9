#pragma once

#include <string>

#include "pchronicle/columnar/array.h"
#include "pchronicle/json/value.h"

namespace pchronicle::lance::testing_support {

/// Empty when slot `row` is the value of a fixture's expected.ndjson, else what differs. The form
/// of the values is told by the README of the fixtures.
std::string DiffCell(const json::Value& expected, const columnar::Array& array, int64_t row);

}  // namespace pchronicle::lance::testing_support
