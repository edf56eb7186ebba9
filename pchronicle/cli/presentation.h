#pragma once

#include <string>

#include "pchronicle/cli/console.h"
#include "pchronicle/cli/table.h"

namespace pchronicle::cli {

/// What `auto` means (cli.md 3.5): a table on a terminal only.
inline bool WantsTable(OutputFormat format, const Console& console) {
  return format == OutputFormat::kTable ||
         (format == OutputFormat::kAuto && console.stdout_terminal());
}

/// Box lines on a terminal, plain columns elsewhere.
inline std::string RenderTable(const Table& table, const Console& console) {
  return console.stdout_terminal() ? table.Render(Table::Style::kBox, console.width())
                                   : table.Render(Table::Style::kPlain);
}

}  // namespace pchronicle::cli
