#include "pchronicle/json/record_stream.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "pchronicle/json/cursor_impl.h"

namespace pchronicle::json {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Gives bytes that were read ahead first, then the rest of the source.
class HeadedSource final : public ByteSource {
 public:
  HeadedSource(std::string head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  Result<size_t> Read(std::span<char> out) override {
    const size_t n = std::min(out.size(), head_.size());
    if (n != 0) {
      std::memcpy(out.data(), head_.data(), n);
      head_.erase(0, n);
      if (n == out.size()) {
        return n;
      }
    }
    Result<size_t> more = rest_->Read(out.subspan(n));
    if (!more.ok()) {
      return more;
    }
    return n + *more;
  }
  bool gives_blocks() const override { return head_.empty() && rest_->gives_blocks(); }
  Result<Block> Take(Block spare) override { return rest_->Take(std::move(spare)); }

 private:
  std::string head_;
  std::unique_ptr<ByteSource> rest_;
};

Result<std::string> ReadHead(ByteSource& source, size_t wanted) {
  std::string head(wanted, '\0');
  size_t have = 0;
  while (have < wanted) {
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t n, source.Read({head.data() + have, wanted - have}));
    if (n == 0) {
      break;
    }
    have += n;
  }
  head.resize(have);
  return head;
}

}  // namespace

Status CheckEncoding(std::string_view first_bytes) {
  const std::string_view head = first_bytes.substr(0, 4);
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff") ||
      head.find('\0') != std::string_view::npos) {
    return Status::InvalidArgument("UTF-16 text; convert it to UTF-8");
  }
  return Status::Ok();
}

struct RecordStream::Impl {
  enum class State : uint8_t { kStart, kBetween, kInRecord, kEnd };

  const ByteInput* input = nullptr;
  Container container = Container::kLines;
  RecordRange range;
  uint64_t bytes_searched = 0;  // for the first line of a range
  CursorOptions options;
  std::unique_ptr<Cursor> cursor;
  State state = State::kStart;
  bool in_array = false;
  bool more_lines = true;
  bool open_tail = false;
  uint64_t line_start = 0;
  uint64_t record_offset = 0;
  uint32_t record_depth = 0;  // of the cursor around the record
  uint64_t records = 0;
  Status status;
  uint64_t error_offset = 0;

  bool End() {
    state = State::kEnd;
    return false;
  }
  bool Stop(Status why, uint64_t at) {
    if (status.ok()) {
      status = std::move(why);
      error_offset = at;
    }
    return End();
  }
  bool StopAtCursor() {
    if (cursor->ok()) {
      return End();
    }
    return Stop(cursor->status(), cursor->error_offset());
  }
  bool TrailingData(uint64_t at) {
    return Stop(Status::InvalidArgument("trailing data after JSON document"), at);
  }
  bool Found(Record* record) {
    record_offset = cursor->offset();
    record_depth = cursor->depth();
    *record = {records++, record_offset, in_array};
    state = State::kInRecord;
    return true;
  }
};

namespace {

/// Offset behind the first line feed of `source`, which begins at `start`; nothing when there is
/// none before `end`.
Result<std::optional<uint64_t>> FirstLineStart(ByteSource& source, uint64_t start, uint64_t end) {
  std::string buffer(64 << 10, '\0');
  for (uint64_t at = start; at < end;) {
    const size_t want = static_cast<size_t>(std::min<uint64_t>(buffer.size(), end - at));
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t got, source.Read(std::span(buffer).first(want)));
    if (got == 0) {
      break;
    }
    const size_t line_feed = std::string_view(buffer).substr(0, got).find('\n');
    if (line_feed != std::string_view::npos) {
      return std::optional<uint64_t>(at + line_feed + 1);
    }
    at += got;
  }
  return std::optional<uint64_t>();
}

}  // namespace

RecordStream::RecordStream() : impl_(std::make_unique<Impl>()) {}
RecordStream::~RecordStream() = default;

