#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/status.h"
#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// Throws the engine exception that stands for a failure of ours. Never an internal one: that would
/// make the whole database object unusable.
[[noreturn]] void ThrowStatus(const Status& status);

/// Category and one-line message of an engine error: `... did you mean "steps"? (line 1, column
/// 15)`. `sql` is the statement, for the position.
Status ToStatus(const duckdb::ErrorData& error, std::string_view sql);

}  // namespace pchronicle::sql
