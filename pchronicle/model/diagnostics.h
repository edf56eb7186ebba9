#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/status.h"

namespace pchronicle::model {

/// Stable codes are listed in docs/user/diagnostics.md (ADD-04).
struct Diagnostic {
  std::string code;
  std::string pointer;  // of the first one seen
  uint64_t count = 0;
  std::string example;  // the first value, cut to 80 characters
};

/// Notes about odd but readable input, counted by code. Not thread-safe.
class Diagnostics {
 public:
  void Add(std::string_view code, std::string_view pointer, std::string_view example = {},
           uint64_t count = 1);
  void Merge(const Diagnostics& other);
  bool empty() const { return by_code_.empty(); }
  std::vector<Diagnostic> Sorted() const;
  /// `[{"code":..,"pointer":..,"count":..,"example":..}]`, sorted by code; example left out when
  /// empty.
  std::string ToJson() const;

 private:
  std::map<std::string, Diagnostic, std::less<>> by_code_;
};

/// A unit of input that could not be used (formats.md 1.7).
struct Problem {
  Status status;  // kCorruption (syntax), kInvalidArgument (invalid document), kUnsupported,
                  // kResourceExhausted
  uint64_t record_offset = 0;  // first byte of the record, for Locate
  uint64_t offset = 0;         // byte in the file
  std::string
      location;  // formats.md 1.7: `line 3`, `array element 2`, `rows[0].step_id`; may be empty
  std::string pointer;        // JSON pointer where known; else Locate finds it
  bool whole_source = false;  // nothing behind it is sure
};

}  // namespace pchronicle::model
