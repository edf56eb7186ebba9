#include "pchronicle/lance/file/array_decoder.h"

#include <cstring>
#include <utility>

#include "pchronicle/codec/bits.h"
#include "pchronicle/codec/fastlanes.h"
#include "pchronicle/codec/fsst.h"
#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {
namespace {

using Encoding = proto::ArrayEncoding;
using Kind = ValueShape::Kind;
using DecoderPtr = std::unique_ptr<ArrayDecoder>;

/// A buffer of the page, unpacked when it is compressed.
class BufferView {
 public:
  static Result<BufferView> Make(const Encoding& encoding, PageSource* source,
                                 DecodeContext* context) {
    BufferView view;
    if (encoding.buffer_type != 0) {
      return Status::Unsupported("buffer of type {}", encoding.buffer_type);
    }
    if (encoding.buffer >= source->buffers()) {
      return Status::Corruption("buffer {} of {}", encoding.buffer, source->buffers());
    }
    view.source_ = source;
    view.index_ = encoding.buffer;
    view.size_ = source->size(encoding.buffer);
    if (!encoding.compression.empty() && encoding.compression != "none") {
      if (encoding.compression != "zstd") {
        return Status::Unsupported("compression '{}'", encoding.compression);
      }
      PCHRONICLE_ASSIGN_OR_RETURN(const Bytes packed, source->Whole(encoding.buffer));
      PCHRONICLE_ASSIGN_OR_RETURN(
          const Bytes plain, context->Unpack(static_cast<uint32_t>(proto::CompressionScheme::kZstd),
                                             packed, &view.plain_));
      view.size_ = plain.size();
      view.unpacked_ = true;
    }
    return view;
  }
  uint64_t size() const { return size_; }
  Result<Bytes> Slice(uint64_t offset, uint64_t size) {
    if (offset > size_ || size > size_ - offset) {
      return Status::Corruption("bytes {}+{} of a buffer of {}", offset, size, size_);
    }
    return unpacked_ ? Bytes(plain_.data() + offset, static_cast<size_t>(size))
                     : source_->Slice(index_, offset, size, 0);
  }

 private:
  PageSource* source_ = nullptr;
  size_t index_ = 0;
  uint64_t size_ = 0;
  bool unpacked_ = false;
  columnar::Buffer plain_;
};

Result<uint64_t> Multiply(uint64_t a, uint64_t b) {
  if (b != 0 && a > UINT64_MAX / 8 / b) {
    return Status::Corruption("{} values of {} bytes", a, b);
  }
  return a * b;
}

class FlatArray : public ArrayDecoder {
 public:
  FlatArray(BufferView buffer, uint64_t width) : buffer_(std::move(buffer)), width_(width) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t end, Multiply(to, width_));
    const uint64_t begin = from * width_;
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, buffer_.Slice(begin, end - begin));
    values->AppendPlain(bytes.data(), static_cast<size_t>(to - from), static_cast<size_t>(width_));
    validity->AppendValid(static_cast<size_t>(to - from));
    return Status::Ok();
  }

 private:
  BufferView buffer_;
  uint64_t width_;
};

class BitArray : public ArrayDecoder {
 public:
  explicit BitArray(BufferView buffer) : buffer_(std::move(buffer)) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, Bits(from, to));
    values->AppendBits(bytes.data(), from % 8, static_cast<size_t>(to - from));
    validity->AppendValid(static_cast<size_t>(to - from));
    return Status::Ok();
  }
  /// The bytes that hold bits [from, to); the first is bit from % 8.
  Result<Bytes> Bits(uint64_t from, uint64_t to) {
    const uint64_t begin = from / 8, end = to / 8 + (to % 8 != 0 ? 1 : 0);
    return buffer_.Slice(begin, end - begin);
  }

 private:
  BufferView buffer_;
};

