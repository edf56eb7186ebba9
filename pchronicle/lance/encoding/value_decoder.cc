#include "pchronicle/lance/encoding/value_decoder.h"

#include <cstring>
#include <utility>

#include "pchronicle/codec/bits.h"
#include "pchronicle/codec/fastlanes.h"
#include "pchronicle/codec/fsst.h"
#include "pchronicle/codec/runs.h"
#include "pchronicle/lance/encoding/block_decoder.h"

namespace pchronicle::lance {
namespace {

using proto::CompressiveEncoding;
using Encoding = CompressiveEncoding;
using Kind = ValueShape::Kind;
using DecoderPtr = std::unique_ptr<ValueDecoder>;

Result<Bytes> TakeBuffer(std::span<const Bytes>* buffers) {
  if (buffers->empty()) {
    return Status::Corruption("a chunk has fewer buffers than its encoding needs");
  }
  const Bytes buffer = buffers->front();
  *buffers = buffers->subspan(1);
  return buffer;
}

Status TooShort(std::string_view what, size_t bytes, size_t count) {
  return Status::Corruption("{} of {} bytes for {} values", what, bytes, count);
}

/// Values one behind the other.
class FlatDecoder : public ValueDecoder {
 public:
  explicit FlatDecoder(uint64_t width) : width_(width) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    if (width_ != 0 && bytes_.size() / width_ < count) {
      return TooShort("flat buffer", bytes_.size(), count);
    }
    return Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    out->AppendPlain(bytes_.data() + from * width_, count, width_);
    return Status::Ok();
  }

 private:
  size_t width_;
  Bytes bytes_;
};

class BitDecoder : public ValueDecoder {
 public:
  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    return bytes_.size() < codec::BitmapBytes(count) ? TooShort("bit buffer", bytes_.size(), count)
                                                     : Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    out->AppendBits(bytes_.data(), from, count);
    return Status::Ok();
  }

 private:
  Bytes bytes_;
};

/// A word with the width, then one FastLanes block.
template <typename T>
class InlineBitpackDecoder : public ValueDecoder {
 public:
  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    unpacked_ = false;
    return CheckInlineBitpacking(bytes_, sizeof(T), count);
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    const unsigned width = static_cast<unsigned>(LoadLe<T>(bytes_.data()));
    const uint8_t* packed = bytes_.data() + sizeof(T);
    if (from == 0 && out->shape().kind == Kind::kFixed) {
      auto* to = reinterpret_cast<T*>(out->ReserveFixed(codec::kFastLanesBlock));
      codec::FastLanesUnpack(width, packed, to);
      out->AdvanceFixed(count);
      return Status::Ok();
    }
    if (!unpacked_) {
      codec::FastLanesUnpack(width, packed, block_);
      unpacked_ = true;
    }
    out->AppendPlain(reinterpret_cast<const uint8_t*>(block_ + from), count, sizeof(T));
    return Status::Ok();
  }

 private:
  Bytes bytes_;
  bool unpacked_ = false;
  T block_[codec::kFastLanesBlock];
};

/// Offsets from the start of the buffer, then the texts.
template <typename Offset>
class VariableDecoder : public ValueDecoder {
 public:
  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    return bytes_.size() / sizeof(Offset) < count + 1
               ? TooShort("offsets in a buffer", bytes_.size(), count)
               : Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    PCHRONICLE_RETURN_IF_ERROR(Check(from, count));
    const uint64_t start = Start(from);
    return out->AppendTexts<Offset>(bytes_.data() + start,
                                    bytes_.data() + (from + 1) * sizeof(Offset), count, start);
  }
  /// Ascending offsets within the buffer.
  Status Check(size_t from, size_t count) const {
    bool ascending = true;
    uint64_t last = Start(from);
    for (size_t i = from + 1; i <= from + count; ++i) {
      const uint64_t next = Start(i);
      ascending &= last <= next;
      last = next;
    }
    return ascending && last <= bytes_.size()
               ? Status::Ok()
               : Status::Corruption("text offsets that do not ascend within {} bytes",
                                    bytes_.size());
  }
  uint64_t Start(size_t i) const { return LoadLe<Offset>(bytes_.data() + i * sizeof(Offset)); }
  Bytes Value(size_t i) const {
    return bytes_.subspan(static_cast<size_t>(Start(i)),
                          static_cast<size_t>(Start(i + 1) - Start(i)));
  }

 private:
  Bytes bytes_;
};

