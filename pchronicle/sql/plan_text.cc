#include "pchronicle/sql/plan_text.h"

#include <algorithm>

namespace pchronicle::sql {
namespace {

/// Text between the first and the last quote of `text`, unescaped; `text` itself without quotes.
std::string Unquote(std::string_view text) {
  const size_t first = text.find('"');
  const size_t last = text.rfind('"');
  if (first == std::string_view::npos || last <= first) {
    return std::string(text);
  }
  std::string plain;
  for (size_t i = first + 1; i < last; ++i) {
    if (text[i] == '\\' && i + 1 < last) {
      ++i;
      plain += text[i] == 'n' ? ' ' : text[i];
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// End of the quoted key that `text` begins with.
size_t KeyEnd(std::string_view text) {
  size_t end = 1;
  while (end < text.size() && text[end] != '"') {
    end += text[end] == '\\' ? 2 : 1;
  }
  return end + 1;
}

class Writer {
 public:
  void Line(std::string_view line) {
    const size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos) {
      return;
    }
    const std::string_view text = line.substr(indent);
    if (text.starts_with("- name:")) {
      FinishEntry();
      depth_ = indent / 4;  // a child stands one list and one mapping deeper
      name_ = Unquote(text);
      out_.append(depth_ * 2, ' ').append(name_) += '\n';
    } else if (text.starts_with("- ")) {
      Value(Unquote(text));
    } else if (text.starts_with('"')) {
      FinishEntry();
      const size_t end = KeyEnd(text);
      key_ = Unquote(text.substr(0, end));
      if (text.find('"', end) != std::string_view::npos) {
        Value(Unquote(text.substr(end)));
      }
    }
  }

  std::string Finish() {
    FinishEntry();
    return std::move(out_);
  }

 private:
  void Value(std::string value) {
    value_ += value_.empty() ? "" : ", ";
    value_ += value;
  }

  void FinishEntry() {
    if (key_.empty()) {
      return;
    }
    if (key_ == "Estimated Cardinality") {
      key_ = "rows";
      value_ = "~" + value_;
    } else if (key_ == "Projections") {
      key_ = name_.starts_with("PCHRONICLE_SCAN") ? "projection" : "columns";
    }
    out_.append(depth_ * 2 + 2, ' ').append(key_).append(": ").append(value_) += '\n';
    key_.clear();
    value_.clear();
  }

  std::string out_, name_, key_, value_;
  size_t depth_ = 0;
};

}  // namespace

std::string PlanText(std::string_view yaml) {
  Writer writer;
  while (!yaml.empty()) {
    const size_t end = std::min(yaml.find('\n'), yaml.size());
    writer.Line(yaml.substr(0, end));
    yaml.remove_prefix(std::min(end + 1, yaml.size()));
  }
  return writer.Finish();
}

}  // namespace pchronicle::sql
