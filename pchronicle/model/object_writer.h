#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model {

/// Appends one compact JSON object to a text, member by member. Absent values write nothing. Not
/// thread-safe.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;

  /// Comma, key and colon; the caller appends the value. `key` needs no escaping.
  void Key(std::string_view key);
  /// The same for any characters.
  void QuotedKey(std::string_view key);
  void String(std::string_view key, std::string_view value);
  void String(std::string_view key, const Text& value);
  void Int(std::string_view key, std::optional<int64_t> value);
  void Bool(std::string_view key, std::optional<bool> value);
  /// A value that is neither absent nor null, minified.
  void Cell(std::string_view key, const json::Raw& value);
  /// A required any-typed member: absent is null.
  void RequiredCell(std::string_view key, const json::Raw& value);
  /// JSON text as it is; nothing when empty.
  void Json(std::string_view key, std::string_view text);
  /// The scalar as written, else the canonical text of the instant.
  void Time(std::string_view key, const Timestamp& value);
  void Close() { out_ += '}'; }

  std::string& out() { return out_; }

 private:
  void Comma();

  std::string& out_;
  bool first_ = true;
};

}  // namespace pchronicle::model