template <typename Offset>
class FsstDecoder : public ValueDecoder {
 public:
  explicit FsstDecoder(codec::FsstTable table) : table_(table) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    return texts_.Load(buffers, count);
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    if (!table_.coding()) {
      return texts_.Append(from, count, out);
    }
    PCHRONICLE_RETURN_IF_ERROR(texts_.Check(from, count));
    PCHRONICLE_ASSIGN_OR_RETURN(
        const bool good,
        out->AppendDecoded(
            count,
            [&](size_t i) { return codec::FsstTable::MaxDecoded(texts_.Value(from + i).size()); },
            [&](size_t i, uint8_t* to) { return table_.Decode(texts_.Value(from + i), to); }));
    return good ? Status::Ok() : Status::Corruption("fsst: a code without a symbol");
  }

 private:
  codec::FsstTable table_;
  VariableDecoder<Offset> texts_;
};

class RleDecoder : public ValueDecoder {
 public:
  explicit RleDecoder(size_t width) : width_(width) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(values_, TakeBuffer(buffers));
    PCHRONICLE_ASSIGN_OR_RETURN(lengths_, TakeBuffer(buffers));
    expanded_ = false;
    count_ = count;
    // The value buffer decides: behind the lengths there may be filler.
    const size_t runs = values_.size() / width_;
    if (lengths_.size() < runs || runs > count || runs * 255 < count) {
      return TooShort("run lengths", lengths_.size(), count);
    }
    lengths_ = lengths_.subspan(0, runs);
    return Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    const bool plain = out->shape().kind == Kind::kFixed;
    if (plain && from == 0 && count == count_) {
      PCHRONICLE_RETURN_IF_ERROR(Expand(out->ReserveFixed(count)));
      out->AdvanceFixed(count);
      return Status::Ok();
    }
    if (!expanded_) {
      scratch_.Resize(count_ * width_);
      PCHRONICLE_RETURN_IF_ERROR(Expand(scratch_.data()));
      expanded_ = true;
    }
    out->AppendPlain(scratch_.data() + from * width_, count, width_);
    return Status::Ok();
  }

 private:
  Status Expand(uint8_t* out) const {
    return codec::ExpandRuns(values_, width_, lengths_, count_, out)
               ? Status::Ok()
               : Status::Corruption("run lengths that do not add up to {} values", count_);
  }

  size_t width_, count_ = 0;
  Bytes values_, lengths_;
  bool expanded_ = false;
  columnar::Buffer scratch_;
};

class ByteStreamSplitDecoder : public ValueDecoder {
 public:
  explicit ByteStreamSplitDecoder(size_t width) : width_(width) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    count_ = count;
    return bytes_.size() / width_ < count ? TooShort("byte streams", bytes_.size(), count)
                                          : Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    codec::JoinByteStreams(bytes_.data(), count_, width_, from, count, out->ReserveFixed(count));
    out->AdvanceFixed(count);
    return Status::Ok();
  }

 private:
  size_t width_, count_ = 0;
  Bytes bytes_;
};

class FixedSizeListDecoder : public ValueDecoder {
 public:
  FixedSizeListDecoder(size_t items, bool has_validity, DecoderPtr values)
      : items_(items), has_validity_(has_validity), values_(std::move(values)) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    if (items_ != 0 && count > SIZE_MAX / items_) {
      return Status::Corruption("{} lists of {} items", count, items_);
    }
    if (has_validity_) {
      PCHRONICLE_ASSIGN_OR_RETURN(validity_, TakeBuffer(buffers));
      if (validity_.size() < codec::BitmapBytes(count * items_)) {
        return TooShort("list validity", validity_.size(), count * items_);
      }
    }
    return values_->Load(buffers, count * items_);
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    ValueBuilder& child = out->child(0);
    if (has_validity_) {
      child.validity().AppendBits(validity_.data(), from * items_, count * items_);
    } else {
      child.validity().AppendValid(count * items_);
    }
    PCHRONICLE_RETURN_IF_ERROR(values_->Append(from * items_, count * items_, &child));
    out->AdvanceNested(count);
    return Status::Ok();
  }

 private:
  size_t items_;
  bool has_validity_;
  DecoderPtr values_;
  Bytes validity_;
};

