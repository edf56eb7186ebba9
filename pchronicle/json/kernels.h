#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pchronicle::json::internal {

/// Deepest nesting that CursorOptions::max_depth can ask for.
inline constexpr uint32_t kDepthCeiling = 1024;

/// Kinds of the open containers, one bit a level: set for an object.
struct Brackets {
  uint32_t depth = 0;
  uint64_t objects[kDepthCeiling / 64] = {};

  /// The caller checked depth < kDepthCeiling.
  void Push(bool object) {
    uint64_t& word = objects[depth >> 6];
    const uint64_t bit = uint64_t{1} << (depth & 63);
    word = object ? word | bit : word & ~bit;
    ++depth;
  }
  /// Only with depth > 0.
  bool TopIsObject() const { return (objects[(depth - 1) >> 6] >> ((depth - 1) & 63) & 1) != 0; }
};

/// What is wrong with the byte at which a kernel stopped.
enum class Fault : uint8_t {
  kNone,
  kDepth,       // this bracket opens a level too many
  kCloserKind,  // ']' where '}' is due or the other way round
  kValue,       // no value starts here
  kValueAfterComma,
  kKeyOrClose,
  kKeyAfterComma,
  kColon,
  kCommaOrBrace,
  kCommaOrBracket,
  kControl,      // control character inside a string
  kEscape,       // this character cannot follow a backslash
  kHexDigit,     // inside \uXXXX
  kDigit,        // a number needs a digit here
  kLeadingZero,  // digit behind a leading 0
  kLiteral,      // not the letter that true, false, null, NaN, Infinity need here
  kToken,        // a byte that cannot be part of a skipped number or literal
};

/// Memory a kernel may look at: the text is [.., end); bytes up to `readable` may be loaded but
/// mean nothing.
struct Bounds {
  const char* end;
  const char* readable;
};

/// Leaves open containers without looking at anything but strings and brackets.
struct SkipState {
  Brackets* brackets;
  uint32_t target_depth;  // done when brackets->depth gets here
  uint32_t max_depth;
  uint64_t inside = 0;   // all ones inside a string
  uint64_t escaped = 0;  // 1: the next byte follows a backslash
  Fault fault = Fault::kNone;
  bool done = false;
};

/// Validates the inside of one string.
struct StringState {
  bool final = false;      // nothing follows Bounds::end
  bool done = false;       // the closing quote was consumed
  bool non_ascii = false;  // UTF-8 still has to be checked
  uint8_t flags = 0;       // RawFlag
  Fault fault = Fault::kNone;
};

enum class Expect : uint8_t {
  kValue,
  kValueAfterComma,
  kValueOrClose,
  kKeyOrClose,
  kKeyAfterComma,
  kColon,
  kCommaOrClose,
  kInString,
  kDone,
};

/// Validates one value: grammar of RFC 8259 plus the bare non-finite tokens; UTF-8 is left to the
/// caller.
struct CheckState {
  Brackets* brackets;
  uint32_t base_depth;  // brackets->depth around the value
  uint32_t max_depth;
  Expect expect = Expect::kValue;
  bool in_key = false;      // with kInString
  StringState string = {};  // its flags, non_ascii and fault are those of the whole value
};

/// One instruction set's way of doing the byte work. All functions return how far they came; where
/// they are not done and found no fault they want more text and are called again at the byte they
/// returned.
struct Kernels {
  const char* name;
  bool (*supported)();
  /// From inside target_depth + 1 or deeper to behind the bracket that leaves it. Consumes all of
  /// [p, end) otherwise.
  const char* (*skip)(SkipState& state, const char* p, Bounds bounds);
  /// To the closing quote of a string, without validation. `*escaped` is 1 when the first byte
  /// follows a backslash.
  const char* (*skip_string)(uint64_t* escaped, const char* p, Bounds bounds);
  /// Behind the closing quote, validating; may stop up to 12 bytes before the end to see an escape
  /// in one piece.
  const char* (*string)(StringState& state, const char* p, Bounds bounds);
  /// Behind the value, validating; stops at the start of a number or literal that the end cuts.
  const char* (*check)(CheckState& state, const char* p, Bounds bounds);
  /// First byte that is no blank.
  const char* (*blanks)(const char* p, Bounds bounds);
  /// First byte that a JSON string literal must escape: controls, '"', '\'.
  const char* (*needs_escape)(const char* p, Bounds bounds);
  /// Copies to `out` (room for end - p + 64 bytes) up to the first backslash.
  const char* (*copy_to_backslash)(char** out, const char* p, Bounds bounds);
};

/// The fastest set that this processor runs. Environment variable PCHRONICLE_JSON_KERNELS names
/// another (tests).
const Kernels& ActiveKernels();
/// Every set this processor runs, the scalar one first.
std::vector<const Kernels*> SupportedKernels();

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kSse42Kernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

}  // namespace pchronicle::json::internal
