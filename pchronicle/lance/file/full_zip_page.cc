#include <algorithm>
#include <cstring>
#include <utility>

#include "pchronicle/lance/encoding/zip_value.h"
#include "pchronicle/lance/file/page_decoder.h"

// Full-zip pages (lance.md B5). Buffers: entries of control word, length and value; positions of
// the rows, where values have no fixed size or there are lists.

namespace pchronicle::lance {
namespace {

constexpr size_t kEntries = 0, kRowPositions = 1;
/// Rows whose positions are read at once.
constexpr uint64_t kPositionRows = 4096;

class FullZipPage : public LayoutPage {
 public:
  FullZipPage(const PageOptions& options, PageSource source, LayerPlan plan)
      : LayoutPage(options, std::move(source), std::move(plan)) {}

  Status Open(const ValueShape& shape);
  Status Append(uint64_t from, uint64_t to, uint64_t ahead, LeafBuilder* out) override;
  Status Prefetch(std::span<const uint64_t> rows) override;
  std::vector<uint64_t> Cuts() const override;

 private:
  bool indexed() const { return position_bytes_ != 0; }
  /// Byte positions of rows from..to, to included.
  Status ReadPositions(uint64_t from, uint64_t to, uint64_t ahead);
  /// Where the entries of row `ahead` may start, judged by the positions that were read up to row
  /// `end`.
  uint64_t GuessPosition(uint64_t end, uint64_t ahead) const;
  /// Decodes the entries of whole rows.
  Status AppendEntries(Bytes entries, uint64_t rows, LeafBuilder* out);
  Result<uint64_t> TakeLength(Bytes* entries) const;