class NullableArray : public ArrayDecoder {
 public:
  NullableArray(std::unique_ptr<BitArray> bits, DecoderPtr values)
      : bits_(std::move(bits)), values_(std::move(values)) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    ignored_.Reset();
    PCHRONICLE_RETURN_IF_ERROR(values_->Append(from, to, values, &ignored_));
    if (ignored_.nulls() != 0) {
      return Status::Unsupported("nulls told twice");
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, bits_->Bits(from, to));
    validity->AppendBits(bytes.data(), from % 8, static_cast<size_t>(to - from));
    return Status::Ok();
  }

 private:
  std::unique_ptr<BitArray> bits_;
  DecoderPtr values_;
  ValidityBuilder ignored_;
};

class AllNullArray : public ArrayDecoder {
 public:
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    values->AppendEmpty(static_cast<size_t>(to - from));
    validity->AppendNull(static_cast<size_t>(to - from));
    return Status::Ok();
  }
};

class ListArray : public ArrayDecoder {
 public:
  ListArray(uint64_t width, DecoderPtr items) : width_(width), items_(std::move(items)) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t end, Multiply(to, width_));
    ValueBuilder& child = values->child(0);
    PCHRONICLE_RETURN_IF_ERROR(items_->Append(from * width_, end, &child, &child.validity()));
    values->AdvanceNested(static_cast<size_t>(to - from));
    validity->AppendValid(static_cast<size_t>(to - from));
    return Status::Ok();
  }

 private:
  uint64_t width_;
  DecoderPtr items_;
};

class BinaryArray : public ArrayDecoder {
 public:
  BinaryArray(DecoderPtr ends, uint32_t end_width, BufferView bytes, uint64_t null_adjustment)
      : ends_(std::move(ends)),
        end_width_(end_width),
        bytes_(std::move(bytes)),
        null_adjustment_(null_adjustment) {}

  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    if (from == to) {
      return Status::Ok();
    }
    numbers_.clear();
    PCHRONICLE_RETURN_IF_ERROR(
        ReadNumbers(ends_.get(), end_width_, from == 0 ? 0 : from - 1, to, &numbers_));
    std::vector<uint16_t>& nulls = nulls_;
    nulls.clear();
    const size_t skip = from == 0 ? 0 : 1;
    for (size_t i = 0; i < numbers_.size(); ++i) {
      const bool null = null_adjustment_ != 0 && numbers_[i] >= null_adjustment_;
      numbers_[i] -= null ? null_adjustment_ : 0;
      if (i > 0 && numbers_[i] < numbers_[i - 1]) {
        return Status::Corruption("text ends that do not ascend at row {}", from + i);
      }
      if (i >= skip) {
        nulls.push_back(null ? 1 : 0);
      }
    }
    const uint64_t start = skip == 0 ? 0 : numbers_[0];
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, bytes_.Slice(start, numbers_.back() - start));
    const auto* ends = reinterpret_cast<const uint8_t*>(numbers_.data() + skip);
    PCHRONICLE_RETURN_IF_ERROR(
        values->AppendTexts<uint64_t>(bytes.data(), ends, numbers_.size() - skip, start));
    validity->AppendLevels(nulls.data(), nulls.size(), 1);
    return Status::Ok();
  }

 private:
  DecoderPtr ends_;
  uint32_t end_width_;
  BufferView bytes_;
  uint64_t null_adjustment_;
  std::vector<uint64_t> numbers_;
  std::vector<uint16_t> nulls_;
};

class DictionaryArray : public ArrayDecoder {
 public:
  DictionaryArray(DecoderPtr indices, uint32_t index_width, const ValueShape& shape,
                  bool zero_based)
      : indices_(std::move(indices)),
        index_width_(index_width),
        items_(shape),
        zero_based_(zero_based) {}