Result<std::unique_ptr<RecordStream>> RecordStream::Open(const ByteInput& input,
                                                         Container container, RecordRange range,
                                                         CursorOptions options) {
  std::unique_ptr<RecordStream> stream(new RecordStream());
  Impl& impl = *stream->impl_;
  impl.input = &input;
  impl.container = container;
  impl.range = container == Container::kLines ? range : RecordRange{};
  impl.options = options;
  // One byte before the range tells whether it begins with a line.
  const uint64_t start = impl.range.begin == 0 ? 0 : impl.range.begin - 1;
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source, input.Open(start, kToEnd));
  if (start == 0 && impl.range.begin == 0) {
    PCHRONICLE_ASSIGN_OR_RETURN(std::string head, ReadHead(*source, 4));
    PCHRONICLE_RETURN_IF_ERROR(CheckEncoding(head));
    const bool marked = head.starts_with(kByteOrderMark);
    if (marked) {
      head.erase(0, kByteOrderMark.size());
    }
    const uint64_t base = marked ? kByteOrderMark.size() : 0;
    source = std::make_unique<HeadedSource>(std::move(head), std::move(source));
    impl.cursor = std::make_unique<Cursor>(std::move(source), base, options);
    return stream;
  }
  // A range inside one giant line holds no record: that must cost the range, not the rest of the
  // line.
  PCHRONICLE_ASSIGN_OR_RETURN(const std::optional<uint64_t> first,
                              FirstLineStart(*source, start, impl.range.end));
  impl.bytes_searched = first.value_or(impl.range.end) - start;
  impl.line_start = first.value_or(impl.range.end);
  impl.more_lines = first.has_value();
  PCHRONICLE_ASSIGN_OR_RETURN(source, input.Open(impl.line_start, first ? kToEnd : 0));
  impl.cursor = std::make_unique<Cursor>(std::move(source), impl.line_start, options);
  return stream;
}

bool RecordStream::Next(Record* record) {
  Impl& impl = *impl_;
  if (impl.state == Impl::State::kInRecord) {
    Abandon();
  }
  if (impl.state == Impl::State::kEnd) {
    return false;
  }
  return impl.container == Container::kLines ? NextLine(record) : NextInDocument(record);
}

bool RecordStream::NextLine(Record* record) {
  Impl& impl = *impl_;
  Cursor& cursor = *impl.cursor;
  while (true) {
    if (!cursor.ok()) {
      return impl.StopAtCursor();
    }
    if (!impl.more_lines || impl.line_start >= impl.range.end) {
      return impl.End();
    }
    cursor.EnterLine();
    if (!cursor.AtEnd()) {
      if (!cursor.ok()) {
        return impl.StopAtCursor();
      }
      if (LastLineIsCut()) {
        impl.open_tail = true;
        return impl.End();
      }
      return impl.Found(record);
    }
    LeaveLine();
  }
}

void RecordStream::LeaveLine() {
  Impl& impl = *impl_;
  bool had_line_feed = false;
  impl.more_lines = impl.cursor->LeaveLine(&had_line_feed);
  impl.line_start = impl.cursor->offset();
}

/// A last line without line feed that fits the window is tried before it is given out: for its
/// structure only, because that is also what every reading of a longer line meets. A bad value
/// inside must not decide here, or the answer would depend on the size of the window.
bool RecordStream::LastLineIsCut() {
  Cursor::Impl& cursor = *impl_->cursor->impl_;
  internal::Window& window = cursor.window;
  const auto in_window = static_cast<size_t>(window.limit - window.p);
  if (!window.final()) {
    const std::optional<uint64_t> size = impl_->input->size();
    const bool far_from_end =
        size && *size > window.OffsetOf(window.p) + impl_->options.window_bytes;
    if (far_from_end || in_window > impl_->options.window_bytes / 2) {
      return false;
    }
    window.hold = window.p;
    while (!window.final() &&
           static_cast<size_t>(window.limit - window.p) <= impl_->options.window_bytes / 2 &&
           window.Refill()) {
    }
    window.hold = nullptr;
  }
  if (!window.final() || window.at_line_feed() || !window.status().ok()) {
    return false;
  }
  CursorOptions options = impl_->options;
  options.max_record_bytes = UINT64_MAX;
  Cursor trial(std::string_view(window.p, static_cast<size_t>(window.limit - window.p)), 0,
               options);
  return !trial.Skip() || !trial.AtEnd();
}

