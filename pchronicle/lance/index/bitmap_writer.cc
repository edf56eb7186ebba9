#include "pchronicle/lance/index/bitmap_writer.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "pchronicle/lance/index/segment_writer.h"
#include "pchronicle/lance/table/row_ids.h"

namespace pchronicle::lance {
namespace {

constexpr int64_t kFlushKeys = 4096;
constexpr uint64_t kFlushBytes = 1 << 20;

IndexKey BinaryKey() {
  return IndexKey::For(columnar::MakeType(columnar::TypeId::kBinary)).value();
}

// Calls `add(number)` for each entry, and `end(key)` behind the last one of a value.
template <typename End, typename Add>
Status ForEachValue(SegmentEntries* entries, End end, Add add) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto cursor, entries->values.Read());
  std::optional<std::string> key;
  IndexEntry entry;
  for (;;) {
    PCHRONICLE_ASSIGN_OR_RETURN(const bool more, cursor->Next(&entry));
    if (!more) {
      return key ? end(&*key) : Status::Ok();
    }
    if (!key || *key != entry.key) {
      if (key) {
        PCHRONICLE_RETURN_IF_ERROR(end(&*key));
      }
      key = entry.key;
    }
    add(entry.number);
  }
}

}  // namespace

void RowGatherer::Add(uint64_t number) {
  const auto upper = static_cast<uint32_t>(number >> 32);
  if (!lower_.empty() && upper != upper_) {
    Close();
  }
  upper_ = upper;
  lower_.push_back(static_cast<uint32_t>(number));
}

RowMap RowGatherer::Take() {
  if (!lower_.empty()) {
    Close();
  }
  return std::exchange(rows_, {});
}

void RowGatherer::Close() {
  LowerHalves& entry = rows_[upper_];
  entry.rows = entry.rows.Union(RoaringBitmap::FromValues(lower_));
  lower_.clear();
}

BitmapWriter::BitmapWriter(const IndexKey& key) : keys_(key), bitmaps_(BinaryKey()) {}

Result<BitmapWriter> BitmapWriter::Create(const IndexKey& key, uint64_t count, FileVersion version,
                                          IndexOutput* output) {
  const std::vector<columnar::DataField> columns = {
      {"keys", key.type(), true, {}},
      {"bitmaps", columnar::MakeType(columnar::TypeId::kBinary), true, {}}};
  BitmapWriter out(key);
  PCHRONICLE_ASSIGN_OR_RETURN(
      out.file_, IndexFileWriter::Create(
                     output, "bitmap_page_lookup.lance", columns, version,
                     {{"lance:index_stats", fmt::format("{{\"num_bitmaps\":{}}}", count)}}));
  return out;
}

Status BitmapWriter::Append(const std::string* key, const RowMap& rows) {
  const std::string bitmap = EncodeRowMap(rows);
  if (key == nullptr) {
    keys_.AppendNull();
  } else {
    PCHRONICLE_RETURN_IF_ERROR(keys_.Append(*key));
  }
  PCHRONICLE_RETURN_IF_ERROR(bitmaps_.Append(bitmap));
  bytes_ += bitmap.size() + (key == nullptr ? 0 : key->size());
  return keys_.length() >= kFlushKeys || bytes_ >= kFlushBytes ? Flush() : Status::Ok();
}

Status BitmapWriter::Flush() {
  bytes_ = 0;
  return keys_.length() == 0 ? Status::Ok() : file_->Append({keys_.Finish(), bitmaps_.Finish()});
}

Result<proto::Index::File> BitmapWriter::Finish() {
  PCHRONICLE_RETURN_IF_ERROR(Flush());
  return file_->Finish();
}

Result<std::vector<proto::Index::File>> WriteBitmapIndex(SegmentEntries* entries,
                                                         FileVersion version, IndexOutput* output) {
  // The number of bitmaps stands in front of them: one more reading instead of keeping them.
  uint64_t count = entries->nulls.empty() ? 0 : 1;
  PCHRONICLE_RETURN_IF_ERROR(ForEachValue(
      entries,
      [&](const std::string*) {
        ++count;
        return Status::Ok();
      },
      [](uint64_t) {}));
  PCHRONICLE_ASSIGN_OR_RETURN(BitmapWriter writer,
                              BitmapWriter::Create(entries->key, count, version, output));
  RowGatherer rows;
  PCHRONICLE_RETURN_IF_ERROR(ForEachValue(
      entries, [&](const std::string* key) { return writer.Append(key, rows.Take()); },
      [&](uint64_t number) { rows.Add(number); }));
  if (!entries->nulls.empty()) {
    PCHRONICLE_RETURN_IF_ERROR(writer.Append(nullptr, entries->nulls));
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const proto::Index::File file, writer.Finish());
  return std::vector{file};
}

}  // namespace pchronicle::lance
