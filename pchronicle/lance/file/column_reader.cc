#include "pchronicle/lance/file/column_reader.h"

#include <algorithm>

namespace pchronicle::lance {

Status ColumnReader::InPage(size_t page, const Status& status) const {
  return status.ok() ? status : status.WithContext(fmt::format("{}, page {}", label_, page));
}

Status ColumnReader::OpenPageAt(size_t page) {
  if (open_page_ == page) {
    return Status::Ok();
  }
  open_page_ = kNone;
  page_.reset();
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view bytes,
                              column_->PageEncoding(page, proto::kPageLayoutUrl));
  layout_ = std::make_unique<proto::PageLayout>();
  PCHRONICLE_RETURN_IF_ERROR(proto::Parse(proto::WireReader(bytes), layout_.get()));
  PageOptions options;
  options.layout = layout_.get();
  options.rows = column_->metadata.pages[page].rows;
  options.context = &state_->context;
  options.max_batch_bytes = state_->options.max_batch_bytes;
  PageSource source(&state_->reader, column_->Ranges(page), state_->options.window_bytes,
                    state_->options.gap_bytes);
  PCHRONICLE_ASSIGN_OR_RETURN(page_, OpenPage(options, std::move(source), builder_.values.shape(),
                                              builder_.structure.path()));
  ++state_->counters.pages_opened;
  open_page_ = page;
  return Status::Ok();
}

Status ColumnReader::AppendRows(uint64_t begin, uint64_t end, uint64_t ahead) {
  for (uint64_t row = begin; row < end;) {
    const size_t page = column_->PageOfRow(row);
    const uint64_t first = column_->first_row[page];
    const uint64_t stop = std::min(end, column_->first_row[page + 1]);
    PCHRONICLE_RETURN_IF_ERROR(InPage(page, OpenPageAt(page)));
    PCHRONICLE_RETURN_IF_ERROR(InPage(
        page,
        page_->Append(row - first, stop - first, ahead > first ? ahead - first : 0, &builder_)));
    row = stop;
  }
  return Status::Ok();
}

Status ColumnReader::Check(uint64_t rows) const {
  if (builder_.structure.length(0) != rows) {
    return Status::Corruption("{}: levels for {} of {} rows", label_, builder_.structure.length(0),
                              rows);
  }
  return Status::Ok();
}

Status ColumnReader::CheckBatch(uint64_t rows) const {
  const uint64_t width = builder_.values.shape().PlainBytes();
  if (width != 0 && rows > state_->options.max_batch_bytes / width) {
    return Status::ResourceExhausted("{}: {} rows of {} bytes in one batch: read fewer rows",
                                     label_, rows, width);
  }
  return Status::Ok();
}

Status ColumnReader::Read(uint64_t begin, uint64_t end) {
  builder_.Reset();
  PCHRONICLE_RETURN_IF_ERROR(CheckBatch(end - begin));
  const uint64_t ahead = expected_end_ != 0   ? expected_end_
                         : begin == next_row_ ? column_->rows()
                                              : 0;
  next_row_ = UINT64_MAX;
  PCHRONICLE_RETURN_IF_ERROR(AppendRows(begin, end, ahead));
  PCHRONICLE_RETURN_IF_ERROR(Check(end - begin));
  next_row_ = end;
  return Status::Ok();
}

namespace {

/// Rows of a Take whose bytes are read ahead of decoding: what bounds its memory.
constexpr size_t kRowsAhead = 512;

}  // namespace

Status ColumnReader::Take(std::span<const uint64_t> rows) {
  builder_.Reset();
  PCHRONICLE_RETURN_IF_ERROR(CheckBatch(rows.size()));
  next_row_ = UINT64_MAX;
  std::vector<uint64_t> in_page;
  for (size_t i = 0; i < rows.size();) {
    const size_t page = column_->PageOfRow(rows[i]);
    const uint64_t first = column_->first_row[page], end = column_->first_row[page + 1];
    in_page.clear();
    const size_t from = i;
    for (; i < rows.size() && rows[i] < end && in_page.size() < kRowsAhead; ++i) {
      in_page.push_back(rows[i] - first);
    }
    PCHRONICLE_RETURN_IF_ERROR(InPage(page, OpenPageAt(page)));
    PCHRONICLE_RETURN_IF_ERROR(InPage(page, page_->Prefetch(in_page)));
    // Runs of neighbouring rows at once.
    for (size_t k = from; k < i;) {
      size_t stop = k + 1;
      while (stop < i && rows[stop] == rows[stop - 1] + 1) {
        ++stop;
      }
      PCHRONICLE_RETURN_IF_ERROR(AppendRows(rows[k], rows[stop - 1] + 1, 0));
      k = stop;
    }
  }
  return Check(rows.size());
}

Result<std::vector<uint64_t>> ColumnReader::Cuts() {
  std::vector<uint64_t> cuts;
  for (size_t page = 0; page < column_->pages(); ++page) {
    const uint64_t first = column_->first_row[page];
    cuts.push_back(first);
    // Pages of a file with many are fine enough.
    if (column_->pages() <= 8) {
      PCHRONICLE_RETURN_IF_ERROR(InPage(page, OpenPageAt(page)));
      for (const uint64_t row : page_->Cuts()) {
        cuts.push_back(first + row);
      }
    }
  }
  return cuts;
}

double ColumnReader::RowBytes() const {
  constexpr double kCompression = 3;
  const uint64_t plain = builder_.values.shape().PlainBytes();
  const bool lists = std::any_of(builder_.structure.path().begin(), builder_.structure.path().end(),
                                 [](const PathStep& step) { return step.list; });
  if (plain != 0 && !lists) {
    return static_cast<double>(plain);
  }
  const auto rows = static_cast<double>(std::max<uint64_t>(column_->rows(), 1));
  return 8 + kCompression * static_cast<double>(column_->stored_bytes) / rows;
}

}  // namespace pchronicle::lance
