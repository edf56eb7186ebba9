#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::app {

/// Where a value stands inside a JSON value: `$`, then `.name`, `["name"]`, `['name']` or `[0]`.
struct JsonPath {
  struct Segment {
    bool is_index = false;
    uint64_t index = 0;
    std::string key;
    bool operator==(const Segment&) const = default;
  };
  std::vector<Segment> segments;

  bool operator==(const JsonPath&) const = default;
  /// The one way to write it: `.name` where name is a word, else `["name"]`.
  std::string ToString() const;
};

/// Reads the path that starts at `*at` (which must be '$') and moves `*at` behind it. On an error
/// `*at` is where it stands.
Result<JsonPath> ParseJsonPath(std::string_view text, size_t* at);

/// The value at `path` inside a valid JSON text; absent when there is none. Of duplicate keys the
/// last counts. A view into `json`.
json::Raw Lookup(std::string_view json, const JsonPath& path);

}  // namespace pchronicle::app
