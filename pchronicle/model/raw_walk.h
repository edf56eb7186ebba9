#pragma once

#include <string_view>

#include "pchronicle/json/raw.h"

namespace pchronicle::model {

/// Iteration over the members of a value that was captured, hence validated, without allocating.
/// Sub-values carry the flags of the whole, which may say more than is true of them but never less.
/// Bounds are checked, so that text that is not valid JSON ends the iteration early instead of
/// reading past the end.
///
///   for (RawMembers m(raw); m.Next();) if (m.KeyIs("results")) ...
class RawMembers {
 public:
  /// Anything but an object has no members.
  explicit RawMembers(const json::Raw& object);
  bool Next();
  /// Key as written, between its quotes.
  std::string_view key_text() const { return key_; }
  /// The key with its quotes.
  std::string_view quoted_key() const { return {key_.data() - 1, key_.size() + 2}; }
  /// Compares the decoded key.
  bool KeyIs(std::string_view name) const;
  const json::Raw& value() const { return value_; }

 private:
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::string_view key_;
  json::Raw value_;
};

/// The like over the elements of an array; anything else has none.
class RawElements {
 public:
  explicit RawElements(const json::Raw& array);
  bool Next();
  const json::Raw& value() const { return value_; }

 private:
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  json::Raw value_;
};

/// Member `name` of an object, the last one of several; absent when there is none or `object` is no
/// object.
json::Raw FindMember(const json::Raw& object, std::string_view name);

/// True when `text` contains `needle`; the empty needle is contained in everything.
bool Contains(std::string_view text, std::string_view needle);

}  // namespace pchronicle::model