/// Rows of members with fixed widths.
class PackedStructDecoder : public ValueDecoder {
 public:
  explicit PackedStructDecoder(std::vector<size_t> widths) : widths_(std::move(widths)) {
    for (const size_t width : widths_) {
      row_ += width;
    }
  }

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    return row_ != 0 && bytes_.size() / row_ < count ? TooShort("packed rows", bytes_.size(), count)
                                                     : Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    const uint8_t* at = bytes_.data() + from * row_;
    for (size_t i = 0; i < widths_.size(); ++i) {
      out->child(i).AppendPlain(at, count, row_);
      out->child(i).validity().AppendValid(count);
      at += widths_[i];
    }
    out->AdvanceNested(count);
    return Status::Ok();
  }

 private:
  std::vector<size_t> widths_;
  size_t row_ = 0;
  Bytes bytes_;
};

/// The same value for every slot, or nothing where every slot is null.
class ConstantDecoder : public ValueDecoder {
 public:
  explicit ConstantDecoder(std::optional<std::string> value) : value_(std::move(value)) {}

  Status Load(std::span<const Bytes>*, size_t) override { return Status::Ok(); }
  Status Append(size_t, size_t count, ValueBuilder* out) override {
    if (!value_) {
      out->AppendEmpty(count);
      return Status::Ok();
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(value_->data());
    if (out->shape().kind != Kind::kVariable) {
      out->AppendPlain(bytes, count, 0);
      return Status::Ok();
    }
    for (size_t i = 0; i < count; ++i) {
      PCHRONICLE_RETURN_IF_ERROR(out->AppendText(bytes, value_->size()));
    }
    return Status::Ok();
  }

 private:
  std::optional<std::string> value_;
};

/// The first buffer is compressed as a whole.
class GeneralDecoder : public ValueDecoder {
 public:
  GeneralDecoder(uint32_t scheme, DecoderPtr values, DecodeContext* context)
      : scheme_(scheme), values_(std::move(values)), context_(context) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes packed, TakeBuffer(buffers));
    inner_.clear();
    PCHRONICLE_ASSIGN_OR_RETURN(inner_.emplace_back(), context_->Unpack(scheme_, packed, &plain_));
    inner_.insert(inner_.end(), buffers->begin(), buffers->end());
    std::span<const Bytes> left(inner_);
    PCHRONICLE_RETURN_IF_ERROR(values_->Load(&left, count));
    if (left.size() > buffers->size()) {
      return Status::Corruption("a compressed buffer that its encoding does not use");
    }
    *buffers = buffers->subspan(buffers->size() - left.size());
    return Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    return values_->Append(from, count, out);
  }

 private:
  uint32_t scheme_;
  DecoderPtr values_;
  DecodeContext* context_;
  columnar::Buffer plain_;
  std::vector<Bytes> inner_;
};

class DictionaryDecoder : public ValueDecoder {
 public:
  DictionaryDecoder(DecoderPtr indices, uint32_t width, std::shared_ptr<const ItemTable> items)
      : indices_(std::move(indices)),
        numbers_(ValueShape::Fixed(width)),
        items_(std::move(items)) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    return indices_->Load(buffers, count);
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    numbers_.Reset();
    PCHRONICLE_RETURN_IF_ERROR(indices_->Append(from, count, &numbers_));
    switch (numbers_.shape().width) {
      case 1:
        return items_->Gather<uint8_t>(Numbers(), count, out);
      case 2:
        return items_->Gather<uint16_t>(Numbers(), count, out);
      case 4:
        return items_->Gather<uint32_t>(Numbers(), count, out);
      default:
        return items_->Gather<uint64_t>(Numbers(), count, out);
    }
  }

 private:
  const uint8_t* Numbers() const {
    return reinterpret_cast<const uint8_t*>(numbers_.View(0).data());
  }

  DecoderPtr indices_;
  ValueBuilder numbers_;
  std::shared_ptr<const ItemTable> items_;
};