bool RecordStream::NextInDocument(Record* record) {
  Impl& impl = *impl_;
  Cursor& cursor = *impl.cursor;
  if (impl.in_array) {
    if (cursor.NextElement()) {
      return impl.Found(record);
    }
    if (cursor.ok() && !cursor.AtEnd() && cursor.ok()) {
      return impl.TrailingData(cursor.offset());
    }
    return impl.StopAtCursor();
  }
  if (cursor.AtEnd() || !cursor.ok()) {
    return impl.StopAtCursor();
  }
  const char first = *cursor.impl_->window.p;
  if (impl.state == Impl::State::kBetween) {
    return first == '{' ? impl.Found(record) : impl.TrailingData(cursor.offset());
  }
  if (first == '{') {
    return impl.Found(record);
  }
  if (first != '[') {
    return impl.Stop(Status::InvalidArgument("unsupported JSON stream start byte 0x{:02x}",
                                             static_cast<unsigned char>(first)),
                     cursor.offset());
  }
  impl.in_array = true;
  cursor.BeginArray();
  return NextInDocument(record);
}

Status RecordStream::Finish() {
  Impl& impl = *impl_;
  Cursor& cursor = *impl.cursor;
  if (impl.state != Impl::State::kInRecord) {
    return impl.status;
  }
  if (cursor.ok() && impl.container == Container::kLines && !cursor.AtEnd() && cursor.ok()) {
    cursor.FailAsSyntax(Status::InvalidArgument("trailing data after JSON document"),
                        cursor.offset());
  }
  if (cursor.ok()) {
    if (impl.container == Container::kLines) {
      LeaveLine();
    }
    impl.state = Impl::State::kBetween;
    return Status::Ok();
  }
  if (cursor.parse_failure()) {
    NoteOpenTail();
  }
  impl.error_offset = cursor.error_offset();
  return cursor.status();
}

/// A line that does not parse: its end tells whether it is still being written.
void RecordStream::NoteOpenTail() {
  Impl& impl = *impl_;
  if (impl.container != Container::kLines) {
    return;
  }
  impl.cursor->impl_->ReadToLineEnd();
  const internal::Window& window = impl.cursor->impl_->window;
  if (!window.at_line_feed() && window.status().ok()) {
    impl.open_tail = true;
  }
}

bool RecordStream::Abandon() {
  Impl& impl = *impl_;
  Cursor& cursor = *impl.cursor;
  if (impl.state != Impl::State::kInRecord) {
    return impl.state != Impl::State::kEnd;
  }
  impl.state = Impl::State::kBetween;
  if (impl.container == Container::kLines) {
    // A line that was given up for what it says may also be cut, behind that.
    const bool is_closed = SkipRest();
    if (cursor.parse_failure() || (is_closed && !cursor.AtEnd() && cursor.ok())) {
      NoteOpenTail();
    }
    LeaveLine();
    return cursor.ok() || impl.StopAtCursor();
  }
  return SkipRest() || impl.StopAtCursor();
}

/// Passes the rest of the current record, if its structure is intact.
bool RecordStream::SkipRest() {
  Impl& impl = *impl_;
  Cursor& cursor = *impl.cursor;
  Cursor::Impl::Failure& failure = cursor.impl_->failure;
  if (impl.container == Container::kLines && failure == Cursor::Impl::Failure::kLimit) {
    failure = Cursor::Impl::Failure::kSemantic;  // it stands before the value that was too large
  }
  if (!cursor.ForgiveSemanticFailure()) {
    return false;
  }
  const bool untouched =
      cursor.offset() == impl.record_offset && cursor.depth() == impl.record_depth;
  return untouched ? cursor.Skip() : cursor.SkipToDepth(impl.record_depth);
}

Cursor& RecordStream::cursor() { return *impl_->cursor; }

Result<std::unique_ptr<Cursor>> RecordStream::Reopen() const {
  const Impl& impl = *impl_;
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source,
                              impl.input->Open(impl.record_offset, kToEnd));
  auto cursor = std::make_unique<Cursor>(std::move(source), impl.record_offset, impl.options);
  if (impl.container == Container::kLines) {
    cursor->EnterLine();
  }
  return cursor;
}

const Status& RecordStream::status() const { return impl_->status; }
uint64_t RecordStream::error_offset() const { return impl_->error_offset; }
bool RecordStream::open_tail() const { return impl_->open_tail; }
uint64_t RecordStream::records() const { return impl_->records; }
uint64_t RecordStream::bytes_read() const {
  return impl_->bytes_searched + impl_->cursor->bytes_read();
}
uint64_t RecordStream::buffer_peak_bytes() const { return impl_->cursor->buffer_peak_bytes(); }

}  // namespace pchronicle::json
