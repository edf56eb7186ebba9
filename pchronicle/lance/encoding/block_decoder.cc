#include "pchronicle/lance/encoding/block_decoder.h"

#include <cstring>

#include "pchronicle/codec/fastlanes.h"
#include "pchronicle/codec/fsst.h"
#include "pchronicle/codec/runs.h"

namespace pchronicle::lance {
namespace {

using Encoding = proto::CompressiveEncoding;

/// Blocks of width 0 hold values without a byte; no real one holds that many.
constexpr uint64_t kMaxValuesPerByte = 1 << 16;

template <typename T>
void UnpackTo(unsigned width, const uint8_t* packed, size_t count, columnar::Buffer* out) {
  auto* to = reinterpret_cast<T*>(out->Reserve(codec::kFastLanesBlock * sizeof(T)));
  codec::FastLanesUnpack(width, packed, to);
  out->Advance(count * sizeof(T));
}

Status UnpackBlock(size_t bytes, unsigned width, const uint8_t* packed, size_t count,
                   columnar::Buffer* out) {
  switch (bytes) {
    case 1:
      UnpackTo<uint8_t>(width, packed, count, out);
      return Status::Ok();
    case 2:
      UnpackTo<uint16_t>(width, packed, count, out);
      return Status::Ok();
    case 4:
      UnpackTo<uint32_t>(width, packed, count, out);
      return Status::Ok();
    case 8:
      UnpackTo<uint64_t>(width, packed, count, out);
      return Status::Ok();
    default:
      return Status::Unsupported("bit packing of {}-byte values", bytes);
  }
}

Status DecodeInline(Bytes bytes, uint64_t count, size_t width, columnar::Buffer* out) {
  PCHRONICLE_RETURN_IF_ERROR(CheckInlineBitpacking(bytes, width, count));
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), width);
  return UnpackBlock(width, static_cast<unsigned>(bits), bytes.data() + width, count, out);
}

/// Full blocks; then the rest packed like them, or as it is: only the length tells.
Status DecodeOutOfLine(const Encoding& encoding, Bytes bytes, uint64_t count, size_t width,
                       columnar::Buffer* out) {
  if (encoding.children.size() != 1 || encoding.children[0].kind != Encoding::Kind::kFlat) {
    return Status::Unsupported("{}", encoding.ToString());
  }
  const uint64_t bits = encoding.children[0].bits;
  if (encoding.bits != width * 8 || bits > encoding.bits) {
    return Status::Corruption("{} for {}-byte values", encoding.ToString(), width);
  }
  const uint64_t full = count / codec::kFastLanesBlock, tail = count % codec::kFastLanesBlock;
  const size_t block = codec::FastLanesBytes(static_cast<unsigned>(bits));
  if (block != 0 && full > bytes.size() / block) {
    return Status::Corruption("{} packed bytes for {} values", bytes.size(), count);
  }
  const Bytes rest = bytes.subspan(static_cast<size_t>(full) * block);
  for (uint64_t i = 0; i < full; ++i) {
    PCHRONICLE_RETURN_IF_ERROR(UnpackBlock(width, static_cast<unsigned>(bits),
                                           bytes.data() + i * block, codec::kFastLanesBlock, out));
  }
  if (tail == 0) {
    return Status::Ok();
  }
  if (rest.size() == tail * width) {
    out->Append(rest.data(), rest.size());
    return Status::Ok();
  }
  if (rest.size() < block) {
    return Status::Corruption("{} packed bytes for {} values", bytes.size(), count);
  }
  return UnpackBlock(width, static_cast<unsigned>(bits), rest.data(), static_cast<size_t>(tail),
                     out);
}

Status DecodeRle(const Encoding& encoding, Bytes bytes, uint64_t count, size_t width,
                 columnar::Buffer* out) {
  const Encoding &values = encoding.children[0], &lengths = encoding.children[1];
  if (values.kind != Encoding::Kind::kFlat || lengths.kind != Encoding::Kind::kFlat ||
      lengths.bits != 8) {
    return Status::Unsupported("{}", encoding.ToString());
  }
  constexpr size_t kHeader = 8;
  if (values.bits != width * 8 || bytes.size() < kHeader) {
    return Status::Corruption("{} in {} bytes for {}-byte values", encoding.ToString(),
                              bytes.size(), width);
  }
  const uint64_t size = LoadLe<uint64_t>(bytes.data());
  bytes = bytes.subspan(kHeader);
  if (size > bytes.size() || bytes.size() - size < size / width || size / width * 255 < count) {
    return Status::Corruption("runs of {} bytes in {} for {} values", size, bytes.size(), count);
  }
  const auto value_bytes = static_cast<size_t>(size);
  uint8_t* to = out->Reserve(static_cast<size_t>(count) * width);
  if (!codec::ExpandRuns(bytes.subspan(0, value_bytes), width,
                         bytes.subspan(value_bytes, value_bytes / width),
                         static_cast<size_t>(count), to)) {
    return Status::Corruption("run lengths that do not add up to {} values", count);
  }
  out->Advance(static_cast<size_t>(count) * width);
  return Status::Ok();
}

