#include "pchronicle/lance/file/stored_column.h"

#include "pchronicle/codec/bits.h"
#include "pchronicle/lance/encoding/jsonb.h"

namespace pchronicle::lance {
namespace {

bool IsBlob(FieldNode::Kind kind) {
  return kind == FieldNode::Kind::kBlob1 || kind == FieldNode::Kind::kBlob2;
}

bool IsJsonb(const FieldNode& field) { return field.logical_type == "json"; }

}  // namespace

ValueShape StoredShape(const FieldNode& field) {
  if (IsBlob(field.kind)) {
    return ValueShape::Of(*BlobDescriptorType(field.kind));
  }
  return IsJsonb(field) ? ValueShape::Variable(true) : ValueShape::Of(*field.type);
}

columnar::DataTypePtr ReadType(const FieldNode& field, bool blob_payloads) {
  return IsBlob(field.kind) && !blob_payloads ? BlobDescriptorType(field.kind) : field.type;
}

ColumnFinisher::ColumnFinisher(const FieldNode& field, std::shared_ptr<BlobOpener> opener,
                               ReadState* state)
    : kind_(field.kind),
      jsonb_(IsJsonb(field)),
      empty_struct_(field.kind == FieldNode::Kind::kStruct && field.children.empty()),
      blob_payloads_(state->options.blob_payloads),
      type_(ReadType(field, blob_payloads_)),
      stored_type_(IsBlob(field.kind) ? BlobDescriptorType(field.kind) : type_),
      blobs_(std::move(opener), state) {}

Result<columnar::ArrayPtr> ColumnFinisher::FinishJsonb(ValueBuilder* values,
                                                       columnar::BufferPtr validity, size_t nulls) {
  text_.Reset();
  for (size_t i = 0; i < values->size(); ++i) {
    if (validity != nullptr && !codec::GetBit(validity->data(), i)) {
      text_.AppendEmpty(1);
      continue;
    }
    const std::string_view value = values->View(i);
    json_.clear();
    PCHRONICLE_RETURN_IF_ERROR(
        AppendJsonbText({reinterpret_cast<const uint8_t*>(value.data()), value.size()}, &json_));
    PCHRONICLE_RETURN_IF_ERROR(
        text_.AppendText(reinterpret_cast<const uint8_t*>(json_.data()), json_.size()));
  }
  return text_.Finish(type_, std::move(validity), nulls);
}

Result<columnar::ArrayPtr> ColumnFinisher::Finish(ValueBuilder* values,
                                                  columnar::BufferPtr validity, size_t nulls) {
  if (jsonb_) {
    return FinishJsonb(values, std::move(validity), nulls);
  }
  if (empty_struct_) {
    return values->Finish(type_, nullptr, 0);  // stored as null, read as {}
  }
  columnar::ArrayPtr stored = values->Finish(stored_type_, std::move(validity), nulls);
  return IsBlob(kind_) && blob_payloads_ ? blobs_.Fetch(*stored, kind_, type_)
                                         : Result<columnar::ArrayPtr>(std::move(stored));
}

}  // namespace pchronicle::lance
