#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/json/kernels.h"
#include "pchronicle/json/window.h"

namespace pchronicle::json {
namespace internal {

/// Kind that a value's first byte announces; kAbsent where none begins. '-' counts as a number.
inline Kind KindOf(char first) {
  switch (first) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
    case 'f':
      return Kind::kBool;
    case 'n':
    case 'N':
    case 'I':
      return Kind::kNull;
    default:
      return (first >= '0' && first <= '9') || first == '-' ? Kind::kNumber : Kind::kAbsent;
  }
}

/// The kind with its article, for messages.
inline std::string_view NameOf(Kind kind) {
  constexpr std::string_view kNames[] = {"nothing",  "null",     "a boolean", "a number",
                                         "a string", "an array", "an object"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace internal

/// State and grammar of a cursor. Functions return false on failure (or where the public ones do
/// without one).
struct Cursor::Impl {
  enum class Failure : uint8_t { kNone, kSyntax, kTruncated, kLimit, kSemantic, kIo };

  Impl(internal::Window the_window, CursorOptions the_options)
      : window(std::move(the_window)), options(the_options), kernels(internal::ActiveKernels()) {
    options.max_depth = std::min(options.max_depth, internal::kDepthCeiling);
  }
  ~Impl();

  bool failed() const { return failure != Failure::kNone; }
  bool FailAt(Status why, uint64_t at, Failure kind);
  bool FailFault(internal::Fault fault);
  bool FailTruncated(std::string_view inside);
  bool FailLimit();
  bool CheckUtf8(const char* end, bool cut_end);

  /// False at the end of the input or line, or on an I/O error.
  bool SkipBlanks() {
    return (window.p != window.limit && static_cast<unsigned char>(*window.p) > ' ') ||
           SkipBlanksSlow();
  }
  bool SkipBlanksSlow();
  bool StartValue();
  std::string_view InnermostName() const;
  Kind Peek();
  Kind PeekMinus();
  Kind PeekMinusAware(Kind kind);

  bool Begin(bool object);
  bool NextEntry(bool object);
  bool NextElement();
  bool NextKey(std::string_view* key);

  uint64_t Allowance() const;
  bool MoreHeld(const char* stopped_at);
  bool FailHeld(internal::Fault fault, bool non_ascii);
  bool FailHeldTruncated(std::string_view inside, bool non_ascii);
  bool HoldString(internal::StringState& state, std::string_view inside);
  bool Capture(Raw* out);
  bool ReadString(std::string_view* out);

  bool Skip();
  bool SkipToDepth(uint32_t depth);
  bool SkipString();
  bool SkipToken();

  void EnterLine();
  void ReadToLineEnd();
  bool LeaveLine(bool* had_line_feed);

  internal::Window window;
  CursorOptions options;
  const internal::Kernels& kernels;
  internal::Brackets brackets;
  bool first = false;        // the innermost container was just opened
  bool after_comma = false;  // of the last NextEntry
  bool line_mode = false;
  Failure failure = Failure::kNone;
  Status status;
  uint64_t error_at = 0;
  uint64_t captured_bytes = 0;  // since ReleaseViews
  uint64_t released_bytes = 0;  // captured before
  Arena arena{4 << 10};         // decoded strings, until ReleaseViews
  Arena key_arena{256};
};

}  // namespace pchronicle::json
