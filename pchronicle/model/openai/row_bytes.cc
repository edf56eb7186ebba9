#include "pchronicle/model/openai/row_bytes.h"

#include <algorithm>
#include <cstring>

namespace pchronicle::model::openai {
namespace {

constexpr size_t kReadAhead = 256 << 10;

Result<json::Raw> CaptureText(std::string_view text, uint64_t base,
                              const json::CursorOptions& options, uint64_t* error_offset) {
  json::Cursor cursor(text, base, options);
  json::Raw raw;
  if (!cursor.Capture(&raw)) {
    *error_offset = cursor.error_offset();
    return cursor.ok() ? Status::Corruption("JSON value expected") : cursor.status();
  }
  return raw;
}

}  // namespace

json::Raw ParseText(std::string_view text, const json::CursorOptions& options) {
  json::Cursor cursor(text, 0, options);
  json::Raw raw;
  if (!cursor.Capture(&raw) || !cursor.AtEnd()) {
    return {};
  }
  return raw;
}

Result<json::Raw> DecodedText::Capture(const Span& span, Arena&) {
  if (!span.present()) {
    return json::Raw{};
  }
  uint64_t error_offset = 0;
  return CaptureText(Bytes(span), span.begin, {}, &error_offset);
}

std::string_view DecodedText::Bytes(const Span& span) const {
  return text_.substr(span.begin, span.end - span.begin);
}

RowBytes::RowBytes(const json::ByteInput& input, const json::CursorOptions& options)
    : input_(input), options_(options) {}

Status RowBytes::Move(uint64_t offset, uint64_t length) {
  offset_ = offset;
  length_ = length;
  error_offset_ = offset;
  held_ = length <= std::min(kHeldRow, options_.max_record_bytes);
  return held_ ? Fill(offset, length) : Status::Ok();
}

/// Makes bytes [offset, offset + length) stand in the buffer.
Status RowBytes::Fill(uint64_t offset, uint64_t length) {
  const uint64_t window_end = window_begin_ + window_size_;
  const bool ahead =
      source_ != nullptr && offset >= window_begin_ && offset <= window_end + kReadAhead;
  if (!ahead) {
    PCHRONICLE_ASSIGN_OR_RETURN(source_, input_.Open(offset, json::kToEnd));
    window_begin_ = offset;
    window_size_ = 0;
  } else if (offset + length <= window_end) {
    return Status::Ok();
  }
  buffer_.resize(std::max<size_t>({buffer_.size(), static_cast<size_t>(length), kReadAhead}));
  while (window_begin_ + window_size_ < offset + length) {
    // What stands before the row is not needed any more.
    const size_t drop =
        static_cast<size_t>(std::min<uint64_t>(offset - window_begin_, window_size_));
    if (drop > 0) {
      std::memmove(buffer_.data(), buffer_.data() + drop, window_size_ - drop);
      window_begin_ += drop;
      window_size_ -= drop;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t got, source_->Read({buffer_.data() + window_size_,
                                                                 buffer_.size() - window_size_}));
    if (got == 0) {
      source_.reset();
      return Status::Corruption("file is shorter than when its rows were counted");
    }
    bytes_read_ += got;
    window_size_ += got;
  }
  return Status::Ok();
}

Result<json::Cursor> RowBytes::MakeCursor() {
  if (held_) {
    return json::Cursor(Bytes({offset_, offset_ + length_, json::Kind::kObject}), offset_,
                        options_);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(auto source, input_.Open(offset_, length_));
  bytes_read_ += length_;
  return json::Cursor(std::move(source), offset_, options_);
}

std::string_view RowBytes::Bytes(const Span& span) const {
  if (!held_) {
    return {};
  }
  return {buffer_.data() + (span.begin - window_begin_), span.end - span.begin};
}

Result<json::Raw> RowBytes::Capture(const Span& span, Arena& arena) {
  if (!span.present()) {
    return json::Raw{};
  }
  if (held_) {
    return CaptureText(Bytes(span), span.begin, options_, &error_offset_);
  }
  const uint64_t length = span.end - span.begin;
  error_offset_ = span.begin;
  if (length > options_.max_record_bytes) {
    return Status::ResourceExhausted("JSON array record exceeded max_record_bytes {}",
                                     options_.max_record_bytes);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(auto source, input_.Open(span.begin, length));
  const std::span<char> room(arena.Allocate(length), length);
  PCHRONICLE_RETURN_IF_ERROR(ReadInto(*source, room));
  return CaptureText({room.data(), room.size()}, span.begin, options_, &error_offset_);
}

Status RowBytes::ReadInto(json::ByteSource& source, std::span<char> out) {
  while (!out.empty()) {
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t got, source.Read(out));
    if (got == 0) {
      return Status::Corruption("file is shorter than when its rows were counted");
    }
    bytes_read_ += got;
    out = out.subspan(got);
  }
  return Status::Ok();
}

}  // namespace pchronicle::model::openai
