#include "pchronicle/lance/file/full_zip_writer.h"

#include <bit>
#include <cstring>

#include "pchronicle/codec/bits.h"
#include "pchronicle/lance/encoding/compressive.h"
#include "pchronicle/lance/encoding/number_encoder.h"
#include "pchronicle/lance/file/page_layout_writer.h"

namespace pchronicle::lance {
namespace {

/// Field of the layout that tells the size of values or lengths.
enum class ZipSize : uint32_t { kBitsPerValue = 3, kBitsPerOffset = 4 };

/// Control words, lengths and values one behind the other, and where rows start.
class ZipPage {
 public:
  ZipPage(const LeafLevels& levels, ZipSize size, uint64_t bits)
      : levels_(levels),
        size_(size),
        bits_(bits),
        rep_bits_(static_cast<unsigned>(std::bit_width(levels.lists))),
        def_bits_(static_cast<unsigned>(std::bit_width(levels.max_def))) {
    const unsigned both = rep_bits_ + def_bits_;
    control_bytes_ = both == 0 ? 0 : both <= 8 ? 1 : both <= 16 ? 2 : 4;
  }

  /// About how many bytes will come, so that growing does not copy them over and over.
  void Expect(uint64_t bytes) { entries_.Reserve(static_cast<size_t>(bytes)); }

  /// Calls append(slot, out) for every entry that has a value; values of fixed size are also
  /// there for nulls.
  template <typename AppendValue>
  Status Write(AppendValue&& append) {
    const bool fixed = size_ == ZipSize::kBitsPerValue;
    const bool rows = !fixed || levels_.lists != 0;
    size_t slot = 0;
    for (size_t i = 0; i < levels_.entries; ++i) {
      const uint16_t rep = levels_.rep.empty() ? uint16_t{0} : levels_.rep[i];
      const uint16_t def = levels_.def.empty() ? uint16_t{0} : levels_.def[i];
      if (rows && rep == levels_.lists) {
        positions_.push_back(entries_.size());
      }
      if (control_bytes_ != 0) {
        const uint32_t control = static_cast<uint32_t>(rep) << def_bits_ | def;
        entries_.Append(&control, control_bytes_);
      }
      if (def > levels_.visible) {
        continue;
      }
      if (fixed || def == 0) {
        PCHRONICLE_RETURN_IF_ERROR(append(slot, &entries_));
      }
      ++slot;
    }
    return Status::Ok();
  }

  EncodedPage Finish(const proto::CompressiveEncoding& encoding) {
    EncodedPage page;
    page.rows = levels_.rows;
    const uint64_t end = entries_.size();
    page.buffers.push_back(std::move(entries_));
    if (!positions_.empty()) {
      positions_.push_back(end);
      page.buffers.push_back(PackPositions(end));
    }
    proto::WireWriter zip, layout;
    zip.Number(1, rep_bits_);
    zip.Number(2, def_bits_);
    zip.Number(static_cast<uint32_t>(size_), bits_);
    zip.Number(5, levels_.entries);
    zip.Number(6, levels_.slots);
    zip.Message(7, proto::Write(encoding));
    WriteLayers(8, levels_, &zip);
    layout.Message(3, zip);
    page.layout = layout.Take();
    return page;
  }

 private:
  columnar::Buffer PackPositions(uint64_t end) const {
    const size_t width = end <= UINT8_MAX ? 1 : end <= UINT16_MAX ? 2 : end <= UINT32_MAX ? 4 : 8;
    columnar::Buffer index(positions_.size() * width);
    for (size_t i = 0; i < positions_.size(); ++i) {
      std::memcpy(index.data() + i * width, &positions_[i], width);
    }
    return index;
  }