  Status LoadItems(ArrayDecoder* decoder, uint64_t count) {
    ValidityBuilder validity;
    PCHRONICLE_RETURN_IF_ERROR(decoder->Append(0, count, &items_, &validity));
    valid_.assign(static_cast<size_t>(count), 1);
    if (const columnar::BufferPtr bits = validity.Finish(); bits != nullptr) {
      for (size_t i = 0; i < valid_.size(); ++i) {
        valid_[i] = codec::GetBit(bits->data(), i) ? 1 : 0;
      }
    }
    return Status::Ok();
  }
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    numbers_.clear();
    nulls_.clear();
    PCHRONICLE_RETURN_IF_ERROR(ReadNumbers(indices_.get(), index_width_, from, to, &numbers_));
    for (const uint64_t number : numbers_) {
      const uint64_t item = zero_based_ ? number : number - 1;
      const bool null =
          (!zero_based_ && number == 0) || (item < valid_.size() && valid_[item] == 0);
      nulls_.push_back(null ? 1 : 0);
      if (null) {
        values->AppendEmpty(1);
        continue;
      }
      if (item >= valid_.size()) {
        return Status::Corruption("dictionary index {} of {} items", number, valid_.size());
      }
      const std::string_view value = items_.View(static_cast<size_t>(item));
      const auto* bytes = reinterpret_cast<const uint8_t*>(value.data());
      if (items_.shape().kind == Kind::kVariable) {
        PCHRONICLE_RETURN_IF_ERROR(values->AppendText(bytes, value.size()));
      } else {
        values->AppendPlain(bytes, 1, value.size());
      }
    }
    validity->AppendLevels(nulls_.data(), nulls_.size(), 1);
    return Status::Ok();
  }

 private:
  DecoderPtr indices_;
  uint32_t index_width_;
  ValueBuilder items_;
  std::vector<uint8_t> valid_;
  bool zero_based_;
  std::vector<uint64_t> numbers_;
  std::vector<uint16_t> nulls_;
};

class FsstArray : public ArrayDecoder {
 public:
  FsstArray(codec::FsstTable table, DecoderPtr texts) : table_(table), texts_(std::move(texts)) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    if (!table_.coding()) {
      return texts_->Append(from, to, values, validity);
    }
    coded_.Reset();
    PCHRONICLE_RETURN_IF_ERROR(texts_->Append(from, to, &coded_, validity));
    const auto coded = [&](size_t i) {
      const std::string_view text = coded_.View(i);
      return Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    };
    PCHRONICLE_ASSIGN_OR_RETURN(
        const bool good,
        values->AppendDecoded(
            static_cast<size_t>(to - from),
            [&](size_t i) { return codec::FsstTable::MaxDecoded(coded(i).size()); },
            [&](size_t i, uint8_t* out) { return table_.Decode(coded(i), out); }));
    return good ? Status::Ok() : Status::Corruption("fsst: a code without a symbol");
  }

 private:
  codec::FsstTable table_;
  DecoderPtr texts_;
  ValueBuilder coded_{ValueShape::Variable(true)};
};

class PackedStructArray : public ArrayDecoder {
 public:
  PackedStructArray(BufferView buffer, std::vector<uint64_t> widths)
      : buffer_(std::move(buffer)), widths_(std::move(widths)) {
    for (const uint64_t width : widths_) {
      row_ += width;
    }
  }
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t end, Multiply(to, row_));
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, buffer_.Slice(from * row_, end - from * row_));
    const uint8_t* at = bytes.data();
    const auto count = static_cast<size_t>(to - from);
    for (size_t i = 0; i < widths_.size() && count != 0; ++i) {
      values->child(i).AppendPlain(at, count, static_cast<size_t>(row_));
      values->child(i).validity().AppendValid(count);
      at += widths_[i];
    }
    values->AdvanceNested(count);
    validity->AppendValid(count);
    return Status::Ok();
  }

 private:
  BufferView buffer_;
  std::vector<uint64_t> widths_;
  uint64_t row_ = 0;
};

