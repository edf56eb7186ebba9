#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/result.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::json {

/// Tree over one small JSON value for code that needs to look around in it. Immutable, members in
/// source order, number text as written. Nodes live in the Tree, texts in what it was parsed from:
/// both must outlive a Value. Thread-safe.
class Value {
 public:
  struct Member;

  /// Absent value.
  Value() = default;

  Kind kind() const { return raw_.kind; }
  bool present() const { return raw_.present(); }
  bool has_value() const { return raw_.has_value(); }
  bool is_object() const { return raw_.kind == Kind::kObject; }
  bool is_array() const { return raw_.kind == Kind::kArray; }
  bool is_string() const { return raw_.kind == Kind::kString; }
  bool is_number() const { return raw_.kind == Kind::kNumber; }

  /// Text of the whole value, with the flags of its own part.
  const Raw& raw() const { return raw_; }
  /// Decoded characters of a string; empty for anything else.
  std::string_view string() const { return string_; }
  /// Only for kBool.
  bool boolean() const { return raw_.text == "true"; }

  std::span<const Value> elements() const {
    return {elements_, raw_.kind == Kind::kArray ? count_ : 0};
  }
  std::span<const Member> members() const;
  /// Number of elements or members.
  size_t size() const { return count_; }
  /// Member by decoded key; of duplicates the last (formats.md 1.1). Absent value when there is
  /// none or this is no object.
  const Value& Find(std::string_view key) const;
  /// Element, or the absent value.
  const Value& At(size_t index) const;

 private:
  friend class TreeBuilder;

  Raw raw_;
  std::string_view string_;
  const Value* elements_ = nullptr;
  const Member* members_ = nullptr;
  size_t count_ = 0;
};

struct Value::Member {
  std::string_view key;  // decoded, lone surrogates as U+FFFD
  Value value;
};

/// Owns the nodes of one parsed value.
class Tree {
 public:
  /// Errors as Cursor gives them; anything but blanks behind the value is `trailing data after JSON
  /// document`. Views of `text` are kept.
  static Result<Tree> Parse(std::string_view text, uint32_t max_depth = 128);
  static Result<Tree> Parse(const Raw& raw, uint32_t max_depth = 128) {
    return Parse(raw.text, max_depth);
  }

  const Value& root() const { return *root_; }
  const Value* operator->() const { return root_; }

 private:
  Tree() = default;

  std::unique_ptr<Arena> arena_;
  const Value* root_ = nullptr;
};

}  // namespace pchronicle::json
