#include "pchronicle/lance/index/btree_writer.h"

#include <string>

#include "pchronicle/lance/index/segment_writer.h"
#include "pchronicle/lance/table/row_ids.h"

namespace pchronicle::lance {
namespace {

constexpr uint64_t kPageRows = 4096;
// Pages of the file are one page of the tree each, so that a search reads little; a large tree has
// larger ones, so that their metadata stays small.
constexpr uint64_t kFilePages = 256;
constexpr uint64_t kFlushBytes = 8 << 20;

}  // namespace

BTreeWriter::BTreeWriter(const IndexKey& key, uint64_t entries, FileVersion version,
                         IndexOutput* output)
    : type_(key.type()),
      version_(version),
      output_(output),
      values_(key),
      min_(key),
      max_(key),
      batch_rows_(kPageRows * (1 + entries / kPageRows / kFilePages)) {}

Result<BTreeWriter> BTreeWriter::Create(const IndexKey& key, uint64_t entries, FileVersion version,
                                        IndexOutput* output) {
  if (entries / kPageRows >= UINT32_MAX) {
    return Status::ResourceExhausted("a BTree of {} entries", entries);
  }
  BTreeWriter out(key, entries, version, output);
  const std::vector<columnar::DataField> columns = {
      {"values", key.type(), true, {}},
      {"ids", columnar::MakeType(columnar::TypeId::kUint64), false, {}}};
  PCHRONICLE_ASSIGN_OR_RETURN(
      out.data_, IndexFileWriter::Create(output, "page_data.lance", columns, version, {}));
  return out;
}

Status BTreeWriter::AppendNull(uint64_t number) {
  BeginEntry(nullptr);
  ++nulls_.back();
  values_.AppendNull();
  return EndEntry(0, number);
}

Status BTreeWriter::Append(const IndexEntry& entry) {
  BeginEntry(&entry.key);
  last_.Set(entry.key);
  PCHRONICLE_RETURN_IF_ERROR(values_.Append(entry.key));
  return EndEntry(entry.key.size(), entry.number);
}

Result<std::vector<proto::Index::File>> BTreeWriter::Finish() {
  PCHRONICLE_RETURN_IF_ERROR(EndPage());
  PCHRONICLE_RETURN_IF_ERROR(Flush());
  PCHRONICLE_ASSIGN_OR_RETURN(const proto::Index::File data, data_->Finish());
  const auto u32 = columnar::MakeType(columnar::TypeId::kUint32);
  const std::vector<columnar::DataField> columns = {{"min", type_, true, {}},
                                                    {"max", type_, true, {}},
                                                    {"null_count", u32, false, {}},
                                                    {"page_idx", u32, false, {}}};
  PCHRONICLE_ASSIGN_OR_RETURN(
      const auto lookup, IndexFileWriter::Create(output_, "page_lookup.lance", columns, version_,
                                                 {{"batch_size", std::to_string(kPageRows)},
                                                  {"range_partitioned", "false"}}));
  std::vector<uint32_t> pages(nulls_.size());
  for (size_t i = 0; i < pages.size(); ++i) {
    pages[i] = static_cast<uint32_t>(i);
  }
  if (!pages.empty()) {
    PCHRONICLE_RETURN_IF_ERROR(
        lookup->Append({min_.Finish(), max_.Finish(), MakeNumbers(nulls_), MakeNumbers(pages)}));
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const proto::Index::File looked, lookup->Finish());
  return std::vector{data, looked};
}

void BTreeWriter::BeginEntry(const std::string_view* key) {
  if (in_page_ != 0) {
    return;
  }
  nulls_.push_back(0);
  last_.set = first_.set = false;
  if (key != nullptr) {
    first_.Set(*key);
  }
}

Status BTreeWriter::EndEntry(size_t bytes, uint64_t number) {
  numbers_.push_back(number);
  bytes_ += bytes;
  if (++in_page_ == kPageRows) {
    PCHRONICLE_RETURN_IF_ERROR(EndPage());
  }
  return numbers_.size() >= batch_rows_ || bytes_ >= kFlushBytes ? Flush() : Status::Ok();
}

// A page that starts with nulls has no min, one of nulls only no max.
Status BTreeWriter::EndPage() {
  if (in_page_ == 0) {
    return Status::Ok();
  }
  in_page_ = 0;
  for (const auto& [bound, key] : {std::pair(&min_, &first_), std::pair(&max_, &last_)}) {
    if (!key->set) {
      bound->AppendNull();
    } else {
      PCHRONICLE_RETURN_IF_ERROR(bound->Append(key->key));
    }
  }
  return Status::Ok();
}

Status BTreeWriter::Flush() {
  if (numbers_.empty()) {
    return Status::Ok();
  }
  PCHRONICLE_RETURN_IF_ERROR(data_->Append({values_.Finish(), MakeNumbers(numbers_)}));
  numbers_.clear();
  bytes_ = 0;
  return Status::Ok();
}

Result<std::vector<proto::Index::File>> WriteBTree(SegmentEntries* entries, FileVersion version,
                                                   IndexOutput* output) {
  PCHRONICLE_ASSIGN_OR_RETURN(BTreeWriter writer,
                              BTreeWriter::Create(entries->key, entries->size(), version, output));
  for (const auto& [upper, entry] : entries->nulls) {
    std::vector<uint32_t> lower;
    constexpr uint64_t kStep = 1 << 20;
    for (uint64_t at = 0, left = entry.rows.cardinality(); left != 0; at += kStep) {
      lower.clear();
      entry.rows.AppendIn(at, at + kStep, &lower);
      left -= lower.size();
      for (const uint32_t low : lower) {
        PCHRONICLE_RETURN_IF_ERROR(writer.AppendNull(RowAddress{upper, low}.ToU64()));
      }
    }
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const auto cursor, entries->values.Read());
  IndexEntry entry;
  for (;;) {
    PCHRONICLE_ASSIGN_OR_RETURN(const bool more, cursor->Next(&entry));
    if (!more) {
      return writer.Finish();
    }
    PCHRONICLE_RETURN_IF_ERROR(writer.Append(entry));
  }
}

}  // namespace pchronicle::lance