/// Values of `packed` bits one after the other, least significant first.
class BitpackedArray : public ArrayDecoder {
 public:
  BitpackedArray(BufferView buffer, unsigned packed, unsigned bits, bool is_signed)
      : buffer_(std::move(buffer)), packed_(packed), bits_(bits), signed_(is_signed) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t end_bit, Multiply(to, packed_));
    const uint64_t begin = from * packed_ / 8, end = (end_bit + 7) / 8;
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, buffer_.Slice(begin, end - begin));
    const size_t width = bits_ / 8;
    uint8_t* out = values->ReserveFixed(static_cast<size_t>(to - from));
    for (uint64_t row = from; row < to; ++row, out += width) {
      const uint64_t at = row * packed_ - begin * 8;
      uint64_t value = 0;
      for (unsigned k = 0; k < packed_; ++k) {
        value |= static_cast<uint64_t>(codec::GetBit(bytes.data(), static_cast<size_t>(at + k)))
                 << k;
      }
      if (signed_ && packed_ < 64 && (value >> (packed_ - 1)) != 0) {
        value |= ~uint64_t{0} << packed_;
      }
      std::memcpy(out, &value, width);
    }
    values->AdvanceFixed(static_cast<size_t>(to - from));
    validity->AppendValid(static_cast<size_t>(to - from));
    return Status::Ok();
  }

 private:
  BufferView buffer_;
  unsigned packed_, bits_;
  bool signed_;
};

template <typename T>
class FastLanesArray : public ArrayDecoder {
 public:
  FastLanesArray(BufferView buffer, unsigned packed)
      : buffer_(std::move(buffer)), packed_(packed) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    T block[codec::kFastLanesBlock];
    const size_t size = codec::FastLanesBytes(packed_);
    for (uint64_t row = from; row < to;) {
      const uint64_t number = row / codec::kFastLanesBlock;
      PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t at, Multiply(number, size));
      PCHRONICLE_ASSIGN_OR_RETURN(const Bytes packed, buffer_.Slice(at, size));
      codec::FastLanesUnpack(packed_, packed.data(), block);
      const auto skip = static_cast<size_t>(row % codec::kFastLanesBlock);
      const size_t count =
          static_cast<size_t>(std::min<uint64_t>(to - row, codec::kFastLanesBlock - skip));
      values->AppendPlain(reinterpret_cast<const uint8_t*>(block + skip), count, sizeof(T));
      validity->AppendValid(count);
      row += count;
    }
    return Status::Ok();
  }

 private:
  BufferView buffer_;
  unsigned packed_;
};

class ConstantArray : public ArrayDecoder {
 public:
  ConstantArray(std::string_view value, uint64_t max_bytes)
      : value_(value), max_bytes_(max_bytes) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    const auto* bytes = reinterpret_cast<const uint8_t*>(value_.data());
    const auto count = static_cast<size_t>(to - from);
    if (!value_.empty() && count > max_bytes_ / value_.size()) {
      return Status::ResourceExhausted("{} times a value of {} bytes in one batch", count,
                                       value_.size());
    }
    validity->AppendValid(count);
    if (values->shape().kind != Kind::kVariable) {
      values->AppendPlain(bytes, count, 0);
      return Status::Ok();
    }
    for (size_t i = 0; i < count; ++i) {
      PCHRONICLE_RETURN_IF_ERROR(values->AppendText(bytes, value_.size()));
    }
    return Status::Ok();
  }

 private:
  std::string value_;
  uint64_t max_bytes_;
};

Status CheckWidth(const Encoding& encoding, uint64_t bytes, const ValueShape& shape) {
  return shape.PlainBytes() == bytes && shape.kind != Kind::kVariable &&
                 shape.kind != Kind::kStruct && shape.kind != Kind::kNull
             ? Status::Ok()
             : Status::Corruption("{} where the schema has {}", encoding.ToString(),
                                  shape.ToString());
}

struct ArrayMaker {
  PageSource* source;
  DecodeContext* context;
  bool zero_based;

