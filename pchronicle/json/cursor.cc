#include "pchronicle/json/cursor.h"

#include <algorithm>
#include <utility>

#include "pchronicle/base/check.h"
#include "pchronicle/json/cursor_impl.h"
#include "pchronicle/json/decoded_bytes.h"
#include "pchronicle/json/syntax_error.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::json {

using internal::Fault;
using internal::KindOf;
using internal::NameOf;

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
  return FailAt(
      Status::InvalidArgument("{}", internal::FaultText(fault, *window.p, options.max_depth)),
      window.OffsetOf(window.p), Failure::kSyntax);
}

bool Cursor::Impl::FailTruncated(std::string_view inside) {
  if (!window.status().ok()) {
    return FailAt(window.status(), window.OffsetOf(window.limit), Failure::kIo);
  }
  return FailAt(
      Status::InvalidArgument("{}", internal::TruncatedText(window.at_line_feed(), inside)),
      window.OffsetOf(window.limit), Failure::kTruncated);
}

bool Cursor::Impl::FailLimit() {
  window.p = window.hold;  // where it stands does not depend on what was read so far
  return FailAt(Status::ResourceExhausted("{} exceeded max_record_bytes {}",
                                          line_mode ? "JSON line" : "JSON array record",
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
  return FailAt(Status::InvalidArgument("expected UTF-8 in a string, found invalid byte {}",
                                        internal::ByteName(text[at])),
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
    return FailAt(Status::InvalidArgument("expected {}, found {}",
                                          object ? "an object" : "an array", NameOf(kind)),
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
    return FailAt(
        Status::Internal("JSON cursor is not inside {}", object ? "an object" : "an array"),
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

namespace {
thread_local uint64_t decoded_bytes = 0;
}  // namespace

uint64_t DecodedBytesOfThread() { return decoded_bytes; }

Cursor::Impl::~Impl() { decoded_bytes += released_bytes + captured_bytes; }

Cursor::Cursor(std::unique_ptr<ByteSource> source, uint64_t base_offset, CursorOptions options)
    : impl_(std::make_unique<Impl>(internal::Window(std::move(source), base_offset,
                                                    options.window_bytes, options.max_record_bytes),
                                   options)) {}

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
  impl_->released_bytes += impl_->captured_bytes;
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