  const LeafLevels& levels_;
  ZipSize size_;
  uint64_t bits_;
  unsigned rep_bits_, def_bits_;
  size_t control_bytes_ = 0;
  columnar::Buffer entries_;
  std::vector<uint64_t> positions_;
};

/// Appends what `write` appends, behind its length.
template <typename Offset, typename WriteValue>
Status AppendWithLength(columnar::Buffer* out, WriteValue&& write) {
  const size_t at = out->size();
  out->Reserve(sizeof(Offset));
  out->Advance(sizeof(Offset));
  PCHRONICLE_RETURN_IF_ERROR(write());
  const auto length = static_cast<Offset>(out->size() - at - sizeof(Offset));
  std::memcpy(out->data() + at, &length, sizeof(length));
  return Status::Ok();
}

template <typename Offset>
Result<EncodedPage> WriteTexts(const LeafLevels& levels, const LeafValues& values, TextForm form,
                               const codec::FsstEncoder* fsst, codec::ZstdCompressor* zstd) {
  ZipPage page(levels, ZipSize::kBitsPerOffset, sizeof(Offset) * 8);
  page.Expect(values.starts.back() / 4 * 3);
  PCHRONICLE_RETURN_IF_ERROR(page.Write([&](size_t slot, columnar::Buffer* out) {
    return AppendWithLength<Offset>(out, [&]() -> Status {
      const std::string_view text = values.text(slot);
      if (form == TextForm::kZstd) {
        return AppendZstd(text, zstd, out);
      }
      if (form == TextForm::kPlain) {
        out->Append(text.data(), text.size());
        return Status::Ok();
      }
      uint8_t* const to = out->Reserve(codec::FsstEncoder::MaxCoded(text.size()));
      const uint8_t* const end =
          fsst->Encode({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, to);
      out->Advance(static_cast<size_t>(end - to));
      return Status::Ok();
    });
  }));
  const std::string table = form == TextForm::kFsst ? fsst->LanceTable() : std::string();
  return page.Finish(TextEncoding(form, sizeof(Offset) == sizeof(uint64_t), table));
}

}  // namespace

Result<EncodedPage> WriteFullZipTexts(const LeafLevels& levels, const LeafValues& values,
                                      TextForm form, const codec::FsstEncoder* fsst,
                                      codec::ZstdCompressor* zstd) {
  return columnar::HasLargeOffsets(values.type->id)
             ? WriteTexts<uint64_t>(levels, values, form, fsst, zstd)
             : WriteTexts<uint32_t>(levels, values, form, fsst, zstd);
}

EncodedPage WriteFullZipFixed(const LeafLevels& levels, const LeafValues& values) {
  uint64_t bytes = values.width * values.items;
  for (const ItemValidity& level : values.lists) {
    bytes += level.has_nulls ? codec::BitmapBytes(static_cast<size_t>(level.items)) : 0;
  }
  ZipPage page(levels, ZipSize::kBitsPerValue, bytes * 8);
  page.Expect(values.count * bytes + levels.entries);
  (void)page.Write([&](size_t slot, columnar::Buffer* out) {
    for (const ItemValidity& level : values.lists) {
      if (level.has_nulls) {
        const auto n = static_cast<size_t>(level.items);
        uint8_t* const bits = out->Reserve(codec::BitmapBytes(n));
        codec::CopyBits(level.bits.data(), slot * n, n, bits, 0);
        out->Advance(codec::BitmapBytes(n));
      }
    }
    const std::string_view value = values.fixed(slot);
    out->Append(value.data(), value.size());
    return Status::Ok();
  });
  return page.Finish(values.lists.empty() ? FlatEncoding(values.width * 8)
                                          : FixedSizeListEncoding(values, 8));
}

EncodedPage WriteFullZipPacked(const LeafLevels& levels, const proto::CompressiveEncoding& encoding,
                               const std::function<void(size_t, columnar::Buffer*)>& append) {
  ZipPage page(levels, ZipSize::kBitsPerOffset, 32);
  (void)page.Write([&](size_t slot, columnar::Buffer* out) {
    return AppendWithLength<uint32_t>(out, [&] {
      append(slot, out);
      return Status::Ok();
    });
  });
  return page.Finish(encoding);
}

}  // namespace pchronicle::lance