  Result<DecoderPtr> Make(const Encoding& encoding, const ValueShape& shape) const {
    switch (encoding.kind) {
      case Encoding::Kind::kFlat:
        return Flat(encoding, shape);
      case Encoding::Kind::kNullable:
        return Nullable(encoding, shape);
      case Encoding::Kind::kFixedSizeList: {
        PCHRONICLE_RETURN_IF_ERROR(Children(encoding, 1));
        if (shape.kind != Kind::kFixedSizeList || shape.width != encoding.width) {
          return Status::Corruption("{} where the schema has {}", encoding.ToString(),
                                    shape.ToString());
        }
        PCHRONICLE_ASSIGN_OR_RETURN(DecoderPtr items,
                                    Make(encoding.children[0], shape.children[0]));
        return DecoderPtr(std::make_unique<ListArray>(encoding.width, std::move(items)));
      }
      case Encoding::Kind::kBinary:
        return Binary(encoding, shape);
      case Encoding::Kind::kDictionary:
        return Dictionary(encoding, shape);
      case Encoding::Kind::kFsst:
        return Fsst(encoding, shape);
      case Encoding::Kind::kPackedStruct:
        return PackedStruct(encoding, shape);
      case Encoding::Kind::kBitpacked:
      case Encoding::Kind::kBitpackedForNonNeg:
        return Bitpacked(encoding, shape);
      case Encoding::Kind::kFixedSizeBinary: {
        PCHRONICLE_RETURN_IF_ERROR(CheckWidth(encoding, encoding.width, shape));
        PCHRONICLE_RETURN_IF_ERROR(Children(encoding, 1));
        PCHRONICLE_ASSIGN_OR_RETURN(BufferView bytes, ByteBuffer(encoding.children[0]));
        return DecoderPtr(std::make_unique<FlatArray>(std::move(bytes), encoding.width));
      }
      case Encoding::Kind::kConstant:
        if (shape.kind != Kind::kVariable) {
          PCHRONICLE_RETURN_IF_ERROR(CheckWidth(encoding, encoding.value.size(), shape));
        }
        return DecoderPtr(std::make_unique<ConstantArray>(encoding.value, context->max_bytes));
      default:
        return Status::Unsupported("{} in a 2.0 page", encoding.ToString());
    }
  }

  static Status Children(const Encoding& encoding, size_t count) {
    return encoding.children.size() == count
               ? Status::Ok()
               : Status::Corruption("{} with {} children", encoding.ToString(),
                                    encoding.children.size());
  }

  Result<DecoderPtr> Flat(const Encoding& flat, const ValueShape& shape) const {
    PCHRONICLE_ASSIGN_OR_RETURN(BufferView buffer, BufferView::Make(flat, source, context));
    if (flat.bits == 1 && shape.kind == Kind::kBits) {
      return DecoderPtr(std::make_unique<BitArray>(std::move(buffer)));
    }
    if (flat.bits % 8 != 0) {
      return Status::Unsupported("{} in a 2.0 page", flat.ToString());
    }
    PCHRONICLE_RETURN_IF_ERROR(CheckWidth(flat, flat.bits / 8, shape));
    return DecoderPtr(std::make_unique<FlatArray>(std::move(buffer), flat.bits / 8));
  }

  Result<DecoderPtr> Nullable(const Encoding& nullable, const ValueShape& shape) const {
    switch (nullable.nulls) {
      case Encoding::Nulls::kAll:
        return DecoderPtr(std::make_unique<AllNullArray>());
      case Encoding::Nulls::kNone:
        PCHRONICLE_RETURN_IF_ERROR(Children(nullable, 1));
        return Make(nullable.children[0], shape);
      case Encoding::Nulls::kSome: {
        PCHRONICLE_RETURN_IF_ERROR(Children(nullable, 2));
        const Encoding& bits = nullable.children[0];
        if (bits.kind != Encoding::Kind::kFlat || bits.bits != 1) {
          return Status::Unsupported("validity as {}", bits.ToString());
        }
        PCHRONICLE_ASSIGN_OR_RETURN(BufferView buffer, BufferView::Make(bits, source, context));
        PCHRONICLE_ASSIGN_OR_RETURN(DecoderPtr values, Make(nullable.children[1], shape));
        return DecoderPtr(std::make_unique<NullableArray>(
            std::make_unique<BitArray>(std::move(buffer)), std::move(values)));
      }
      default:
        return Status::Unsupported("nullable encoding without a known member");
    }
  }

