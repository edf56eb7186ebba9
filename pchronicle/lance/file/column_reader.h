#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pchronicle/lance/file/column.h"
#include "pchronicle/lance/file/file_reader.h"
#include "pchronicle/lance/file/page_decoder.h"

namespace pchronicle::lance {

/// What the column readers of one RowReader share. Not thread-safe.
struct ReadState {
  ReadState(const io::RandomReader& file, const ReaderOptions& read_options)
      : options(read_options), reader(file, &counters) {}
  ReaderOptions options;
  ReadCounters counters;
  RangeReader reader;
  DecodeContext context;
};

/// Decodes one column of a 2.1 or 2.2 file into a builder, page after page. Not thread-safe.
class ColumnReader {
 public:
  /// `label`: names the column in messages.
  ColumnReader(std::shared_ptr<const Column> column, std::string label, ValueShape shape,
               std::vector<PathStep> path, ReadState* state)
      : column_(std::move(column)),
        label_(std::move(label)),
        builder_(std::move(shape), std::move(path)),
        state_(state) {}

  const Column& column() const { return *column_; }
  LeafBuilder& builder() { return builder_; }

  /// As RowReader::Expect.
  void Expect(uint64_t end) { expected_end_ = end; }
  /// Replaces the builder's content by rows [begin, end).
  Status Read(uint64_t begin, uint64_t end);
  /// Replaces the builder's content by some rows, ascending.
  Status Take(std::span<const uint64_t> rows);
  /// First rows of pages and of pieces within pages.
  Result<std::vector<uint64_t>> Cuts();
  /// Decoded bytes of a row, a guess.
  double RowBytes() const;

 private:
  Status OpenPageAt(size_t page);
  // Rows of the column; those up to `ahead` will be asked for next.
  Status AppendRows(uint64_t begin, uint64_t end, uint64_t ahead);
  /// Values of fixed width are counted before they take memory.
  Status CheckBatch(uint64_t rows) const;
  Status Check(uint64_t rows) const;
  Status InPage(size_t page, const Status& status) const;

  std::shared_ptr<const Column> column_;
  std::string label_;
  LeafBuilder builder_;
  ReadState* state_;
  static constexpr size_t kNone = SIZE_MAX;
  size_t open_page_ = kNone;
  std::unique_ptr<proto::PageLayout> layout_;  // of the open page, which points to it
  std::unique_ptr<PageDecoder> page_;
  uint64_t next_row_ = UINT64_MAX;  // where the last read ended
  uint64_t expected_end_ = 0;       // 0: nobody said how far reads will go
};

}  // namespace pchronicle::lance