  std::unique_ptr<ZipValueDecoder> value_;
  size_t control_bytes_ = 0;
  size_t length_bytes_ = 0;  // variable values
  size_t value_bytes_ = 0;   // fixed values
  size_t position_bytes_ = 0;
  std::vector<uint64_t> positions_;
  std::vector<uint16_t> rep_, def_;
};

Status FullZipPage::Open(const ValueShape& shape) {
  if (!layout_.values || source_.buffers() < 1) {
    return Status::Corruption("full-zip page without values");
  }
  const uint64_t bits = uint64_t{layout_.bits_rep} + layout_.bits_def;
  if (layout_.bits_rep > 16 || layout_.bits_def > 16) {
    return Status::Corruption("full-zip page with levels of {} bits", bits);
  }
  if ((plan_.lists != 0) != (layout_.bits_rep != 0)) {
    return Status::Corruption("full-zip page whose layers and repetition levels disagree");
  }
  control_bytes_ = bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
  if (layout_.bits_per_offset) {
    if (*layout_.bits_per_offset != 32 && *layout_.bits_per_offset != 64) {
      return Status::Unsupported("full-zip page with lengths of {} bits", *layout_.bits_per_offset);
    }
    length_bytes_ = *layout_.bits_per_offset / 8;
  } else if (layout_.bits_per_value && *layout_.bits_per_value % 8 == 0 &&
             (*layout_.bits_per_value != 0 || control_bytes_ != 0)) {
    // Release 1.0.4 writes fixed-size lists that are all null as nothing but control words.
    value_bytes_ = *layout_.bits_per_value / 8;
  } else {
    return Status::Unsupported("full-zip page with values of {} bits",
                               layout_.bits_per_value.value_or(0));
  }
  PCHRONICLE_ASSIGN_OR_RETURN(
      value_, MakeZipValueDecoder(*layout_.values, shape, value_bytes_, options_.context));
  if (length_bytes_ == 0 && plan_.lists == 0) {
    const uint64_t row = control_bytes_ + value_bytes_;
    if (source_.size(kEntries) / row != options_.rows || source_.size(kEntries) % row != 0) {
      return Status::Corruption("{} rows of {} bytes in a buffer of {}", options_.rows, row,
                                source_.size(kEntries));
    }
    return Status::Ok();
  }
  if (source_.buffers() < 2) {
    return Status::Corruption("full-zip page without the positions of its rows");
  }
  const uint64_t size = source_.size(kRowPositions);
  const uint64_t width = options_.rows == UINT64_MAX ? 0 : size / (options_.rows + 1);
  if ((width != 1 && width != 2 && width != 4 && width != 8) ||
      size != width * (options_.rows + 1)) {
    return Status::Corruption("positions of {} rows in {} bytes", options_.rows, size);
  }
  position_bytes_ = static_cast<size_t>(width);
  return Status::Ok();
}

Status FullZipPage::ReadPositions(uint64_t from, uint64_t to, uint64_t ahead) {
  positions_.clear();
  if (!indexed()) {
    for (uint64_t row = from; row <= to; ++row) {
      positions_.push_back(row * (control_bytes_ + value_bytes_));
    }
    return Status::Ok();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(
      const Bytes bytes,
      source_.Slice(kRowPositions, from * position_bytes_, (to - from + 1) * position_bytes_,
                    std::min(ahead, options_.rows) * position_bytes_));
  for (size_t i = 0; i <= to - from; ++i) {
    uint64_t position = 0;
    std::memcpy(&position, bytes.data() + i * position_bytes_, position_bytes_);
    if (position > source_.size(kEntries) || (i != 0 && position < positions_.back())) {
      return Status::Corruption("row {} at {} of {} bytes", from + i, position,
                                source_.size(kEntries));
    }
    positions_.push_back(position);
  }
  return Status::Ok();
}

std::vector<uint64_t> FullZipPage::Cuts() const {
  std::vector<uint64_t> cuts;
  for (uint64_t row = kPositionRows; row < options_.rows; row += kPositionRows) {
    cuts.push_back(row);
  }
  return cuts;
}

Status FullZipPage::Prefetch(std::span<const uint64_t> rows) {
  std::vector<ByteRange> ranges;
  if (indexed()) {
    for (const uint64_t row : rows) {
      ranges.push_back({row * position_bytes_, 2 * position_bytes_});
    }
    PCHRONICLE_RETURN_IF_ERROR(source_.Prefetch(kRowPositions, ranges));
    ranges.clear();
  }
  for (const uint64_t row : rows) {
    PCHRONICLE_RETURN_IF_ERROR(ReadPositions(row, row + 1, 0));
    ranges.push_back({positions_[0], positions_[1] - positions_[0]});
  }
  return source_.Prefetch(kEntries, ranges);
}

uint64_t FullZipPage::GuessPosition(uint64_t end, uint64_t ahead) const {
  if (ahead >= options_.rows) {
    return source_.size(kEntries);
  }
  const uint64_t read = positions_.size() - 1, bytes = positions_.back() - positions_.front();
  return ahead <= end || read == 0 ? positions_.back()
                                   : positions_.back() + bytes / read * (ahead - end);
}

Status FullZipPage::Append(uint64_t from, uint64_t to, uint64_t ahead, LeafBuilder* out) {
  constexpr uint64_t kWindow = 256 << 10;
  while (from < to) {
    const uint64_t end = std::min(to, from + kPositionRows);
    PCHRONICLE_RETURN_IF_ERROR(ReadPositions(from, end, ahead));
    const std::vector<uint64_t>& at = positions_;
    const size_t rows = static_cast<size_t>(end - from);
    const uint64_t stop = std::max(at[rows], GuessPosition(end, ahead));
    // As many whole rows at once as fit a window, at least one.
    for (size_t first = 0; first < rows;) {
      size_t last = first + 1;
      while (last < rows && at[last + 1] - at[first] <= kWindow) {
        ++last;
      }
      PCHRONICLE_ASSIGN_OR_RETURN(const Bytes entries,
                                  source_.Slice(kEntries, at[first], at[last] - at[first], stop));
      PCHRONICLE_RETURN_IF_ERROR(AppendEntries(entries, last - first, out));
      PCHRONICLE_RETURN_IF_ERROR(CheckBatchBytes(options_, *out));
      ++options_.context->chunks;
      first = last;
    }
    from = end;
  }
  return Status::Ok();
}

Result<uint64_t> FullZipPage::TakeLength(Bytes* entries) const {
  if (length_bytes_ == 0) {
    return uint64_t{value_bytes_};
  }
  if (entries->size() < length_bytes_) {
    return Status::Corruption("full-zip entries end within a length");
  }
  const uint64_t length =
      length_bytes_ == 4 ? LoadLe<uint32_t>(entries->data()) : LoadLe<uint64_t>(entries->data());
  *entries = entries->subspan(length_bytes_);
  return length;
}

Status FullZipPage::AppendEntries(Bytes entries, uint64_t rows, LeafBuilder* out) {
  const auto row_count = static_cast<size_t>(rows);
  if (control_bytes_ == 0 && length_bytes_ == 0 && value_->plain()) {
    out->values.AppendPlain(entries.data(), row_count, value_bytes_);
    out->structure.AppendFlat(plan_, nullptr, row_count);
    return Status::Ok();
  }
  if (length_bytes_ == 0 && value_bytes_ == 0) {
    // What takes no bytes in the file is counted before it takes memory.
    const uint64_t bytes = out->values.shape().PlainBytes();
    if (bytes != 0 && entries.size() / control_bytes_ > options_.max_batch_bytes / bytes) {
      return Status::ResourceExhausted("{} values of {} bytes in one batch: read fewer rows",
                                       entries.size() / control_bytes_, bytes);
    }
  }
  rep_.clear();
  def_.clear();
  size_t row_starts = 0;
  const uint32_t def_mask = (uint32_t{1} << layout_.bits_def) - 1;
  while (!entries.empty()) {
    uint32_t control = 0;
    if (entries.size() < control_bytes_) {
      return Status::Corruption("full-zip entries end within a control word");
    }
    std::memcpy(&control, entries.data(), control_bytes_);
    entries = entries.subspan(control_bytes_);
    const auto def = static_cast<uint16_t>(control & def_mask);
    const auto rep = static_cast<uint16_t>(control >> layout_.bits_def);
    if (plan_.lists != 0) {
      rep_.push_back(rep);
    }
    if (layout_.bits_def != 0) {
      def_.push_back(def);
    }
    row_starts += rep == plan_.lists ? 1 : 0;
    if (def > plan_.visible && plan_.lists != 0) {
      continue;
    }
    if (length_bytes_ != 0 && def != 0) {
      out->values.AppendEmpty(1);
      continue;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t length, TakeLength(&entries));
    if (length > entries.size()) {
      return Status::Corruption("full-zip value of {} bytes where {} are left", length,
                                entries.size());
    }
    const auto size = static_cast<size_t>(length);
    PCHRONICLE_RETURN_IF_ERROR(value_->Append(entries.subspan(0, size), &out->values));
    entries = entries.subspan(size);
  }
  if (row_starts != row_count) {
    return Status::Corruption("full-zip entries hold {} of {} rows", row_starts, rows);
  }
  if (plan_.lists != 0) {
    return out->structure.AppendNested(plan_, rep_, def_);
  }
  out->structure.AppendFlat(plan_, def_.empty() ? nullptr : def_.data(), row_count);
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<PageDecoder>> OpenFullZipPage(const PageOptions& options, PageSource source,
                                                     const ValueShape& shape, LayerPlan plan) {
  auto page = std::make_unique<FullZipPage>(options, std::move(source), std::move(plan));
  PCHRONICLE_RETURN_IF_ERROR(page->Open(shape));
  return std::unique_ptr<PageDecoder>(std::move(page));
}

}  // namespace pchronicle::lance
