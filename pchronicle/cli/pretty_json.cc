#include "pchronicle/cli/pretty_json.h"

#include <fmt/core.h>

#include <utility>

#include "pchronicle/json/raw.h"

namespace pchronicle::cli {

void PrettyJson::BeginValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ > 0) {
    out_ += first_ ? "\n" : ",\n";
    out_.append(2 * depth_, ' ');
  }
  first_ = false;
}

PrettyJson& PrettyJson::Open(char bracket) {
  BeginValue();
  out_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

PrettyJson& PrettyJson::Close(char bracket) {
  --depth_;
  if (!first_) {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }
  out_ += bracket;
  first_ = false;
  return *this;
}

PrettyJson& PrettyJson::BeginObject() { return Open('{'); }
PrettyJson& PrettyJson::EndObject() { return Close('}'); }
PrettyJson& PrettyJson::BeginArray() { return Open('['); }
PrettyJson& PrettyJson::EndArray() { return Close(']'); }

PrettyJson& PrettyJson::Key(std::string_view key) {
  BeginValue();
  json::AppendQuoted(key, out_);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

PrettyJson& PrettyJson::String(std::string_view text) {
  BeginValue();
  json::AppendQuoted(text, out_);
  return *this;
}

PrettyJson& PrettyJson::Unsigned(uint64_t value) { return Raw(fmt::format("{}", value)); }
PrettyJson& PrettyJson::Bool(bool value) { return Raw(value ? "true" : "false"); }
PrettyJson& PrettyJson::Null() { return Raw("null"); }

PrettyJson& PrettyJson::Raw(std::string_view json) {
  BeginValue();
  out_ += json;
  return *this;
}

std::string PrettyJson::Take() {
  out_ += '\n';
  first_ = true;
  return std::exchange(out_, {});
}

}  // namespace pchronicle::cli