template <template <typename> typename Decoder, typename... Args>
Result<DecoderPtr> MakeForOffsets(const Encoding& variable, const ValueShape& shape,
                                  Args&&... args) {
  if (variable.children.size() != 1 || variable.children[0].kind != Encoding::Kind::kFlat ||
      variable.buffer_compressed) {
    return Status::Unsupported("{}", variable.ToString());
  }
  if (shape.kind != Kind::kVariable) {
    return Status::Corruption("texts where the schema has {}", shape.ToString());
  }
  switch (variable.children[0].bits) {
    case 32:
      return DecoderPtr(std::make_unique<Decoder<uint32_t>>(std::forward<Args>(args)...));
    case 64:
      return DecoderPtr(std::make_unique<Decoder<uint64_t>>(std::forward<Args>(args)...));
    default:
      return Status::Unsupported("{}", variable.ToString());
  }
}

Status CheckWidth(uint64_t bits, const ValueShape& shape) {
  if (bits % 8 != 0 || shape.kind == Kind::kVariable || shape.kind == Kind::kStruct ||
      shape.kind == Kind::kNull || bits / 8 != shape.PlainBytes()) {
    return Status::Corruption("values of {} bits where the schema has {}", bits, shape.ToString());
  }
  return Status::Ok();
}

Result<DecoderPtr> MakeFlat(const Encoding& flat, const ValueShape& shape) {
  if (flat.buffer_compressed) {
    return Status::Unsupported("{} with buffer compression", flat.ToString());
  }
  if (flat.bits == 1 && shape.kind == Kind::kBits) {
    return DecoderPtr(std::make_unique<BitDecoder>());
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckWidth(flat.bits, shape));
  return DecoderPtr(std::make_unique<FlatDecoder>(flat.bits / 8));
}

Result<DecoderPtr> MakeInline(const Encoding& encoding, const ValueShape& shape) {
  if (encoding.buffer_compressed) {
    return Status::Unsupported("{} with buffer compression", encoding.ToString());
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckWidth(encoding.bits, shape));
  switch (encoding.bits) {
    case 8:
      return DecoderPtr(std::make_unique<InlineBitpackDecoder<uint8_t>>());
    case 16:
      return DecoderPtr(std::make_unique<InlineBitpackDecoder<uint16_t>>());
    case 32:
      return DecoderPtr(std::make_unique<InlineBitpackDecoder<uint32_t>>());
    case 64:
      return DecoderPtr(std::make_unique<InlineBitpackDecoder<uint64_t>>());
    default:
      return Status::Unsupported("{}", encoding.ToString());
  }
}

Result<DecoderPtr> MakeRle(const Encoding& rle, const ValueShape& shape) {
  const Encoding &values = rle.children[0], &lengths = rle.children[1];
  if (values.kind != Encoding::Kind::kFlat || lengths.kind != Encoding::Kind::kFlat ||
      lengths.bits != 8 || values.buffer_compressed || lengths.buffer_compressed) {
    return Status::Unsupported("{}", rle.ToString());
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckWidth(values.bits, shape));
  if (values.bits != 8 && values.bits != 16 && values.bits != 32 && values.bits != 64) {
    return Status::Unsupported("{}", rle.ToString());
  }
  return DecoderPtr(std::make_unique<RleDecoder>(values.bits / 8));
}

Result<DecoderPtr> MakeByteStreamSplit(const Encoding& split, const ValueShape& shape) {
  if (split.children.size() != 1 || split.children[0].kind != Encoding::Kind::kFlat ||
      shape.kind != Kind::kFixed || split.children[0].bits == 0) {
    return Status::Unsupported("{} for {}", split.ToString(), shape.ToString());
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckWidth(split.children[0].bits, shape));
  return DecoderPtr(std::make_unique<ByteStreamSplitDecoder>(split.children[0].bits / 8));
}

Result<DecoderPtr> MakeFixedSizeList(const Encoding& list, const ValueShape& shape,
                                     DecodeContext* context) {
  if (shape.kind != Kind::kFixedSizeList || list.items != shape.width ||
      list.children.size() != 1) {
    return Status::Corruption("{} where the schema has {}", list.ToString(), shape.ToString());
  }
  PCHRONICLE_ASSIGN_OR_RETURN(DecoderPtr values,
                              MakeValueDecoder(list.children[0], shape.children[0], context));
  return DecoderPtr(std::make_unique<FixedSizeListDecoder>(static_cast<size_t>(list.items),
                                                           list.has_validity, std::move(values)));
}

