#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pchronicle/base/result.h"

namespace pchronicle::codec {

/// Symbol table of FSST text: a code stands for 1 to 8 bytes. Immutable; thread-safe.
class FsstTable {
 public:
  /// The layout of Lance (lance.md B7): u64 header (number of symbols, flags, magic), symbols of 8
  /// bytes, then their lengths. kCorruption when it is cut off or a length is not in 1..8.
  static Result<FsstTable> FromLance(std::span<const uint8_t> bytes);

  /// False: values are stored plain and Decode must not be called.
  bool coding() const { return coding_; }

  /// No more bytes than this come out of `coded` bytes; Decode may write as many, and 8 more.
  static constexpr size_t MaxDecoded(size_t coded) { return coded * 8 + 8; }
  /// Decodes one value to `out`, which has room for MaxDecoded(coded.size()) bytes. Gives the end
  /// of what was written, null when the value has a code without a symbol or ends within an escape.
  uint8_t* Decode(std::span<const uint8_t> coded, uint8_t* out) const;

 private:
  static constexpr uint8_t kEscape = 255;

  bool coding_ = false;
  uint32_t symbols_ = 0;
  // A word of codes needs the slow path when one of its bytes is `symbols_` or more.
  uint32_t add_ = 0, small_ = 0;
  uint64_t text_[256] = {};
  uint8_t length_[256] = {};
};

}  // namespace pchronicle::codec
