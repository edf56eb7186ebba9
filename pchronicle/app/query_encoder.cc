#include "pchronicle/app/query_encoder.h"

#include <algorithm>
#include <cstring>

#include "pchronicle/base/terminal_text.h"

namespace pchronicle::app {
namespace {

using sql::CellStyle;
using sql::ResultChunk;
using sql::ResultColumn;

constexpr size_t kFlushBytes = 256 << 10;
constexpr size_t kMaxCell = 80;   // characters of a table cell
constexpr size_t kNarrowest = 8;  // a box column is never made narrower

Status CheckBytes(uint64_t bytes, uint64_t limit) {
  if (limit == 0 || bytes <= limit) {
    return Status::Ok();
  }
  return Status::ResourceExhausted(
      "the result is larger than max_output_bytes {}; 0 means no limit", limit);
}

/// Text collected for a spool, handed on in large pieces and counted against the limit.
class Output {
 public:
  Output(Spool& spool, uint64_t limit) : spool_(spool), limit_(limit) {}

  std::string& text() { return text_; }
  Status Flush(bool all) {
    if (limit_ != 0) {
      PCHRONICLE_RETURN_IF_ERROR(CheckBytes(spool_.size() + text_.size(), limit_));
    }
    if (!all && text_.size() < kFlushBytes) {
      return Status::Ok();
    }
    PCHRONICLE_RETURN_IF_ERROR(spool_.Append(text_));
    text_.clear();
    return Status::Ok();
  }

 private:
  Spool& spool_;
  const uint64_t limit_;
  std::string text_;
};

void AppendJsonKey(std::string_view name, std::string* out) {
  *out += '"';
  for (const char c : name) {
    if (c == '"' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      *out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      *out += c;
    }
  }
  *out += "\":";
}

class JsonLines : public RowEncoder {
 public:
  JsonLines(const EncoderOptions& options, Spool& spool) : output_(spool, options.max_bytes) {}

  Status Begin(const std::vector<ResultColumn>& columns) override {
    for (size_t i = 0; i < columns.size(); ++i) {
      std::string& key = keys_.emplace_back(i == 0 ? "{" : ",");
      AppendJsonKey(columns[i].name, &key);
    }
    return Status::Ok();
  }
  Status Rows(const ResultChunk& chunk) override {
    std::string& out = output_.text();
    for (size_t row = 0; row < chunk.rows(); ++row) {
      for (size_t column = 0; column < keys_.size(); ++column) {
        out += keys_[column];
        chunk.AppendCell(column, row, CellStyle::kJson, &out);
      }
      out += keys_.empty() ? "{}\n" : "}\n";
      PCHRONICLE_RETURN_IF_ERROR(output_.Flush(false));
    }
    return Status::Ok();
  }
  Status Finish() override { return output_.Flush(true); }

 private:
  Output output_;
  std::vector<std::string> keys_;
};

class Csv : public RowEncoder {
 public:
  Csv(const EncoderOptions& options, Spool& spool)
      : output_(spool, options.max_bytes), terminal_(options.terminal) {}

  Status Begin(const std::vector<ResultColumn>& columns) override {
    columns_ = columns.size();
    for (size_t i = 0; i < columns.size(); ++i) {
      output_.text() += i == 0 ? "" : ",";
      AppendCell(columns[i].name);
    }
    output_.text() += '\n';
    return output_.Flush(false);
  }
  Status Rows(const ResultChunk& chunk) override {
    for (size_t row = 0; row < chunk.rows(); ++row) {
      for (size_t column = 0; column < columns_; ++column) {
        output_.text() += column == 0 ? "" : ",";
        cell_.clear();
        chunk.AppendCell(column, row, CellStyle::kText, &cell_);
        AppendCell(cell_);
      }
      output_.text() += '\n';
      PCHRONICLE_RETURN_IF_ERROR(output_.Flush(false));
    }
    return Status::Ok();
  }
  Status Finish() override { return output_.Flush(true); }

 private:
  void AppendCell(std::string_view cell) {
    if (terminal_) {
      Quote(EscapeText(cell));
    } else {
      Quote(cell);
    }
  }
  void Quote(std::string_view cell) {
    std::string& out = output_.text();
    if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
      out += cell;
      return;
    }
    out += '"';
    for (const char c : cell) {
      out += c;
      if (c == '"') {
        out += c;
      }
    }
    out += '"';
  }

  Output output_;
  const bool terminal_;
  size_t columns_ = 0;
  std::string cell_;
};

/// The first kMaxCell characters, the last of them `…` when something was cut off. Line breaks
/// would tear a table apart and become blanks.
std::string TableCell(std::string_view text, bool terminal) {
  std::string cell(CutCharacters(text, kMaxCell));
  if (cell.size() < text.size()) {
    cell = std::string(CutCharacters(text, kMaxCell - 1)) + "…";
  }
  for (char& c : cell) {
    if (c == '\n' || c == '\r' || c == '\t') {
      c = ' ';
    }
  }
  return terminal ? EscapeLine(cell) : cell;
}

std::string CutToWidth(std::string_view text, size_t width) {
  if (DisplayWidth(text) <= width) {
    return std::string(text);
  }
  size_t used = 0, end = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    NextCharacter(text, &at);
    used += DisplayWidth(text.substr(begin, at - begin));
    if (used + 1 > width) {
      break;
    }
    end = at;
  }
  return std::string(text.substr(0, end)) + "…";
}

/// Tables know their widths only after the last row: cells are held in a spool of their own until
/// then.
class TableEncoder : public RowEncoder {
 public:
  TableEncoder(const EncoderOptions& options, Spool& spool)
      : options_(options),
        box_(options.format == QueryFormat::kBox),
        output_(spool, options.max_bytes) {}

