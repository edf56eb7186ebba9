#include "pchronicle/json/cursor.h"

#include <algorithm>
#include <utility>

#include "pchronicle/base/check.h"
#include "pchronicle/json/cursor_impl.h"
#include "pchronicle/json/syntax_error.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::json {

using internal::CheckState;
using internal::Expect;
using internal::Fault;

namespace {

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Bytes that numbers, literals and the bare non-finite tokens are made of.
bool IsTokenByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
         c == '.';
}

bool StartsToken(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == 't' || c == 'f' || c == 'n' || c == 'N' || c == 'I';
}

bool EndsToken(char c) { return c == ',' || c == ']' || c == '}' || IsBlank(c); }

Kind KindOf(char first) {
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

std::string_view NameOf(Kind kind) {
  constexpr std::string_view kNames[] = {"nothing",  "null",     "a boolean", "a number",
                                         "a string", "an array", "an object"};
  return kNames[static_cast<size_t>(kind)];
}

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

// -- Errors --

bool Cursor::Impl::FailAt(Status why, uint64_t at, Failure kind) {
  if (failure == Failure::kNone) {
    status = std::move(why);
    error_at = at;
    failure = kind;
  }
  window.hold = nullptr;
  return false;
}

bool Cursor::Impl::FailFault(Fault fault) {
  return FailAt(Status::InvalidArgument("{}", internal::FaultText(fault, *window.p, options.max_depth)),
                window.OffsetOf(window.p), Failure::kSyntax);
}

bool Cursor::Impl::FailTruncated(std::string_view inside) {
  if (!window.status().ok()) {
    return FailAt(window.status(), window.OffsetOf(window.limit), Failure::kIo);
  }
  return FailAt(Status::InvalidArgument("{}", internal::TruncatedText(window.at_line_feed(), inside)),
                window.OffsetOf(window.limit), Failure::kTruncated);
}

bool Cursor::Impl::FailLimit() {
  window.p = window.hold;  // where it stands does not depend on what was read so far
  return FailAt(Status::ResourceExhausted("{} exceeded max_record_bytes {}", line_mode ? "JSON line" : "JSON array record",
                                          options.max_record_bytes),
                window.OffsetOf(window.hold), Failure::kLimit);
}

/// Checks [hold, end) for UTF-8; fails at its first bad byte.
bool Cursor::Impl::CheckUtf8(const char* end, bool cut_end) {
  const std::string_view text(window.hold, static_cast<size_t>(end - window.hold));
  if (IsValidUtf8(text)) {
    return true;
  }
  const size_t at = FindInvalidUtf8(text, cut_end);
  if (at == std::string_view::npos) {
    return true;
  }
  return FailAt(Status::InvalidArgument("expected UTF-8 in a string, found invalid byte {}", internal::ByteName(text[at])),
                window.OffsetOf(text.data() + at), Failure::kSyntax);
}

// -- Places --

bool Cursor::Impl::SkipBlanksSlow() {
  while (true) {
    window.p = kernels.blanks(window.p, window.bounds());
    if (window.p != window.limit) {
      return true;
    }
    if (!window.Refill()) {
      if (!window.status().ok()) {
        FailAt(window.status(), window.OffsetOf(window.limit), Failure::kIo);
      }
      return false;
    }
  }
}

/// To the first byte of the value; fails when there is none.
bool Cursor::Impl::StartValue() {
  if (failed()) {
    return false;
  }
  if (!SkipBlanks()) {
    return FailTruncated(brackets.depth == 0 ? "an empty text" : InnermostName());
  }
  return true;
}

std::string_view Cursor::Impl::InnermostName() const {
  return brackets.depth == 0 ? "a value" : brackets.TopIsObject() ? "an object" : "an array";
}

Kind Cursor::Impl::Peek() {
  if (failed()) {
    return Kind::kAbsent;
  }
  if (!SkipBlanks()) {
    if (brackets.depth > 0) {
      FailTruncated(InnermostName());
    }
    return Kind::kAbsent;
  }
  const Kind kind = KindOf(*window.p);
  if (kind == Kind::kNumber && *window.p == '-') {
    return PeekMinus();
  }
  if (kind == Kind::kAbsent) {
    FailFault(Fault::kValue);
  }
  return kind;
}

/// -Infinity or a number.
Kind Cursor::Impl::PeekMinus() {
  if (window.limit - window.p < 2) {
    window.hold = window.p;
    window.Refill();
    window.hold = nullptr;
  }
  return window.limit - window.p >= 2 && window.p[1] == 'I' ? Kind::kNull : Kind::kNumber;
}

// -- Containers --

bool Cursor::Impl::Begin(bool object) {
  if (!StartValue()) {
    return false;
  }
  if (*window.p != (object ? '{' : '[')) {
    const Kind kind = KindOf(*window.p);
    if (kind == Kind::kAbsent) {
      return FailFault(Fault::kValue);
    }
    return FailAt(Status::InvalidArgument("expected {}, found {}", object ? "an object" : "an array", NameOf(kind)),
                  window.OffsetOf(window.p), Failure::kSemantic);
  }
  if (brackets.depth >= options.max_depth) {
    return FailFault(Fault::kDepth);
  }
  brackets.Push(object);
  ++window.p;
  first = true;
  return true;
}

/// Consumes the closing bracket (false, no failure) or the comma between two entries.
bool Cursor::Impl::NextEntry(bool object) {
  if (failed()) {
    return false;
  }
  if (brackets.depth == 0 || brackets.TopIsObject() != object) {
    return FailAt(Status::Internal("JSON cursor is not inside {}", object ? "an object" : "an array"),
                  window.OffsetOf(window.p), Failure::kSemantic);
  }
  if (!SkipBlanks()) {
    return FailTruncated(InnermostName());
  }
  if (*window.p == (object ? '}' : ']')) {
    ++window.p;
    --brackets.depth;
    first = false;
    return false;
  }
  if (first) {
    first = false;
    after_comma = false;
    return true;
  }
  if (*window.p != ',') {
    return FailFault(object ? Fault::kCommaOrBrace : Fault::kCommaOrBracket);
  }
  ++window.p;
  after_comma = true;
  if (!SkipBlanks()) {
    return FailTruncated(InnermostName());
  }
  return true;
}

bool Cursor::Impl::NextElement() {
  if (!NextEntry(false)) {
    return false;
  }
  if (KindOf(*window.p) == Kind::kAbsent) {
    return FailFault(after_comma ? Fault::kValueAfterComma : Fault::kValue);
  }
  return true;
}

bool Cursor::Impl::NextKey(std::string_view* key) {
  if (!NextEntry(true)) {
    return false;
  }
  if (*window.p != '"') {
    return FailFault(after_comma ? Fault::kKeyAfterComma : Fault::kKeyOrClose);
  }
  window.hold = window.p++;
  internal::StringState state;
  if (!HoldString(state, "an object key")) {
    return false;
  }
  const auto size = static_cast<size_t>(window.p - window.hold);
  if (!SkipBlanks()) {
    return FailTruncated("an object");
  }
  if (*window.p != ':') {
    return FailFault(Fault::kColon);
  }
  ++window.p;
  const std::string_view text(window.hold, size);
  window.hold = nullptr;
  if (state.flags == 0) [[likely]] {
    *key = text.substr(1, size - 2);
  } else {
    key_arena.Reset();
    *key = DecodeString({text, Kind::kString, state.flags}, key_arena);
  }
  return true;
}

// -- Held values --

/// Bytes that may still be held.
uint64_t Cursor::Impl::Allowance() const {
  return options.max_record_bytes - std::min(options.max_record_bytes, captured_bytes);
}

/// Reads on for a held value that is not finished at window.limit. False: nothing follows, or too large.
bool Cursor::Impl::MoreHeld(const char* stopped_at) {
  if (static_cast<uint64_t>(window.limit - window.hold) > Allowance()) {
    return FailLimit();
  }
  // A token that the limit cuts is looked at again from its start: then only doubling keeps the cost linear.
  return window.Refill(stopped_at != window.limit);
}

/// Settles a value or string that a kernel stopped in: too large, bad UTF-8 before the fault, or the fault.
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
    return FailAt(Status::InvalidArgument("expected a string, found {}", NameOf(PeekMinusAware(kind))),
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
  internal::SkipState state{.brackets = &brackets, .target_depth = depth, .max_depth = options.max_depth};
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

// -- Lines --

void Cursor::Impl::EnterLine() {
  line_mode = true;
  window.EnterLine();
}

void Cursor::Impl::ReadToLineEnd() {
  window.hold = nullptr;
  do {
    window.p = window.limit;
  } while (!window.final() && window.Refill());
}

bool Cursor::Impl::LeaveLine(bool* had_line_feed) {
  ReadToLineEnd();
  *had_line_feed = window.at_line_feed();
  if (*had_line_feed) {
    ++window.p;
  }
  window.LeaveLine();
  line_mode = false;
  brackets.depth = 0;
  first = false;
  if (!window.status().ok()) {
    failure = Failure::kNone;
    return FailAt(window.status(), window.OffsetOf(window.limit), Failure::kIo);
  }
  failure = Failure::kNone;
  status = Status::Ok();
  return window.p != window.limit || window.Refill();
}

// -- Public face --

Cursor::Cursor(std::unique_ptr<ByteSource> source, uint64_t base_offset, CursorOptions options)
    : impl_(std::make_unique<Impl>(
          internal::Window(std::move(source), base_offset, options.window_bytes, options.max_record_bytes), options)) {}

Cursor::Cursor(std::string_view text, uint64_t base_offset, CursorOptions options)
    : impl_(std::make_unique<Impl>(internal::Window(text, base_offset), options)) {}

Cursor::~Cursor() = default;
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor& Cursor::operator=(Cursor&&) noexcept = default;

bool Cursor::Settle() {
  if (impl_->failed() && status_.ok()) {
    status_ = impl_->status;
  }
  return false;
}

Kind Cursor::Peek() {
  const Kind kind = impl_->Peek();
  if (kind == Kind::kAbsent) {
    Settle();
  }
  return kind;
}

bool Cursor::BeginObject() { return impl_->Begin(true) || Settle(); }
bool Cursor::NextKey(std::string_view* key) { return impl_->NextKey(key) || Settle(); }
bool Cursor::BeginArray() { return impl_->Begin(false) || Settle(); }
bool Cursor::NextElement() { return impl_->NextElement() || Settle(); }
bool Cursor::Skip() { return impl_->Skip() || Settle(); }
bool Cursor::Capture(Raw* out) { return impl_->Capture(out) || Settle(); }
bool Cursor::ReadString(std::string_view* out) { return impl_->ReadString(out) || Settle(); }
bool Cursor::SkipToDepth(uint32_t depth) { return impl_->SkipToDepth(depth) || Settle(); }

bool Cursor::AtEnd() {
  const bool at_end = !impl_->failed() && !impl_->SkipBlanks();
  return at_end && (!impl_->failed() || Settle());
}

void Cursor::ReleaseViews() {
  impl_->window.ReleaseViews();
  impl_->arena.Reset();
  impl_->captured_bytes = 0;
}

uint64_t Cursor::offset() const { return impl_->window.OffsetOf(impl_->window.p); }
uint32_t Cursor::depth() const { return impl_->brackets.depth; }
uint64_t Cursor::error_offset() const { return impl_->failed() ? impl_->error_at : offset(); }
bool Cursor::truncated() const { return impl_->failure == Impl::Failure::kTruncated; }

void Cursor::Fail(Status why, uint64_t at) {
  PCHRONICLE_DCHECK(!why.ok());
  impl_->FailAt(std::move(why), at, Impl::Failure::kSemantic);
  Settle();
}

void Cursor::FailAsSyntax(Status why, uint64_t at) {
  impl_->FailAt(std::move(why), at, Impl::Failure::kSyntax);
  Settle();
}

bool Cursor::parse_failure() const {
  return impl_->failure == Impl::Failure::kSyntax || impl_->failure == Impl::Failure::kTruncated;
}

bool Cursor::ForgiveSemanticFailure() {
  if (impl_->failure != Impl::Failure::kSemantic) {
    return ok();
  }
  impl_->failure = Impl::Failure::kNone;
  status_ = impl_->status = Status::Ok();
  return true;
}

void Cursor::EnterLine() { impl_->EnterLine(); }

bool Cursor::LeaveLine(bool* had_line_feed) {
  status_ = Status::Ok();
  return impl_->LeaveLine(had_line_feed) || Settle();
}

uint64_t Cursor::bytes_read() const { return impl_->window.bytes_read(); }
uint64_t Cursor::buffer_peak_bytes() const { return impl_->window.peak_bytes(); }

}  // namespace pchronicle::json
