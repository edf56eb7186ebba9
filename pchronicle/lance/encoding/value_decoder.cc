#include "pchronicle/lance/encoding/value_decoder.h"

#include <utility>

#include "pchronicle/lance/encoding/plain_value_decoders.h"
#include "pchronicle/lance/encoding/wrapping_value_decoders.h"

namespace pchronicle::lance {
namespace {

using proto::CompressiveEncoding;
using Encoding = CompressiveEncoding;
using Kind = ValueShape::Kind;
using DecoderPtr = std::unique_ptr<ValueDecoder>;

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
