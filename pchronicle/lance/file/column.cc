#include "pchronicle/lance/file/column.h"

#include <algorithm>

namespace pchronicle::lance {
namespace {

constexpr uint32_t kPlainValues = 1, kBlobs = 3;

Status CheckColumnEncoding(const proto::Encoding& encoding) {
  if (encoding.place != proto::Encoding::Place::kDirect ||
      encoding.direct.type_url != proto::kColumnEncodingUrl) {
    return Status::Unsupported("a column encoding that is not in place");
  }
  proto::WireReader in(encoding.direct.value);
  while (in.Next()) {
    if (in.field() != kPlainValues && in.field() != kBlobs) {
      return Status::Unsupported("column encoding {}", in.field());
    }
  }
  return in.status();
}

}  // namespace

size_t Column::PageOfRow(uint64_t row) const {
  const auto next = std::upper_bound(first_row.begin(), first_row.end() - 1, row);
  return static_cast<size_t>(next - first_row.begin()) - 1;
}

std::vector<ByteRange> Column::Ranges(size_t page) const {
  const proto::Page& from = metadata.pages[page];
  std::vector<ByteRange> ranges;
  for (size_t i = 0; i < from.buffer_offsets.size(); ++i) {
    ranges.push_back({from.buffer_offsets[i], from.buffer_sizes[i]});
  }
  return ranges;
}

Result<std::string_view> Column::PageEncoding(size_t page, std::string_view type_url) const {
  const proto::Encoding& encoding = metadata.pages[page].encoding;
  if (encoding.place != proto::Encoding::Place::kDirect) {
    return Status::Unsupported("a page encoding that is not in place");
  }
  if (encoding.direct.type_url != type_url) {
    return Status::Unsupported("page encoding of type '{}'", encoding.direct.type_url);
  }
  return encoding.direct.value;
}

Result<std::shared_ptr<const Column>> Column::Parse(uint32_t index, std::string bytes,
                                                    uint64_t file_size) {
  auto column = std::make_shared<Column>();
  column->index = index;
  column->bytes = std::move(bytes);
  PCHRONICLE_RETURN_IF_ERROR(proto::Parse(proto::WireReader(column->bytes), &column->metadata));
  PCHRONICLE_RETURN_IF_ERROR(CheckColumnEncoding(column->metadata.encoding));
  uint64_t rows = 0;
  for (size_t i = 0; i < column->pages(); ++i) {
    const proto::Page& page = column->metadata.pages[i];
    column->first_row.push_back(rows);
    if (page.rows > UINT64_MAX - rows) {
      return Status::Corruption("page {} of {} rows", i, page.rows);
    }
    rows += page.rows;
    if (page.buffer_offsets.size() != page.buffer_sizes.size()) {
      return Status::Corruption("page {}: {} buffers of {} sizes", i, page.buffer_offsets.size(),
                                page.buffer_sizes.size());
    }
    for (const ByteRange& range : column->Ranges(i)) {
      if (range.offset > file_size || range.size > file_size - range.offset) {
        return Status::Corruption("page {}: buffer at {}+{} is not within the file", i,
                                  range.offset, range.size);
      }
      column->stored_bytes += range.size;
    }
  }
  column->first_row.push_back(rows);
  return std::shared_ptr<const Column>(std::move(column));
}

}  // namespace pchronicle::lance
