// Values that a cursor holds whole or skips.
#include <algorithm>

#include "pchronicle/json/cursor_impl.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::json {

using internal::CheckState;
using internal::Expect;
using internal::Fault;
using internal::KindOf;
using internal::NameOf;

namespace {

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Bytes that numbers, literals and the bare non-finite tokens are made of.
bool IsTokenByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.';
}

bool StartsToken(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == 't' || c == 'f' || c == 'n' || c == 'N' ||
         c == 'I';
}

bool EndsToken(char c) { return c == ',' || c == ']' || c == '}' || IsBlank(c); }

std::string_view Inside(const CheckState& state) {
  switch (state.expect) {
    case Expect::kInString:
      return state.in_key ? "an object key" : "a string";
    case Expect::kDone:
      return "a value";
    default:
      if (state.brackets->depth == state.base_depth) {
        return "a number or literal";
      }
      return state.brackets->TopIsObject() ? "an object" : "an array";
  }
}

}  // namespace

// -- Held values --

/// Bytes that may still be held.
uint64_t Cursor::Impl::Allowance() const {
  return options.max_record_bytes - std::min(options.max_record_bytes, captured_bytes);
}

/// Reads on for a held value that is not finished at window.limit. False: nothing follows, or too
/// large.
bool Cursor::Impl::MoreHeld(const char* stopped_at) {
  if (static_cast<uint64_t>(window.limit - window.hold) > Allowance()) {
    return FailLimit();
  }
  // A token that the limit cuts is looked at again from its start: then only doubling keeps the
  // cost linear.
  return window.Refill(stopped_at != window.limit);
}

/// Settles a value or string that a kernel stopped in: too large, bad UTF-8 before the fault, or
/// the fault.
bool Cursor::Impl::FailHeld(Fault fault, bool non_ascii) {
  if (static_cast<uint64_t>(window.p - window.hold) >= Allowance()) {
    return FailLimit();
  }
  if (non_ascii && !CheckUtf8(window.p, false)) {
    return false;
  }
  return FailFault(fault);
}

/// The input ended inside the held value.
bool Cursor::Impl::FailHeldTruncated(std::string_view inside, bool non_ascii) {
  if (failed()) {
    return false;
  }
  if (static_cast<uint64_t>(window.limit - window.hold) > Allowance()) {
    return FailLimit();
  }
  if (non_ascii && !CheckUtf8(window.limit, true)) {
    return false;
  }
  return FailTruncated(inside);
}

/// From behind the opening quote, which is held, to behind the closing one.
bool Cursor::Impl::HoldString(internal::StringState& state, std::string_view inside) {
  while (true) {
    state.final = window.final();
    window.p = kernels.string(state, window.p, window.bounds());
    if (state.fault != Fault::kNone) {
      return FailHeld(state.fault, state.non_ascii);
    }
    if (state.done) {
      break;
    }
    if (!state.final && (MoreHeld(window.p) || (!failed() && window.final()))) {
      continue;
    }
    return FailHeldTruncated(inside, state.non_ascii);
  }
  if (static_cast<uint64_t>(window.p - window.hold) > Allowance()) {
    return FailLimit();
  }
  return !state.non_ascii || CheckUtf8(window.p, false);
}

bool Cursor::Impl::Capture(Raw* out) {
  if (!StartValue()) {
    return false;
  }
  const uint32_t depth = brackets.depth;
  window.hold = window.p;
  CheckState state{.brackets = &brackets, .base_depth = depth, .max_depth = options.max_depth};
  while (true) {
    state.string.final = window.final();
    window.p = kernels.check(state, window.p, window.bounds());
    if (state.string.fault != Fault::kNone) {
      return FailHeld(state.string.fault, state.string.non_ascii);
    }
    if (state.expect == Expect::kDone) {
      break;
    }
    if (!state.string.final && (MoreHeld(window.p) || (!failed() && window.final()))) {
      continue;
    }
    return FailHeldTruncated(Inside(state), state.string.non_ascii);
  }
  const std::string_view text(window.hold, static_cast<size_t>(window.p - window.hold));
  if (text.size() > Allowance()) {
    return FailLimit();
  }
  if (state.string.non_ascii && !CheckUtf8(window.p, false)) {
    return false;
  }
  window.hold = nullptr;
  window.Pin();
  captured_bytes += text.size();
  out->text = text;
  out->kind = KindOf(text.front());
  if (out->kind == Kind::kNumber && state.string.flags == kHasNonFinite) {
    out->kind = Kind::kNull;
  }
  out->flags = state.string.flags;
  return true;
}

bool Cursor::Impl::ReadString(std::string_view* out) {
  if (!StartValue()) {
    return false;
  }
  const Kind kind = KindOf(*window.p);
  if (kind != Kind::kString && kind != Kind::kAbsent) {
    return FailAt(
        Status::InvalidArgument("expected a string, found {}", NameOf(PeekMinusAware(kind))),
        window.OffsetOf(window.p), Failure::kSemantic);
  }
  Raw raw;
  if (!Capture(&raw)) {
    return false;
  }
  *out = DecodeString(raw, arena);
  return true;
}

Kind Cursor::Impl::PeekMinusAware(Kind kind) { return *window.p == '-' ? PeekMinus() : kind; }

// -- Skipping --

bool Cursor::Impl::Skip() {
  if (!StartValue()) {
    return false;
  }
  const char c = *window.p;
  if (c == '{' || c == '[') {
    const uint32_t depth = brackets.depth;
    return Begin(c == '{') && SkipToDepth(depth);
  }
  if (c == '"') {
    ++window.p;
    return SkipString();
  }
  return SkipToken();
}

bool Cursor::Impl::SkipToDepth(uint32_t depth) {
  if (failed()) {
    return false;
  }
  first = false;
  if (brackets.depth <= depth) {
    return true;
  }
  internal::SkipState state{
      .brackets = &brackets, .target_depth = depth, .max_depth = options.max_depth};
  while (true) {
    window.p = kernels.skip(state, window.p, window.bounds());
    if (state.fault != Fault::kNone) {
      return FailFault(state.fault);
    }
    if (state.done) {
      return true;
    }
    if (!window.Refill()) {
      return FailTruncated(state.inside != 0 ? "a string" : InnermostName());
    }
  }
}

bool Cursor::Impl::SkipString() {
  uint64_t escaped = 0;
  while (true) {
    window.p = kernels.skip_string(&escaped, window.p, window.bounds());
    if (window.p != window.limit) {
      ++window.p;
      return true;
    }
    if (!window.Refill()) {
      return FailTruncated("a string");
    }
  }
}

/// A number or literal: any run of the bytes they are made of, up to a delimiter.
bool Cursor::Impl::SkipToken() {
  if (!StartsToken(*window.p)) {
    return FailFault(Fault::kValue);
  }
  while (true) {
    while (window.p != window.limit && IsTokenByte(*window.p)) {
      ++window.p;
    }
    if (window.p != window.limit) {
      return EndsToken(*window.p) || FailFault(Fault::kToken);
    }
    if (!window.Refill()) {
      if (!window.status().ok() || brackets.depth > 0) {
        return FailTruncated(brackets.depth > 0 ? InnermostName() : "a number or literal");
      }
      return true;
    }
  }
}

}  // namespace pchronicle::json
