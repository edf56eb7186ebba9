#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/json/cursor.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model {

/// Outline of a JSON value for detection: member names and kinds, short texts of telling members,
/// and the first element of lists. Small whatever the size of the value.
struct Shape {
  struct Member;

  json::Kind kind = json::Kind::kAbsent;
  std::string text;             // kString: its first bytes, where wanted
  std::vector<Member> members;  // kObject
  std::vector<Shape> elements;  // kArray: the first one
  bool every_attempt =
      false;  // `attempts`: not empty, and each value holds a trajectory (formats.md 8.3 test 4)

  /// The last member with this name (that is the one which counts); an absent shape when there is
  /// none.
  const Shape& operator[](std::string_view name) const;
  bool Has(std::string_view name) const { return (*this)[name].kind != json::Kind::kAbsent; }
  bool Is(json::Kind wanted) const { return kind == wanted; }
  const Shape& first() const;
};
struct Shape::Member {
  std::string name;
  Shape value;
};

/// Reads the outline of one record at the cursor. `enough` is asked after each root member that
/// begins beyond `window_end`, and after each text that names a version: true ends the reading
/// early (the cursor then stands inside the record). False: the value is damaged, see
/// cursor.status(); what was seen before stays in `shape`.
bool ReadShape(json::Cursor& cursor, uint64_t window_end,
               const std::function<bool(const Shape&)>& enough, Shape& shape, bool* stopped_early);

}  // namespace pchronicle::model
