#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model {

/// Puts an object together from minified source parts (formats.md 1.10), in the order of the calls.
class ObjectComposer {
 public:
  explicit ObjectComposer(Arena& arena) : arena_(&arena) {}

  /// Does nothing for an absent value. `key` must need no escape.
  void Add(std::string_view key, const json::Raw& value);
  /// `text` is a minified JSON value.
  void AddText(std::string_view key, std::string_view text);
  bool empty() const { return text_.empty(); }
  /// The object; `{}` when nothing was added.
  json::Raw Finish();
  /// The object, absent when nothing was added.
  json::Raw FinishOrAbsent() { return empty() ? json::Raw() : Finish(); }

 private:
  Arena* arena_;
  std::string text_;
  uint8_t flags_ = 0;
};

/// A minified text as a value, in `arena`. `flags` of the parts it was made of.
json::Raw RawOf(std::string_view text, json::Kind kind, uint8_t flags, Arena& arena);
/// What of a value's flags its minified text still has.
uint8_t CellFlags(const json::Raw& raw);
/// A string value with the given characters.
json::Raw QuotedRaw(std::string_view characters, Arena& arena);
json::Raw IntegerRaw(int64_t value, Arena& arena);

/// Milliseconds of a number: an integer as it is, else cut towards zero (formats.md 1.2).
std::optional<int64_t> MillisecondsOf(const json::Raw& raw);

/// Null, absent, "", {} or [] (formats.md 5.2, "Empties").
bool IsEmptyValue(const json::Raw& raw);

}  // namespace pchronicle::model
