#include "pchronicle/cli/table.h"

#include <algorithm>

#include "pchronicle/base/check.h"
#include "pchronicle/base/terminal_text.h"

namespace pchronicle::cli {
namespace {

constexpr size_t kNarrowest = 8;  // a box column is never made narrower

// Line breaks would tear the table apart in either style.
std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\r', ' ');
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

// The longest beginning that takes at most `width` columns, with `…` when cut.
std::string CutToWidth(const std::string& text, size_t width) {
  if (DisplayWidth(text) <= width) {
    return text;
  }
  size_t used = 0;
  size_t end = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    NextCharacter(text, &at);
    used += DisplayWidth(std::string_view(text).substr(begin, at - begin));
    if (used + 1 > width) {
      break;
    }
    end = at;
  }
  return text.substr(0, end) + "…";
}

void Pad(std::string* out, const std::string& cell, size_t cell_width, size_t width, bool right) {
  const size_t missing = width > cell_width ? width - cell_width : 0;
  if (right) {
    out->append(missing, ' ');
  }
  *out += cell;
  if (!right) {
    out->append(missing, ' ');
  }
}

std::string RenderPlain(const std::vector<std::vector<std::string>>& lines) {
  std::vector<size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], CountCharacters(line[i]));
    }
  }
  std::string out;
  for (const auto& line : lines) {
    std::string row;
    for (size_t i = 0; i < line.size(); ++i) {
      row += i == 0 ? "" : "  ";
      Pad(&row, line[i], CountCharacters(line[i]), widths[i], false);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  }
  return out;
}

// Takes columns from the widest that may be narrowed until the box fits.
void Narrow(const std::vector<Table::Column>& columns, std::vector<size_t>* widths,
            size_t available) {
  size_t total = 0;
  for (const size_t width : *widths) {
    total += width;
  }
  while (total > available) {
    size_t* widest = nullptr;
    for (size_t i = 0; i < widths->size(); ++i) {
      size_t& width = (*widths)[i];
      if (!columns[i].whole && (widest == nullptr || width > *widest)) {
        widest = &width;
      }
    }
    if (widest == nullptr || *widest <= kNarrowest) {
      return;
    }
    --*widest;
    --total;
  }
}

std::string BoxRule(const std::vector<size_t>& widths, const char* left, const char* middle,
                    const char* right) {
  std::string out = left;
  for (size_t i = 0; i < widths.size(); ++i) {
    out += i == 0 ? "" : middle;
    for (size_t j = 0; j < widths[i] + 2; ++j) {
      out += "─";
    }
  }
  return out + right + "\n";
}

}  // namespace

std::string CutCell(const std::string& text, size_t characters) {
  const std::string_view cut = CutCharacters(text, characters);
  if (cut.size() == text.size()) {
    return text;
  }
  return std::string(CutCharacters(text, characters - 1)) + "…";
}

std::string Table::Render(Style style, size_t width) const {
  if (columns_.empty()) {
    return "(0 rows)\n";
  }
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns_) {
    lines.front().push_back(column.name);
  }
  for (const auto& row : rows_) {
    PCHRONICLE_CHECK(row.size() == columns_.size());
    std::vector<std::string>& line = lines.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) {
      std::string cell = CutCell(OneLine(row[i]), columns_[i].max_cell);
      line.push_back(style == Style::kBox ? EscapeLine(cell) : std::move(cell));
    }
  }
  if (style == Style::kPlain) {
    return RenderPlain(lines);
  }
  std::vector<size_t> widths(columns_.size(), 0);
  for (auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(line[i]));
    }
  }
  const size_t frame = 3 * widths.size() + 1;
  if (width > frame) {
    Narrow(columns_, &widths, width - frame);
  }
  std::string out = BoxRule(widths, "┌", "┬", "┐");
  for (size_t row = 0; row < lines.size(); ++row) {
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = CutToWidth(lines[row][i], widths[i]);
      out += "│ ";
      Pad(&out, cell, DisplayWidth(cell), widths[i], columns_[i].right);
      out += " ";
    }
    out += "│\n";
    if (row == 0) {
      out += BoxRule(widths, "├", "┼", "┤");
    }
  }
  return out + BoxRule(widths, "└", "┴", "┘");
}

}  // namespace pchronicle::cli