  /// Plain bytes, whose length no encoding tells.
  Result<BufferView> ByteBuffer(const Encoding& encoding) const {
    const Encoding* flat = &encoding;
    while (flat->kind == Encoding::Kind::kNullable && flat->nulls == Encoding::Nulls::kNone &&
           flat->children.size() == 1) {
      flat = &flat->children[0];
    }
    if (flat->kind != Encoding::Kind::kFlat || flat->bits != 8) {
      return Status::Unsupported("bytes as {}", encoding.ToString());
    }
    return BufferView::Make(*flat, source, context);
  }

  Result<DecoderPtr> Binary(const Encoding& binary, const ValueShape& shape) const {
    PCHRONICLE_RETURN_IF_ERROR(Children(binary, 2));
    if (shape.kind != Kind::kVariable) {
      return Status::Corruption("texts where the schema has {}", shape.ToString());
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const uint32_t width, NumberWidth(binary.children[0]));
    PCHRONICLE_ASSIGN_OR_RETURN(DecoderPtr ends,
                                Make(binary.children[0], ValueShape::Fixed(width)));
    PCHRONICLE_ASSIGN_OR_RETURN(BufferView bytes, ByteBuffer(binary.children[1]));
    return DecoderPtr(std::make_unique<BinaryArray>(std::move(ends), width, std::move(bytes),
                                                    binary.null_adjustment));
  }

  Result<DecoderPtr> Dictionary(const Encoding& dictionary, const ValueShape& shape) const {
    PCHRONICLE_RETURN_IF_ERROR(Children(dictionary, 2));
    if (shape.kind != Kind::kVariable && shape.kind != Kind::kFixed) {
      return Status::Unsupported("a dictionary of {}", shape.ToString());
    }
    uint64_t bits = 8;
    for (size_t i = 0; i < source->buffers(); ++i) {
      bits += source->size(i) * 8;
    }
    if (dictionary.items > bits) {
      return Status::Corruption("a dictionary of {} items in {} bytes", dictionary.items, bits / 8);
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const uint32_t width, NumberWidth(dictionary.children[0]));
    PCHRONICLE_ASSIGN_OR_RETURN(DecoderPtr indices,
                                Make(dictionary.children[0], ValueShape::Fixed(width)));
    PCHRONICLE_ASSIGN_OR_RETURN(DecoderPtr items, Make(dictionary.children[1], shape));
    auto decoder = std::make_unique<DictionaryArray>(std::move(indices), width, shape, zero_based);
    PCHRONICLE_RETURN_IF_ERROR(decoder->LoadItems(items.get(), dictionary.items));
    return DecoderPtr(std::move(decoder));
  }

  Result<DecoderPtr> Fsst(const Encoding& fsst, const ValueShape& shape) const {
    PCHRONICLE_RETURN_IF_ERROR(Children(fsst, 1));
    const auto* table = reinterpret_cast<const uint8_t*>(fsst.symbol_table.data());
    PCHRONICLE_ASSIGN_OR_RETURN(const codec::FsstTable symbols,
                                codec::FsstTable::FromLance({table, fsst.symbol_table.size()}));
    PCHRONICLE_ASSIGN_OR_RETURN(DecoderPtr texts, Make(fsst.children[0], shape));
    if (shape.kind != Kind::kVariable) {
      return Status::Corruption("texts where the schema has {}", shape.ToString());
    }
    return DecoderPtr(std::make_unique<FsstArray>(symbols, std::move(texts)));
  }

