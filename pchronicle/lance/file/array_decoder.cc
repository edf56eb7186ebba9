#include "pchronicle/lance/file/array_decoder.h"

#include <cstring>
#include <utility>

#include "pchronicle/lance/file/packed_arrays.h"
#include "pchronicle/lance/file/plain_arrays.h"
#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {
namespace {

using Encoding = proto::ArrayEncoding;
using Kind = ValueShape::Kind;
using DecoderPtr = std::unique_ptr<ArrayDecoder>;

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