/// Offsets and bytes of the texts of a block (B6), not yet FSST decoded.
template <typename Offset>
Status DecodeTexts(Bytes bytes, uint64_t count, ItemTable* out) {
  constexpr size_t kWord = sizeof(Offset);
  if (bytes.size() / kWord < 3 || bytes.size() / kWord - 3 < count) {
    return Status::Corruption("dictionary of {} bytes for {} texts", bytes.size(), count);
  }
  const uint64_t start = LoadLe<Offset>(bytes.data() + kWord);
  if (start > bytes.size()) {
    return Status::Corruption("texts of a dictionary at {} of {} bytes", start, bytes.size());
  }
  const Bytes text = bytes.subspan(static_cast<size_t>(start));
  out->starts.reserve(static_cast<size_t>(count) + 1);
  for (size_t i = 0; i <= count; ++i) {
    const uint64_t at = LoadLe<Offset>(bytes.data() + (2 + i) * kWord);
    if (at > text.size() || (i != 0 && at < out->starts.back())) {
      return Status::Corruption("text {} of a dictionary at {} of {} bytes", i, at, text.size());
    }
    out->starts.push_back(at);
  }
  out->bytes.Append(text.data(), static_cast<size_t>(out->starts.back()));
  return Status::Ok();
}

Status DecodeFsst(const Encoding& encoding, ItemTable* out) {
  const auto* table = reinterpret_cast<const uint8_t*>(encoding.symbol_table.data());
  PCHRONICLE_ASSIGN_OR_RETURN(const codec::FsstTable symbols,
                              codec::FsstTable::FromLance({table, encoding.symbol_table.size()}));
  if (!symbols.coding()) {
    return Status::Ok();
  }
  columnar::Buffer plain;
  std::vector<uint64_t> starts = {0};
  for (size_t i = 0; i < out->count; ++i) {
    const Bytes coded(out->bytes.data() + out->starts[i],
                      static_cast<size_t>(out->starts[i + 1] - out->starts[i]));
    uint8_t* to = plain.Reserve(codec::FsstTable::MaxDecoded(coded.size()));
    const uint8_t* end = symbols.Decode(coded, to);
    if (end == nullptr) {
      return Status::Corruption("fsst: a code without a symbol");
    }
    plain.Advance(static_cast<size_t>(end - to));
    starts.push_back(plain.size());
  }
  out->bytes.Clear();
  out->bytes.Append(plain.data(), plain.size());
  out->starts = std::move(starts);
  return Status::Ok();
}

Status DecodeVariableItems(const Encoding& encoding, Bytes bytes, DecodeContext* context,
                           ItemTable* out) {
  if (encoding.children.size() != 1) {
    return Status::Unsupported("dictionary as {}", encoding.ToString());
  }
  const Encoding& child = encoding.children[0];
  switch (encoding.kind) {
    case Encoding::Kind::kVariable:
      if (child.kind == Encoding::Kind::kFlat && !encoding.buffer_compressed) {
        if (child.bits == 32) {
          return DecodeTexts<uint32_t>(bytes, out->count, out);
        }
        if (child.bits == 64) {
          return DecodeTexts<uint64_t>(bytes, out->count, out);
        }
      }
      break;
    case Encoding::Kind::kFsst:
      PCHRONICLE_RETURN_IF_ERROR(DecodeVariableItems(child, bytes, context, out));
      return DecodeFsst(encoding, out);
    case Encoding::Kind::kGeneral: {
      columnar::Buffer plain;
      PCHRONICLE_ASSIGN_OR_RETURN(const Bytes inner,
                                  context->Unpack(encoding.scheme, bytes, &plain));
      return DecodeVariableItems(child, inner, context, out);
    }
    default:
      break;
  }
  return Status::Unsupported("dictionary as {}", encoding.ToString());
}

template <typename Index, typename T>
void GatherFixed(const uint8_t* indices, size_t n, const uint8_t* items, uint8_t* out) {
  for (size_t i = 0; i < n; ++i) {
    std::memcpy(out + i * sizeof(T),
                items + size_t{LoadLe<Index>(indices + i * sizeof(Index))} * sizeof(T), sizeof(T));
  }
}

}  // namespace

Status CheckInlineBitpacking(Bytes bytes, size_t width, size_t count) {
  if (bytes.size() < width || count > codec::kFastLanesBlock) {
    return Status::Corruption("{} packed bytes for {} values", bytes.size(), count);
  }
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), width);
  if (bits > width * 8 ||
      bytes.size() - width < codec::FastLanesBytes(static_cast<unsigned>(bits))) {
    return Status::Corruption("{} packed bytes for {} values of {} bits", bytes.size(), count,
                              bits);
  }
  return Status::Ok();
}

