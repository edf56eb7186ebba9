#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pchronicle::cli {

/// A table for people (cli.md 3.5). Cells are kept whole and cut when printed; all are one line
/// once printed.
class Table {
 public:
  enum class Style {
    kPlain,  // for pipes: columns padded with blanks, two between columns, cells as they are
    kBox,    // for terminals: box lines, control and bidi characters of data escaped (BR-51), wide
             // characters counted
  };
  static constexpr size_t kMaxCell = 80;

  struct Column {
    std::string name;
    bool right = false;          // numbers
    size_t max_cell = kMaxCell;  // characters before `…`
    bool whole = false;          // never narrowed to fit the terminal: ids that people copy
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as columns.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  size_t rows() const { return rows_.size(); }

  /// `width`: columns of the terminal; in a box the widest columns are narrowed to fit. 0:
  /// unlimited.
  std::string Render(Style style, size_t width = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The first `characters` characters, the last of them `…` when something was cut off.
std::string CutCell(const std::string& text, size_t characters);

}  // namespace pchronicle::cli
