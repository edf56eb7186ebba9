#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/record_stream.h"

namespace pchronicle::model {

/// Numbers the physical lines of an input for messages. Asked with growing offsets it reads the
/// input at most once in all, so a file of bad lines costs no more than a second read. Not
/// thread-safe.
class LineFinder {
 public:
  explicit LineFinder(const json::ByteInput& input) : input_(&input) {}

  /// 1-based line of the byte at `offset`; 0 when the input cannot be read.
  uint64_t LineAt(uint64_t offset);
  /// Location of a record by formats.md 1.7: `line 3`, `array element 2`, or empty for a lone
  /// document.
  std::string Location(json::Container container, const json::Record& record);

 private:
  const json::ByteInput* input_;
  std::unique_ptr<json::ByteSource> source_;
  std::vector<char> buffer_;
  uint64_t offset_ = 0;  // bytes counted so far
  uint64_t line_ = 1;    // line of the byte at offset_
};

}  // namespace pchronicle::model