  Status Begin(const std::vector<ResultColumn>& columns) override {
    plan_ = columns.size() == 2 && columns[0].name == "explain_key" &&
            columns[1].name == "explain_value";
    for (const ResultColumn& column : columns) {
      right_.push_back(box_ && column.numeric);
      headers_.push_back(TableCell(column.name, options_.terminal));
      widths_.push_back(Width(headers_.back()));
    }
    return Status::Ok();
  }

  Status Rows(const ResultChunk& chunk) override {
    for (size_t row = 0; row < chunk.rows(); ++row) {
      if (plan_) {
        std::string text;
        chunk.AppendCell(1, row, CellStyle::kText, &text);
        output_.text() += options_.terminal ? EscapeText(text) : text;
        continue;
      }
      for (size_t column = 0; column < widths_.size(); ++column) {
        std::string text;
        chunk.AppendCell(column, row, CellStyle::kText, &text);
        const std::string cell = TableCell(text, options_.terminal);
        widths_[column] = std::max(widths_[column], Width(cell));
        const auto size = static_cast<uint32_t>(cell.size());
        held_.append(reinterpret_cast<const char*>(&size), sizeof size);
        held_ += cell;
      }
      PCHRONICLE_RETURN_IF_ERROR(Hold(false));
    }
    return Status::Ok();
  }

  Status Finish() override {
    if (plan_) {
      return output_.Flush(true);
    }
    if (widths_.empty()) {
      output_.text() += "(0 rows)\n";
      return output_.Flush(true);
    }
    PCHRONICLE_RETURN_IF_ERROR(Hold(true));
    FitBox();
    Rule("┌", "┬", "┐");
    Line(headers_);
    Rule("├", "┼", "┤");
    PCHRONICLE_RETURN_IF_ERROR(ReplayCells());
    Rule("└", "┴", "┘");
    return output_.Flush(true);
  }

 private:
  size_t Width(std::string_view cell) const {
    return box_ ? DisplayWidth(cell) : CountCharacters(cell);
  }

  Status Hold(bool all) {
    PCHRONICLE_RETURN_IF_ERROR(CheckBytes(cells_.size() + held_.size(), options_.max_bytes));
    if (all || held_.size() >= kFlushBytes) {
      PCHRONICLE_RETURN_IF_ERROR(cells_.Append(held_));
      held_.clear();
    }
    return Status::Ok();
  }

  /// Reads the held cells back and writes them as lines.
  Status ReplayCells() {
    std::string pending;
    std::vector<std::string> cells;
    return cells_.ForEach([&](std::string_view piece) -> Status {
      pending += piece;
      size_t at = 0;
      while (pending.size() - at >= sizeof(uint32_t)) {
        uint32_t size = 0;
        std::memcpy(&size, pending.data() + at, sizeof size);
        if (pending.size() - at - sizeof size < size) {
          break;
        }
        cells.emplace_back(pending, at + sizeof size, size);
        at += sizeof size + size;
        if (cells.size() == widths_.size()) {
          Line(cells);
          cells.clear();
          PCHRONICLE_RETURN_IF_ERROR(output_.Flush(false));
        }
      }
      pending.erase(0, at);
      return options_.context != nullptr ? options_.context->Check() : Status::Ok();
    });
  }

  /// Takes columns from the widest until the box fits the terminal.
  void FitBox() {
    const size_t frame = 3 * widths_.size() + 1;
    if (!box_ || options_.width <= frame) {
      return;
    }
    size_t total = 0;
    for (const size_t width : widths_) {
      total += width;
    }
    while (total > options_.width - frame) {
      const auto widest = std::max_element(widths_.begin(), widths_.end());
      if (*widest <= kNarrowest) {
        return;
      }
      --*widest;
      --total;
    }
  }

  void Rule(const char* left, const char* middle, const char* right) {
    if (!box_) {
      return;
    }
    std::string& out = output_.text();
    out += left;
    for (size_t i = 0; i < widths_.size(); ++i) {
      out += i == 0 ? "" : middle;
      for (size_t j = 0; j < widths_[i] + 2; ++j) {
        out += "─";
      }
    }
    out += right;
    out += '\n';
  }

  void Line(const std::vector<std::string>& cells) {
    std::string& out = output_.text();
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = box_ ? CutToWidth(cells[i], widths_[i]) : cells[i];
      out += box_ ? "│ " : i == 0 ? "" : "  ";
      const size_t blanks = widths_[i] - std::min(widths_[i], Width(cell));
      out.append(right_[i] ? blanks : 0, ' ');
      out += cell;
      out.append(right_[i] ? 0 : blanks, ' ');
      out += box_ ? " " : "";
    }
    if (box_) {
      out += "│";
    } else {
      while (!out.empty() && out.back() == ' ') {
        out.pop_back();
      }
    }
    out += '\n';
  }

  const EncoderOptions options_;
  const bool box_;
  Output output_;
  bool plan_ = false;  // EXPLAIN: the plan is printed as it is
  std::vector<bool> right_;
  std::vector<std::string> headers_;
  std::vector<size_t> widths_;
  std::string held_;
  Spool cells_;
};

}  // namespace

std::unique_ptr<RowEncoder> MakeEncoder(const EncoderOptions& options, Spool& spool) {
  switch (options.format) {
    case QueryFormat::kJsonl:
      return std::make_unique<JsonLines>(options, spool);
    case QueryFormat::kCsv:
      return std::make_unique<Csv>(options, spool);
    case QueryFormat::kTable:
    case QueryFormat::kBox:
      return std::make_unique<TableEncoder>(options, spool);
  }
  return nullptr;
}

}  // namespace pchronicle::app
