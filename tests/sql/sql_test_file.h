#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"

namespace pchronicle::sql_test {

/// One record of a test file. Records are separated by blank lines; lines that start with `#` are
/// comments.
///
///     dataset data/mixed              opens a Dataset, relative to the test file; counts as
///     unqualified mount NAME data/mixed           opens one more Dataset under a name; the next
///     query opens them all option errors report            strict (default) or report option
///     threads 2 option max_rows 10
///
///     query [rowsort]                 rows as CSV without the header
///     SELECT ...
///     ----
///     expected rows
///
///     header                          the same with the header
///     explain                         every expected line must stand in the plan; with `!` in
///     front it must not error                           every expected line must stand in the
///     message; `code: x` is the status code problems                        the units that were
///     left out, one a line
struct Record {
  std::string kind;
  std::vector<std::string> words;  // of the first line, after the kind
  std::string sql;
  std::vector<std::string> expected;
  size_t line = 0;
};

/// Reads a test file. kInvalidArgument names the line that is wrong.
Result<std::vector<Record>> ParseTestFile(const std::string& text);

}  // namespace pchronicle::sql_test
