#pragma once

#include <string>

#include "pchronicle/base/result.h"

namespace pchronicle::bench {

/// Opens the table and writes the files of an index over a column to a directory, without changing
/// the table; gives one JSON line. `kind`: BTREE or BITMAP.
Result<std::string> IndexAction(const std::string& path, const std::string& column,
                                const std::string& kind, const std::string& directory);

}  // namespace pchronicle::bench
