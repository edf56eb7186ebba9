#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/json/raw.h"

namespace pchronicle::json {

/// Writes one JSON text (or several, one after the other) into a string. The caller opens and
/// closes containers in order; a key is written before each member. Not thread-safe.
///
///   Writer w;
///   w.BeginObject();
///   w.Key("id");
///   w.Int(7);
///   w.EndObject();
///   w.text();  // {"id":7}
class Writer {
 public:
  enum class Style : uint8_t {
    kCompact,
    kPretty
  };  // pretty: two blanks a level, empty containers on one line

  explicit Writer(Style style = Style::kCompact) : style_(style) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  /// Valid UTF-8, not yet escaped.
  void Key(std::string_view key);
  void String(std::string_view text);
  void Int(int64_t value);
  void UInt(uint64_t value);
  /// Shortest text that reads back as the same double; always with '.' or an exponent. Not finite:
  /// null.
  void Double(double value);
  void Bool(bool value);
  void Null();
  /// Text that is one JSON value already. It goes out as it stands; pretty style lays it out anew.
  void RawText(std::string_view text);

  const std::string& text() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  void Open(char bracket);
  void Close(char bracket);
  void BeforeEntry();
  void BeforeValue();
  void NewLine();

  Style style_;
  std::string out_;
  std::vector<bool> has_entry_;  // one a level
  bool after_key_ = false;
};

/// Lays a valid JSON text out with two blanks a level. Number text, escapes and key order stay as
/// they are.
std::string Pretty(std::string_view text);

}  // namespace pchronicle::json
