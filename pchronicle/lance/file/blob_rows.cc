#include "pchronicle/lance/file/blob_rows.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "pchronicle/lance/encoding/compressive.h"
#include "pchronicle/lance/file/full_zip_writer.h"
#include "pchronicle/lance/file/mini_block_writer.h"
#include "pchronicle/lance/file/page_layout_writer.h"

namespace pchronicle::lance {
namespace {

using Kind = proto::CompressiveEncoding::Kind;

constexpr uint8_t kInline = 0, kPacked = 1, kDedicated = 2;
constexpr uint64_t kInlineBytes = 64 << 10, kDedicatedBytes = 4 << 20, kPackBytes = 1 << 30;
/// About what a row takes in a page.
constexpr uint64_t kDescriptorBytes = 32;

/// A number from the field's metadata, `otherwise` when there is none that can be read.
uint64_t Threshold(const FieldNode& field, std::string_view name, uint64_t otherwise) {
  const auto found = field.metadata.find("lance-encoding:blob-" + std::string(name));
  if (found == field.metadata.end()) {
    return otherwise;
  }
  const std::string& text = found->second;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

class PayloadItem : public FileItem {
 public:
  PayloadItem(columnar::ArrayPtr payloads, BlobRows* rows)
      : payloads_(std::move(payloads)), rows_(rows) {}
  Status Prepare(PageEncoder*) override { return Status::Ok(); }
  Status Write(FileSink* sink) override { return rows_->WritePayloads(*payloads_, sink); }

 private:
  columnar::ArrayPtr payloads_;
  BlobRows* rows_;
};

/// Only when it is written, the positions of the payloads are known.
class DescriptorItem : public FileItem {
 public:
  explicit DescriptorItem(BlobRows* rows) : rows_(rows) {}
  Status Prepare(PageEncoder*) override { return Status::Ok(); }
  Status Write(FileSink* sink) override { return rows_->WritePage(sink); }

 private:
  BlobRows* rows_;
};

template <typename T>
void Put(T value, columnar::Buffer* out) {
  out->Append(&value, sizeof(value));
}

proto::CompressiveEncoding DescriptorEncoding() {
  proto::CompressiveEncoding encoding;
  encoding.kind = Kind::kVariablePackedStruct;
  for (const uint64_t bits : {8U, 64U, 64U, 32U}) {
    encoding.children.push_back(FlatEncoding(bits));
    encoding.fields.push_back({bits, 0});
  }
  encoding.children.push_back(VariableEncoding(32));
  encoding.fields.push_back({0, 32});
  return encoding;
}

/// Position and size of each payload as one value.
class PlaceEncoder : public ChunkEncoder {
 public:
  explicit PlaceEncoder(std::vector<uint64_t> places) : places_(std::move(places)) {
    encoding_ = WrapEncoding(Kind::kPackedStruct, FlatEncoding(128));
    encoding_.field_bits = {64, 64};
  }
  std::optional<std::vector<ChunkCut>> Cut(const ChunkCutter& cutter) const override {
    return cutter.Cut(kChunkBytes / (2 * sizeof(uint64_t)), [](size_t, size_t) { return true; });
  }
  Status Encode(size_t from, size_t count, std::vector<columnar::Buffer>* out) override {
    (*out)[0].Clear();
    (*out)[0].Append(places_.data() + 2 * from, count * 2 * sizeof(uint64_t));
    return Status::Ok();
  }

 private:
  std::vector<uint64_t> places_;
};

}  // namespace

Result<BlobSidecars::Place> BlobSidecars::Dedicated(std::string_view payload) {
  const Place place = {++last_id_, 0};
  PCHRONICLE_RETURN_IF_ERROR(append_(place.id, payload, /*last=*/true));
  return place;
}

Result<BlobSidecars::Place> BlobSidecars::Packed(std::string_view payload, uint64_t most) {
  if (pack_.id == 0 || payload.size() > most - std::min(most, pack_.position)) {
    pack_ = {++last_id_, 0};
  }
  const Place place = pack_;
  PCHRONICLE_RETURN_IF_ERROR(append_(place.id, payload, /*last=*/false));
  pack_.position += payload.size();
  return place;
}

BlobRows::BlobRows(const WrittenColumn& column, uint64_t page_bytes, EncoderOptions options,
                   ColumnPages* pages, BlobSidecars* sidecars)
    : version_2_(column.node->kind == FieldNode::Kind::kBlob2),
      options_(options),
      inline_bytes_(Threshold(*column.node, "inline-size-threshold", kInlineBytes)),
      dedicated_bytes_(Threshold(*column.node, "dedicated-size-threshold", kDedicatedBytes)),
      pack_bytes_(Threshold(*column.node, "pack-file-size-threshold", kPackBytes)),
      page_rows_(std::max<uint64_t>(page_bytes / kDescriptorBytes, 1)),
      pages_(pages),
      sidecars_(sidecars) {}

Status BlobRows::Append(const columnar::ArrayPtr& payloads, ItemQueue* queue) {
  if (payloads->length == 0) {
    return Status::Ok();
  }
  rows_ += static_cast<uint64_t>(payloads->length);
  PCHRONICLE_RETURN_IF_ERROR(queue->Add(std::make_unique<PayloadItem>(payloads, this), 0));
  return rows_ >= page_rows_ ? Flush(queue) : Status::Ok();
}

Status BlobRows::Flush(ItemQueue* queue) {
  return std::exchange(rows_, 0) == 0 ? Status::Ok()
                                      : queue->Add(std::make_unique<DescriptorItem>(this), 0);
}

Result<BlobRows::Descriptor> BlobRows::WritePayload(std::string_view payload, FileSink* sink) {
  Descriptor descriptor;
  descriptor.size = payload.size();
  if (payload.empty()) {
    return descriptor;
  }
  if (!version_2_ || !sidecars_->available() || payload.size() <= inline_bytes_) {
    PCHRONICLE_RETURN_IF_ERROR(sink->Align());
    descriptor.kind = kInline;
    descriptor.position = sink->at();
    PCHRONICLE_RETURN_IF_ERROR(sink->Put(payload));
    return descriptor;
  }
  const bool dedicated = payload.size() > dedicated_bytes_;
  PCHRONICLE_ASSIGN_OR_RETURN(
      const BlobSidecars::Place place,
      dedicated ? sidecars_->Dedicated(payload) : sidecars_->Packed(payload, pack_bytes_));
  descriptor.kind = dedicated ? kDedicated : kPacked;
  descriptor.blob_id = place.id;
  descriptor.position = place.position;
  return descriptor;
}

Status BlobRows::WritePayloads(const columnar::Array& payloads, FileSink* sink) {
  for (int64_t i = 0; i < payloads.length; ++i) {
    Descriptor descriptor;
    descriptor.null = payloads.IsNull(i);
    if (!descriptor.null) {
      PCHRONICLE_ASSIGN_OR_RETURN(descriptor, WritePayload(payloads.Bytes(i), sink));
    }
    descriptors_.push_back(descriptor);
  }
  return Status::Ok();
}

Status BlobRows::WritePage(FileSink* sink) {
  LeafLevels levels;
  levels.rows = levels.entries = levels.slots = descriptors_.size();
  for (const Descriptor& descriptor : descriptors_) {
    levels.def.push_back(descriptor.null ? 1 : 0);
    levels.max_def = descriptor.null ? 1 : levels.max_def;
  }
  levels.visible = levels.max_def;
  const bool nullable = levels.max_def != 0;
  levels.layers = {static_cast<uint32_t>(nullable ? proto::RepDefLayer::kNullableItem
                                                  : proto::RepDefLayer::kAllValidItem)};
  if (!nullable) {
    levels.def.clear();
  }
  if (version_2_) {
    PCHRONICLE_RETURN_IF_ERROR(pages_->Write(PageOfVersion2(levels), sink));
  } else {
    PCHRONICLE_ASSIGN_OR_RETURN(const EncodedPage page, PageOfVersion1(std::move(levels)));
    PCHRONICLE_RETURN_IF_ERROR(pages_->Write(page, sink));
  }
  descriptors_.clear();
  return Status::Ok();
}

EncodedPage BlobRows::PageOfVersion2(const LeafLevels& levels) const {
  return WriteFullZipPacked(levels, DescriptorEncoding(), [&](size_t slot, columnar::Buffer* out) {
    const Descriptor& descriptor = descriptors_[slot];
    Put(descriptor.kind, out);
    Put(descriptor.position, out);
    Put(descriptor.size, out);
    Put(descriptor.blob_id, out);
    Put(uint32_t{0}, out);  // no URI
  });
}

/// A null has the size 0 and its level in the place of the position (lance.md E1).
Result<EncodedPage> BlobRows::PageOfVersion1(LeafLevels levels) const {
  std::vector<uint64_t> places;
  for (const Descriptor& descriptor : descriptors_) {
    places.push_back(descriptor.null ? uint64_t{1} << 16 : descriptor.position);
    places.push_back(descriptor.null ? 0 : descriptor.size);
  }
  const LeafLevels outer = levels;
  levels.def.clear();
  levels.max_def = levels.visible = 0;
  levels.layers = {static_cast<uint32_t>(proto::RepDefLayer::kAllValidItem)};
  PlaceEncoder encoder(std::move(places));
  PCHRONICLE_ASSIGN_OR_RETURN(std::optional<EncodedPage> page,
                              WriteMiniBlock(levels, &encoder, nullptr, options_));
  if (!page) {
    return Status::Internal("blob positions that fill no page");
  }
  proto::WireWriter blob, layout;
  blob.Bytes(1, page->layout);
  WriteLayers(2, outer, &blob);
  layout.Message(4, blob);
  page->layout = layout.Take();
  return *std::move(page);
}

std::vector<proto::Field> DescriptorFields(const proto::Field& field) {
  std::vector<proto::Field> fields = {field};
  fields[0].metadata.erase("ARROW:extension:name");
  fields[0].metadata.erase("ARROW:extension:metadata");
  fields[0].metadata["lance-encoding:blob"] = "true";
  fields[0].metadata["lance-encoding:packed"] = "true";
  constexpr std::pair<const char*, const char*> kMembers[] = {{"kind", "uint8"},
                                                              {"position", "uint64"},
                                                              {"size", "uint64"},
                                                              {"blob_id", "uint32"},
                                                              {"blob_uri", "string"}};
  for (const auto& [name, type] : kMembers) {
    proto::Field& member = fields.emplace_back();
    member.id = -1;
    member.parent_id = field.id;
    member.name = name;
    member.logical_type = type;
  }
  return fields;
}

}  // namespace pchronicle::lance
