#include "pchronicle/lance/encoding/text_encoder.h"

#include <cstring>
#include <span>
#include <vector>

#include "pchronicle/lance/encoding/compressive.h"

namespace pchronicle::lance {
namespace {

using Kind = proto::CompressiveEncoding::Kind;

/// Offsets from the start of the buffer, then the texts.
template <typename Offset>
class TextEncoder : public ChunkEncoder {
 public:
  TextEncoder(const LeafValues& values, TextForm form, const codec::FsstEncoder* fsst,
              codec::ZstdCompressor* zstd)
      : values_(values), form_(form), fsst_(fsst), zstd_(zstd) {
    if (fsst != nullptr) {
      symbol_table_ = fsst->LanceTable();
    }
    encoding_ = TextEncoding(form, sizeof(Offset) == sizeof(uint64_t), symbol_table_);
  }

  std::optional<std::vector<ChunkCut>> Cut(const ChunkCutter& cutter) const override {
    // What is not compressed, or may grow twofold, must fit as it is; FSST chunks are counted
    // before coding, because codes that all escape are not chosen.
    const uint64_t limit = form_ == TextForm::kZstd   ? kChunkBytes + kChunkBytes / 2
                           : form_ == TextForm::kFsst ? kChunkBytes * 3 / 4
                                                      : kChunkBytes;
    return cutter.Cut(kMostValues, [&](size_t from, size_t count) {
      return values_.starts[from + count] - values_.starts[from] + (count + 1) * sizeof(Offset) <=
             limit;
    });
  }

  Status Encode(size_t from, size_t count, std::vector<columnar::Buffer>* out) override {
    columnar::Buffer& chunk = (*out)[0];
    chunk.Clear();
    if (form_ != TextForm::kZstd) {
      Write(from, count, &chunk);
      return Status::Ok();
    }
    plain_.Clear();
    Write(from, count, &plain_);
    return AppendZstd({reinterpret_cast<const char*>(plain_.data()), plain_.size()}, zstd_, &chunk);
  }

 private:
  void Write(size_t from, size_t count, columnar::Buffer* out) {
    const size_t head = (count + 1) * sizeof(Offset);
    const std::span<const uint64_t> starts = std::span(values_.starts).subspan(from, count + 1);
    const auto size = static_cast<size_t>(starts[count] - starts[0]);
    const bool coded = form_ == TextForm::kFsst;
    uint8_t* const to = out->Reserve(head + (coded ? codec::FsstEncoder::MaxCoded(size) : size));
    uint8_t* end = to + head + size;
    const auto put = [&](size_t i, uint64_t at) {
      const auto offset = static_cast<Offset>(head + at);
      std::memcpy(to + i * sizeof(Offset), &offset, sizeof(offset));
    };
    put(0, 0);
    if (coded) {
      ends_.resize(count);
      end = fsst_->EncodeAll(values_.bytes.data(), starts, to + head, ends_);
      for (size_t i = 0; i < count; ++i) {
        put(i + 1, ends_[i]);
      }
    } else {
      for (size_t i = 0; i < count; ++i) {
        put(i + 1, starts[i + 1] - starts[0]);
      }
      if (size != 0) {
        std::memcpy(to + head, values_.bytes.data() + starts[0], size);
      }
    }
    while (static_cast<size_t>(end - to) % sizeof(Offset) != 0) {
      *end++ = 'H';
    }
    out->Advance(static_cast<size_t>(end - to));
  }

  const LeafValues& values_;
  TextForm form_;
  const codec::FsstEncoder* fsst_;
  codec::ZstdCompressor* zstd_;
  std::string symbol_table_;
  std::vector<uint64_t> ends_;
  columnar::Buffer plain_;
};

}  // namespace

std::unique_ptr<ChunkEncoder> MakeTextEncoder(const LeafValues& values, TextForm form,
                                              const codec::FsstEncoder* fsst,
                                              codec::ZstdCompressor* zstd) {
  if (columnar::HasLargeOffsets(values.type->id)) {
    return std::make_unique<TextEncoder<uint64_t>>(values, form, fsst, zstd);
  }
  return std::make_unique<TextEncoder<uint32_t>>(values, form, fsst, zstd);
}

proto::CompressiveEncoding TextEncoding(TextForm form, bool large, std::string_view symbol_table) {
  proto::CompressiveEncoding texts = VariableEncoding(large ? 64 : 32);
  if (form == TextForm::kZstd) {
    return ZstdEncoding(std::move(texts));
  }
  if (form == TextForm::kFsst) {
    texts = WrapEncoding(Kind::kFsst, std::move(texts));
    texts.symbol_table = symbol_table;
  }
  return texts;
}

Status AppendZstd(std::string_view bytes, codec::ZstdCompressor* zstd, columnar::Buffer* out) {
  const uint64_t size = bytes.size();
  const size_t room = codec::ZstdCompressor::MaxCompressed(bytes.size());
  uint8_t* const to = out->Reserve(sizeof(size) + room);
  std::memcpy(to, &size, sizeof(size));
  PCHRONICLE_ASSIGN_OR_RETURN(
      const size_t packed,
      zstd->Compress({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
                     {to + sizeof(size), room}));
  out->Advance(sizeof(size) + packed);
  return Status::Ok();
}

}  // namespace pchronicle::lance
