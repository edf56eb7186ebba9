#include "pchronicle/lance/file/file_footer.h"

#include <algorithm>
#include <cstring>

namespace pchronicle::lance {
namespace {

constexpr uint64_t kTableEntry = 16;

Status CheckTable(std::string_view what, uint64_t at, uint64_t entries, uint64_t limit) {
  if (at > limit || entries > (limit - at) / kTableEntry) {
    return Status::Corruption("{} of {} entries at {} is not within the file", what, entries, at);
  }
  return Status::Ok();
}

}  // namespace

Result<FileFooter> FileFooter::Parse(Bytes last_bytes, uint64_t file_size) {
  if (last_bytes.size() < kBytes) {
    return Status::Corruption("{} bytes are less than a Lance footer", file_size);
  }
  const uint8_t* at = last_bytes.data() + last_bytes.size() - kBytes;
  if (std::memcmp(at + kBytes - 4, "LANC", 4) != 0) {
    return Status::Corruption("no Lance footer at the end of the file");
  }
  FileFooter footer;
  footer.columns_at = LoadLe<uint64_t>(at);
  footer.column_table_at = LoadLe<uint64_t>(at + 8);
  footer.buffer_table_at = LoadLe<uint64_t>(at + 16);
  footer.global_buffers = LoadLe<uint32_t>(at + 24);
  footer.columns = LoadLe<uint32_t>(at + 28);
  footer.major = LoadLe<uint16_t>(at + 32);
  footer.minor = LoadLe<uint16_t>(at + 34);
  // Files of other versions have other footers: what stands before the version means nothing there.
  PCHRONICLE_RETURN_IF_ERROR(CheckFileVersion(footer.major, footer.minor).status());
  const uint64_t limit = file_size - kBytes;
  PCHRONICLE_RETURN_IF_ERROR(
      CheckTable("column table", footer.column_table_at, footer.columns, limit));
  PCHRONICLE_RETURN_IF_ERROR(
      CheckTable("global buffer table", footer.buffer_table_at, footer.global_buffers, limit));
  return footer;
}

Status FileTail::Load(RangeReader* reader) {
  const uint64_t size = std::min(kBytes, reader->size());
  begin_ = reader->size() - size;
  return reader->Read(begin_, size, &tail_);
}

Result<Bytes> FileTail::Get(const ByteRange& range, RangeReader* reader,
                            columnar::Buffer* scratch) const {
  if (range.offset >= begin_ && range.offset - begin_ <= tail_.size() &&
      range.size <= tail_.size() - (range.offset - begin_)) {
    return Bytes(tail_.data() + (range.offset - begin_), static_cast<size_t>(range.size));
  }
  scratch->Clear();
  PCHRONICLE_RETURN_IF_ERROR(reader->Read(range.offset, range.size, scratch));
  return Bytes(scratch->data(), scratch->size());
}

}  // namespace pchronicle::lance