Result<DecoderPtr> MakePackedStruct(const Encoding& packed, const ValueShape& shape) {
  if (shape.kind != Kind::kStruct || packed.field_bits.size() != shape.children.size()) {
    return Status::Corruption("{} where the schema has {}", packed.ToString(), shape.ToString());
  }
  std::vector<size_t> widths;
  for (size_t i = 0; i < packed.field_bits.size(); ++i) {
    PCHRONICLE_RETURN_IF_ERROR(CheckWidth(packed.field_bits[i], shape.children[i]));
    widths.push_back(packed.field_bits[i] / 8);
  }
  return DecoderPtr(std::make_unique<PackedStructDecoder>(std::move(widths)));
}

Result<DecoderPtr> MakeConstant(const Encoding& constant, const ValueShape& shape) {
  if (!constant.value) {
    return DecoderPtr(std::make_unique<ConstantDecoder>(std::nullopt));
  }
  if (shape.kind != Kind::kVariable) {
    PCHRONICLE_RETURN_IF_ERROR(CheckWidth(uint64_t{constant.value->size()} * 8, shape));
  }
  return DecoderPtr(std::make_unique<ConstantDecoder>(std::string(*constant.value)));
}

/// Bits of the unsigned numbers that an encoding of dictionary indices gives; 0 when unknown.
uint64_t IndexBits(const Encoding& encoding) {
  switch (encoding.kind) {
    case Encoding::Kind::kFlat:
    case Encoding::Kind::kInlineBitpacking:
      return encoding.bits;
    case Encoding::Kind::kRle:
    case Encoding::Kind::kByteStreamSplit:
    case Encoding::Kind::kGeneral:
      return encoding.children.empty() ? 0 : IndexBits(encoding.children[0]);
    default:
      return 0;
  }
}

}  // namespace

Result<DecoderPtr> MakeValueDecoder(const Encoding& encoding, const ValueShape& shape,
                                    DecodeContext* context) {
  switch (encoding.kind) {
    case Encoding::Kind::kFlat:
      return MakeFlat(encoding, shape);
    case Encoding::Kind::kInlineBitpacking:
      return MakeInline(encoding, shape);
    case Encoding::Kind::kVariable:
      return MakeForOffsets<VariableDecoder>(encoding, shape);
    case Encoding::Kind::kFsst: {
      if (encoding.children.size() != 1 || encoding.children[0].kind != Encoding::Kind::kVariable) {
        return Status::Unsupported("{}", encoding.ToString());
      }
      const auto* table = reinterpret_cast<const uint8_t*>(encoding.symbol_table.data());
      PCHRONICLE_ASSIGN_OR_RETURN(
          const codec::FsstTable symbols,
          codec::FsstTable::FromLance({table, encoding.symbol_table.size()}));
      return MakeForOffsets<FsstDecoder>(encoding.children[0], shape, symbols);
    }
    case Encoding::Kind::kRle:
      return MakeRle(encoding, shape);
    case Encoding::Kind::kByteStreamSplit:
      return MakeByteStreamSplit(encoding, shape);
    case Encoding::Kind::kFixedSizeList:
      return MakeFixedSizeList(encoding, shape, context);
    case Encoding::Kind::kPackedStruct:
      return MakePackedStruct(encoding, shape);
    case Encoding::Kind::kConstant:
      return MakeConstant(encoding, shape);
    case Encoding::Kind::kGeneral: {
      if (encoding.children.size() != 1) {
        return Status::Corruption("general compression of nothing");
      }
      PCHRONICLE_ASSIGN_OR_RETURN(DecoderPtr values,
                                  MakeValueDecoder(encoding.children[0], shape, context));
      return DecoderPtr(
          std::make_unique<GeneralDecoder>(encoding.scheme, std::move(values), context));
    }
    default:
      return Status::Unsupported("{} in a mini-block page", encoding.ToString());
  }
}

Result<DecoderPtr> MakeDictionaryDecoder(const Encoding& indices,
                                         std::shared_ptr<const ItemTable> items,
                                         DecodeContext* context) {
  const uint64_t bits = IndexBits(indices);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
    return Status::Unsupported("dictionary indices as {}", indices.ToString());
  }
  const auto width = static_cast<uint32_t>(bits / 8);
  PCHRONICLE_ASSIGN_OR_RETURN(DecoderPtr numbers,
                              MakeValueDecoder(indices, ValueShape::Fixed(width), context));
  return DecoderPtr(
      std::make_unique<DictionaryDecoder>(std::move(numbers), width, std::move(items)));
}

}  // namespace pchronicle::lance
