#include "pchronicle/json/writer.h"

#include <charconv>
#include <cmath>

#include "pchronicle/base/check.h"
#include "pchronicle/json/kernels.h"

namespace pchronicle::json {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

void AppendLine(size_t level, std::string& out) {
  out += '\n';
  out.append(2 * level, ' ');
}

/// Appends `text` laid out anew, its first line continuing what stands in `out`.
void AppendPretty(std::string_view text, size_t level, std::string& out) {
  const internal::Kernels& kernels = internal::ActiveKernels();
  const char* p = text.data();
  const char* const end = p + text.size();
  const internal::Bounds bounds{end, end};
  char before = 0;  // last character outside strings
  while ((p = kernels.blanks(p, bounds)) != end) {
    const char c = *p;
    const bool first_entry = before == '{' || before == '[';
    if ((c == '}' || c == ']') && level > 0) {
      --level;
    }
    if (first_entry ? c != '}' && c != ']' : c == '}' || c == ']') {
      AppendLine(level, out);
    }
    if (c == '"') {
      uint64_t escaped = 0;
      const char* closing = kernels.skip_string(&escaped, p + 1, bounds);
      closing += closing == end ? 0 : 1;
      out.append(p, static_cast<size_t>(closing - p));
      p = closing;
    } else {
      out += c;
      ++p;
    }
    if (c == '{' || c == '[') {
      ++level;
    } else if (c == ',') {
      AppendLine(level, out);
    } else if (c == ':') {
      out += ' ';
    }
    before = c;
  }
}

}  // namespace

void Writer::NewLine() {
  if (style_ == Style::kPretty) {
    AppendLine(has_entry_.size(), out_);
  }
}

void Writer::BeforeEntry() {
  if (!has_entry_.empty()) {
    if (has_entry_.back()) {
      out_ += ',';
    }
    has_entry_.back() = true;
    NewLine();
  }
}

void Writer::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
  } else {
    BeforeEntry();
  }
}

void Writer::Open(char bracket) {
  BeforeValue();
  out_ += bracket;
  has_entry_.push_back(false);
}

void Writer::Close(char bracket) {
  PCHRONICLE_CHECK(!has_entry_.empty());
  const bool has_entry = has_entry_.back();
  has_entry_.pop_back();
  if (has_entry) {
    NewLine();
  }
  out_ += bracket;
}

void Writer::Key(std::string_view key) {
  BeforeEntry();
  AppendQuoted(key, out_);
  out_ += style_ == Style::kPretty ? ": " : ":";
  after_key_ = true;
}

void Writer::String(std::string_view text) {
  BeforeValue();
  AppendQuoted(text, out_);
}

void Writer::Int(int64_t value) {
  BeforeValue();
  char digits[24];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void Writer::UInt(uint64_t value) {
  BeforeValue();
  char digits[24];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void Writer::Double(double value) {
  if (!std::isfinite(value)) {
    Null();
    return;
  }
  BeforeValue();
  char digits[40];
  const std::string_view shortest(
      digits,
      static_cast<size_t>(std::to_chars(digits, digits + sizeof digits, value).ptr - digits));
  out_ += shortest;
  if (shortest.find_first_of(".e") == std::string_view::npos) {
    out_ += ".0";
  }
}

void Writer::Bool(bool value) {
  BeforeValue();
  out_ += value ? "true" : "false";
}

void Writer::Null() {
  BeforeValue();
  out_ += "null";
}

void Writer::RawText(std::string_view text) {
  BeforeValue();
  if (style_ == Style::kPretty) {
    AppendPretty(text, has_entry_.size(), out_);
  } else {
    out_ += text;
  }
}

std::string Pretty(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 2);
  while (!text.empty() && IsBlank(text.back())) {
    text.remove_suffix(1);
  }
  AppendPretty(text, 0, out);
  return out;
}

}  // namespace pchronicle::json
