#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pchronicle::cli {

/// Writes one JSON document with two-space indentation and a line feed at the end. Members in the
/// order of the calls. The caller keeps objects and arrays balanced. Not thread-safe.
class PrettyJson {
 public:
  PrettyJson& BeginObject();
  PrettyJson& EndObject();
  PrettyJson& BeginArray();
  PrettyJson& EndArray();
  PrettyJson& Key(std::string_view key);

  PrettyJson& String(std::string_view text);
  PrettyJson& Unsigned(uint64_t value);
  PrettyJson& Bool(bool value);
  PrettyJson& Null();
  /// A value that is JSON text already, put in as it is.
  PrettyJson& Raw(std::string_view json);
  /// Null when absent.
  PrettyJson& OptionalString(const std::optional<std::string>& text) {
    return text ? String(std::string_view(*text)) : Null();
  }
  PrettyJson& OptionalUnsigned(const std::optional<uint64_t>& value) {
    return value ? Unsigned(*value) : Null();
  }

  /// The document; the writer starts anew.
  std::string Take();

 private:
  void BeginValue();
  PrettyJson& Open(char bracket);
  PrettyJson& Close(char bracket);

  std::string out_;
  size_t depth_ = 0;
  bool first_ = true;  // nothing in the innermost container yet
  bool after_key_ = false;
};

}  // namespace pchronicle::cli