  Result<DecoderPtr> PackedStruct(const Encoding& packed, const ValueShape& shape) const {
    if (shape.kind != Kind::kStruct || shape.children.size() != packed.children.size()) {
      return Status::Corruption("{} where the schema has {}", packed.ToString(), shape.ToString());
    }
    std::vector<uint64_t> widths;
    for (size_t i = 0; i < packed.children.size(); ++i) {
      PCHRONICLE_ASSIGN_OR_RETURN(const uint32_t width, NumberWidth(packed.children[i]));
      PCHRONICLE_RETURN_IF_ERROR(CheckWidth(packed, width, shape.children[i]));
      widths.push_back(width);
    }
    PCHRONICLE_ASSIGN_OR_RETURN(BufferView buffer, BufferView::Make(packed, source, context));
    return DecoderPtr(std::make_unique<PackedStructArray>(std::move(buffer), std::move(widths)));
  }

  Result<DecoderPtr> Bitpacked(const Encoding& packed, const ValueShape& shape) const {
    const uint64_t bits = packed.bits;
    if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || shape.kind != Kind::kFixed) {
      return Status::Unsupported("{} for {}", packed.ToString(), shape.ToString());
    }
    PCHRONICLE_RETURN_IF_ERROR(CheckWidth(packed, bits / 8, shape));
    if (packed.packed_bits > bits || packed.packed_bits == 0) {
      return Status::Corruption("{} bits packed into {}", bits, packed.packed_bits);
    }
    const auto width = static_cast<unsigned>(packed.packed_bits);
    PCHRONICLE_ASSIGN_OR_RETURN(BufferView buffer, BufferView::Make(packed, source, context));
    if (packed.kind == Encoding::Kind::kBitpacked) {
      return DecoderPtr(std::make_unique<BitpackedArray>(
          std::move(buffer), width, static_cast<unsigned>(bits), packed.is_signed));
    }
    switch (bits) {
      case 8:
        return DecoderPtr(std::make_unique<FastLanesArray<uint8_t>>(std::move(buffer), width));
      case 16:
        return DecoderPtr(std::make_unique<FastLanesArray<uint16_t>>(std::move(buffer), width));
      case 32:
        return DecoderPtr(std::make_unique<FastLanesArray<uint32_t>>(std::move(buffer), width));
      default:
        return DecoderPtr(std::make_unique<FastLanesArray<uint64_t>>(std::move(buffer), width));
    }
  }
};

}  // namespace

Result<DecoderPtr> MakeArrayDecoder(const Encoding& encoding, const ValueShape& shape,
                                    bool zero_based, PageSource* source, DecodeContext* context) {
  return ArrayMaker{source, context, zero_based}.Make(encoding, shape);
}

Result<uint32_t> NumberWidth(const Encoding& encoding) {
  const Encoding* at = &encoding;
  while (at->kind == Encoding::Kind::kNullable && at->nulls == Encoding::Nulls::kNone &&
         at->children.size() == 1) {
    at = &at->children[0];
  }
  const bool known = at->kind == Encoding::Kind::kFlat || at->kind == Encoding::Kind::kBitpacked ||
                     at->kind == Encoding::Kind::kBitpackedForNonNeg;
  if (!known || (at->bits != 8 && at->bits != 16 && at->bits != 32 && at->bits != 64)) {
    return Status::Unsupported("numbers as {}", encoding.ToString());
  }
  return static_cast<uint32_t>(at->bits / 8);
}

Status ReadNumbers(ArrayDecoder* decoder, uint32_t width, uint64_t from, uint64_t to,
                   std::vector<uint64_t>* out) {
  ValueBuilder numbers(ValueShape::Fixed(width));
  ValidityBuilder validity;
  PCHRONICLE_RETURN_IF_ERROR(decoder->Append(from, to, &numbers, &validity));
  if (validity.nulls() != 0) {
    return Status::Corruption("nulls among offsets or indices");
  }
  const auto count = static_cast<size_t>(to - from);
  const size_t old = out->size();
  out->resize(old + count);
  const auto* bytes = reinterpret_cast<const uint8_t*>(numbers.View(0).data());
  for (size_t i = 0; i < count; ++i) {
    uint64_t number = 0;
    std::memcpy(&number, bytes + i * width, width);
    (*out)[old + i] = number;
  }
  return Status::Ok();
}

}  // namespace pchronicle::lance
