#include "pchronicle/model/actf/record_bytes.h"

#include <algorithm>
#include <utility>

#include "pchronicle/base/check.h"

namespace pchronicle::model::actf {

void RecordBytes::SetRecord(uint64_t begin, uint64_t end) {
  PCHRONICLE_DCHECK(begin <= end);
  begin_ = begin;
  end_ = end;
  is_held_ = false;
}

Result<std::unique_ptr<json::Cursor>> RecordBytes::Open(uint64_t begin, uint64_t end) {
  PCHRONICLE_DCHECK(begin >= begin_ && begin <= end && end <= end_);
  if (end_ - begin_ <= kHoldBytes) {
    PCHRONICLE_RETURN_IF_ERROR(Hold());
    const std::string_view text = std::string_view(held_).substr(begin - begin_, end - begin);
    return std::make_unique<json::Cursor>(text, begin, options_);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<json::ByteSource> source,
                              input_->Open(begin, end - begin));
  return std::make_unique<json::Cursor>(std::move(source), begin, options_);
}

Result<std::string_view> RecordBytes::Text(uint64_t begin, uint64_t end, Arena& arena) {
  PCHRONICLE_DCHECK(begin >= begin_ && begin <= end && end <= end_);
  if (end_ - begin_ <= kHoldBytes) {
    PCHRONICLE_RETURN_IF_ERROR(Hold());
    return std::string_view(held_).substr(begin - begin_, end - begin);
  }
  const uint64_t size = end - begin;
  if (size > options_.max_record_bytes) {
    return Status::ResourceExhausted("JSON value exceeded max_record_bytes {}",
                                     options_.max_record_bytes);
  }
  char* text = arena.Allocate(size);
  PCHRONICLE_RETURN_IF_ERROR(ReadRange(begin, text, size));
  return std::string_view(text, size);
}

void RecordBytes::Account(const json::Cursor& cursor) {
  if (end_ - begin_ > kHoldBytes) {
    bytes_read_ += cursor.bytes_read();
    buffer_peak_ = std::max(buffer_peak_, cursor.buffer_peak_bytes());
  }
}

Status RecordBytes::Hold() {
  if (is_held_) {
    return Status::Ok();
  }
  held_.resize(end_ - begin_);
  PCHRONICLE_RETURN_IF_ERROR(ReadRange(begin_, held_.data(), held_.size()));
  buffer_peak_ = std::max<uint64_t>(buffer_peak_, held_.capacity());
  is_held_ = true;
  return Status::Ok();
}

Status RecordBytes::ReadRange(uint64_t begin, char* out, size_t size) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<json::ByteSource> source,
                              input_->Open(begin, size));
  size_t done = 0;
  while (done < size) {
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t got, source->Read({out + done, size - done}));
    if (got == 0) {
      return Status::Unavailable("source changed while it was read: it ends at byte {}",
                                 begin + done);
    }
    done += got;
  }
  bytes_read_ += size;
  return Status::Ok();
}

}  // namespace pchronicle::model::actf