Status DecodeBlock(const Encoding& encoding, Bytes bytes, uint64_t count, size_t width,
                   DecodeContext* context, columnar::Buffer* out) {
  if (count / kMaxValuesPerByte > bytes.size()) {
    return Status::Corruption("{} values in {} bytes", count, bytes.size());
  }
  switch (encoding.kind) {
    case Encoding::Kind::kFlat:
      if (encoding.bits != width * 8 || encoding.buffer_compressed) {
        return Status::Unsupported("{} for {}-byte values", encoding.ToString(), width);
      }
      if (bytes.size() / width < count) {
        return Status::Corruption("{} bytes for {} values", bytes.size(), count);
      }
      out->Append(bytes.data(), static_cast<size_t>(count) * width);
      return Status::Ok();
    case Encoding::Kind::kInlineBitpacking:
      if (encoding.bits != width * 8 || encoding.buffer_compressed) {
        return Status::Unsupported("{} for {}-byte values", encoding.ToString(), width);
      }
      return DecodeInline(bytes, count, width, out);
    case Encoding::Kind::kOutOfLineBitpacking:
      return DecodeOutOfLine(encoding, bytes, count, width, out);
    case Encoding::Kind::kRle:
      return DecodeRle(encoding, bytes, count, width, out);
    case Encoding::Kind::kGeneral: {
      if (encoding.children.size() != 1) {
        return Status::Corruption("general compression of nothing");
      }
      columnar::Buffer plain;
      PCHRONICLE_ASSIGN_OR_RETURN(const Bytes inner,
                                  context->Unpack(encoding.scheme, bytes, &plain));
      return DecodeBlock(encoding.children[0], inner, count, width, context, out);
    }
    default:
      return Status::Unsupported("{} as a block", encoding.ToString());
  }
}

template <typename Index>
Status ItemTable::Gather(const uint8_t* indices, size_t n, ValueBuilder* out) const {
  Index largest = 0;
  for (size_t i = 0; i < n; ++i) {
    const Index index = LoadLe<Index>(indices + i * sizeof(Index));
    largest = largest < index ? index : largest;
  }
  if (n != 0 && largest >= count) {
    return Status::Corruption("dictionary index {} of {}", largest, count);
  }
  const auto at = [&](size_t i) { return size_t{LoadLe<Index>(indices + i * sizeof(Index))}; };
  if (variable) {
    constexpr size_t kShort = 16;  // less than the padding of a buffer
    const auto size = [&](size_t i) {
      return static_cast<size_t>(starts[at(i) + 1] - starts[at(i)]);
    };
    const auto copy = [&](size_t i, uint8_t* to) {
      const uint8_t* from = bytes.data() + starts[at(i)];
      const size_t length = size(i);
      std::memcpy(to, from, kShort);
      if (length > kShort) {
        std::memcpy(to + kShort, from + kShort, length - kShort);
      }
      return to + length;
    };
    return out->AppendDecoded(n, size, copy).status();
  }
  if (out->shape().kind != ValueShape::Kind::kFixed) {
    for (size_t i = 0; i < n; ++i) {
      out->AppendPlain(bytes.data() + at(i) * width, 1, width);
    }
    return Status::Ok();
  }
  uint8_t* to = out->ReserveFixed(n);
  switch (width) {
    case 1:
      GatherFixed<Index, uint8_t>(indices, n, bytes.data(), to);
      break;
    case 2:
      GatherFixed<Index, uint16_t>(indices, n, bytes.data(), to);
      break;
    case 4:
      GatherFixed<Index, uint32_t>(indices, n, bytes.data(), to);
      break;
    case 8:
      GatherFixed<Index, uint64_t>(indices, n, bytes.data(), to);
      break;
    default:
      for (size_t i = 0; i < n; ++i) {
        std::memcpy(to + i * width, bytes.data() + at(i) * width, width);
      }
  }
  out->AdvanceFixed(n);
  return Status::Ok();
}

template Status ItemTable::Gather<uint8_t>(const uint8_t*, size_t, ValueBuilder*) const;
template Status ItemTable::Gather<uint16_t>(const uint8_t*, size_t, ValueBuilder*) const;
template Status ItemTable::Gather<uint32_t>(const uint8_t*, size_t, ValueBuilder*) const;
template Status ItemTable::Gather<uint64_t>(const uint8_t*, size_t, ValueBuilder*) const;

Result<std::shared_ptr<const ItemTable>> DecodeItems(const Encoding& encoding, Bytes bytes,
                                                     uint64_t count, const ValueShape& shape,
                                                     DecodeContext* context) {
  auto table = std::make_shared<ItemTable>();
  table->count = count;
  if (shape.kind == ValueShape::Kind::kVariable) {
    table->variable = true;
    PCHRONICLE_RETURN_IF_ERROR(DecodeVariableItems(encoding, bytes, context, table.get()));
  } else {
    const uint64_t width = shape.PlainBytes();
    if (width == 0) {
      return Status::Unsupported("a dictionary of {}", shape.ToString());
    }
    table->width = static_cast<uint32_t>(width);
    PCHRONICLE_RETURN_IF_ERROR(
        DecodeBlock(encoding, bytes, count, table->width, context, &table->bytes));
  }
  table->bytes.Reserve(0);  // an empty one has padding, too
  return std::shared_ptr<const ItemTable>(std::move(table));
}

}  // namespace pchronicle::lance
