#include "pchronicle/lance/file/range_reader.h"

#include <algorithm>

namespace pchronicle::lance {
namespace {

/// Pages up to this size are read by one call.
constexpr uint64_t kSmallPage = 64 << 10;

}  // namespace

Status RangeReader::Read(uint64_t offset, std::span<uint8_t> out) {
  if (offset > file_.size() || out.size() > file_.size() - offset) {
    return Status::Corruption("bytes {}+{} are beyond the end of the file at {}", offset,
                              out.size(), file_.size());
  }
  size_t done = 0;
  while (done < out.size()) {
    ++counters_->read_calls;
    PCHRONICLE_ASSIGN_OR_RETURN(
        const size_t got, file_.ReadAt(offset + done, {reinterpret_cast<char*>(out.data()) + done,
                                                       out.size() - done}));
    if (got == 0) {
      return Status::Corruption("the file ends at {}, before its size of {}", offset + done,
                                file_.size());
    }
    counters_->bytes_read += got;
    done += got;
  }
  return Status::Ok();
}

Status RangeReader::Read(uint64_t offset, uint64_t size, columnar::Buffer* out) {
  if (offset > file_.size() || size > file_.size() - offset) {
    return Status::Corruption("bytes {}+{} are beyond the end of the file at {}", offset, size,
                              file_.size());
  }
  const auto bytes = static_cast<size_t>(size);
  PCHRONICLE_RETURN_IF_ERROR(Read(offset, std::span(out->Reserve(bytes), bytes)));
  out->Advance(bytes);
  return Status::Ok();
}

PageSource::PageSource(RangeReader* reader, std::vector<ByteRange> ranges, uint64_t window_bytes,
                       uint64_t gap_bytes)
    : reader_(reader),
      ranges_(std::move(ranges)),
      window_bytes_(window_bytes),
      gap_bytes_(gap_bytes),
      windows_(ranges_.size()) {
  uint64_t begin = UINT64_MAX, end = 0;
  for (const ByteRange& range : ranges_) {
    begin = std::min(begin, range.offset);
    end = std::max(end, range.offset + range.size);
  }
  if (begin < end) {
    page_ = {begin, end - begin};
    small_ = page_.size <= kSmallPage;
  }
}

Status PageSource::LoadPage() {
  if (!loaded_) {
    PCHRONICLE_RETURN_IF_ERROR(reader_->Read(page_.offset, page_.size, &whole_));
    loaded_ = true;
  }
  return Status::Ok();
}

Result<Bytes> PageSource::Slice(size_t buffer, uint64_t offset, uint64_t size, uint64_t ahead) {
  const ByteRange& range = ranges_[buffer];
  if (offset > range.size || size > range.size - offset) {
    return Status::Corruption("bytes {}+{} of a page buffer of {}", offset, size, range.size);
  }
  const auto count = static_cast<size_t>(size);
  if (count == 0) {
    static constexpr uint8_t kNothing[columnar::Buffer::kPadding] = {};
    return Bytes(kNothing, 0);
  }
  if (small_) {
    PCHRONICLE_RETURN_IF_ERROR(LoadPage());
    return Bytes(whole_.data() + (range.offset - page_.offset + offset), count);
  }
  Window& window = windows_[buffer];
  if (offset >= window.begin && offset + size <= window.begin + window.bytes.size()) {
    return Bytes(window.bytes.data() + (offset - window.begin), count);
  }
  const auto piece = std::upper_bound(
      window.pieces.begin(), window.pieces.end(), offset,
      [](uint64_t at, const Window::Piece& candidate) { return at < candidate.begin; });
  if (piece != window.pieces.begin()) {
    const Window::Piece& found = *std::prev(piece);
    if (offset + size <= found.begin + found.size) {
      return Bytes(window.piece_bytes.data() + found.at + (offset - found.begin), count);
    }
  }
  const uint64_t limit = std::min(std::max(ahead, offset + size), range.size);
  const uint64_t length = std::max(size, std::min(window_bytes_, limit - offset));
  window.bytes.Clear();
  window.begin = offset;
  PCHRONICLE_RETURN_IF_ERROR(reader_->Read(range.offset + offset, length, &window.bytes));
  return Bytes(window.bytes.data(), count);
}

Status PageSource::Prefetch(size_t buffer, std::span<const ByteRange> ranges) {
  Window& window = windows_[buffer];
  window.pieces.clear();
  window.piece_bytes.Clear();
  if (small_) {
    return Status::Ok();
  }
  for (size_t i = 0; i < ranges.size();) {
    const uint64_t begin = ranges[i].offset;
    uint64_t end = begin + ranges[i].size;
    for (++i; i < ranges.size() && ranges[i].offset <= end + gap_bytes_; ++i) {
      end = std::max(end, ranges[i].offset + ranges[i].size);
    }
    if (end > ranges_[buffer].size) {
      return Status::Corruption("bytes up to {} of a page buffer of {}", end, ranges_[buffer].size);
    }
    const uint64_t at = window.piece_bytes.size();
    PCHRONICLE_RETURN_IF_ERROR(
        reader_->Read(ranges_[buffer].offset + begin, end - begin, &window.piece_bytes));
    window.pieces.push_back({begin, at, end - begin});
  }
  return Status::Ok();
}

}  // namespace pchronicle::lance
