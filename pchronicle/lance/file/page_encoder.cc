#include "pchronicle/lance/file/page_encoder.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "pchronicle/lance/encoding/distinct_values.h"
#include "pchronicle/lance/encoding/number_encoder.h"
#include "pchronicle/lance/encoding/text_choice.h"
#include "pchronicle/lance/file/constant_writer.h"
#include "pchronicle/lance/file/full_zip_writer.h"
#include "pchronicle/lance/file/mini_block_writer.h"

namespace pchronicle::lance {
namespace {

/// From so many bytes on a value is found by row instead of with its chunk.
constexpr size_t kWideValue = 256;

std::string_view Chars(const columnar::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

bool NoValue(const LeafLevels& levels, const LeafValues& values) {
  return std::all_of(values.null.begin(), values.null.end(), [](uint8_t n) { return n != 0; }) &&
         (!values.null.empty() || levels.slots == 0);
}

/// Every slot holds the same bytes.
bool AllSame(const LeafValues& values) {
  const std::string_view bytes = Chars(values.bytes);
  return bytes.size() == values.width ||
         bytes.substr(values.width) == bytes.substr(0, bytes.size() - values.width);
}

/// The page with a dictionary, when that is smaller and there is one.
Result<std::optional<EncodedPage>> TryDictionary(const LeafLevels& levels, const LeafValues& values,
                                                 const DistinctLimits& limits,
                                                 const EncoderOptions& options) {
  const std::optional<DistinctValues> distinct = FindDistinct(values, limits);
  if (!distinct) {
    return std::optional<EncodedPage>();
  }
  const std::string_view indices(reinterpret_cast<const char*>(distinct->indices.data()),
                                 distinct->indices.size() * sizeof(uint32_t));
  const SizedEncoder encoder =
      MakeNumberEncoder(indices, sizeof(uint32_t), distinct->indices.size());
  const uint64_t offsets = values.texts() ? distinct->items.size() * sizeof(uint32_t) : 0;
  if (encoder.bytes + distinct->item_bytes + offsets >= limits.bytes) {
    return std::optional<EncodedPage>();
  }
  const Dictionary dictionary = MakeDictionary(values, *distinct);
  return WriteMiniBlock(levels, encoder.encoder.get(), &dictionary, options);
}

}  // namespace

Result<EncodedPage> PageEncoder::EncodeTexts(const LeafLevels& levels) {
  // What a compressed text takes at least, for all that is known without trying.
  const uint64_t packed = values_.starts.back() / 2 + values_.count;
  PCHRONICLE_ASSIGN_OR_RETURN(std::optional<EncodedPage> page,
                              TryDictionary(levels, values_, {packed, 0}, options_));
  if (page) {
    return *std::move(page);
  }
  const bool wide = values_.longest >= kWideValue;
  PCHRONICLE_ASSIGN_OR_RETURN(const TextChoice choice,
                              ChooseTextForm(values_, wide, &trainer_, &zstd_));
  if (!wide) {
    const auto encoder = MakeTextEncoder(values_, choice.form, choice.fsst, &zstd_);
    PCHRONICLE_ASSIGN_OR_RETURN(page, WriteMiniBlock(levels, encoder.get(), nullptr, options_));
    if (page) {
      return *std::move(page);
    }
  }
  return WriteFullZipTexts(levels, values_, choice.form, choice.fsst, &zstd_);
}

Result<EncodedPage> PageEncoder::EncodeFixed(const LeafLevels& levels) {
  const bool list = !values_.lists.empty();
  const bool bits = values_.item->id == columnar::TypeId::kBool;
  if (options_.version_2_2 && !list && levels.def.empty() && levels.rep.empty() &&
      values_.width <= kMaxConstantBytes && AllSame(values_)) {
    return WriteConstant(levels, values_.fixed(0));
  }
  std::unique_ptr<ChunkEncoder> encoder;
  if (values_.width * values_.items >= kWideValue) {
    return WriteFullZipFixed(levels, values_);
  }
  if (list) {
    encoder = MakeFixedSizeListEncoder(values_);
  } else if (bits) {
    encoder = MakeBitEncoder(Chars(values_.bytes));
  } else {
    SizedEncoder sized = MakeNumberEncoder(Chars(values_.bytes), values_.width, values_.count);
    if (values_.width > sizeof(uint16_t)) {
      // Finding items is slow, and so is reading through them: not for a small gain.
      PCHRONICLE_ASSIGN_OR_RETURN(
          std::optional<EncodedPage> page,
          TryDictionary(levels, values_, {sized.bytes / 4 * 3, sized.runs}, options_));
      if (page) {
        return *std::move(page);
      }
    }
    encoder = std::move(sized.encoder);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(std::optional<EncodedPage> page,
                              WriteMiniBlock(levels, encoder.get(), nullptr, options_));
  return page ? *std::move(page) : WriteFullZipFixed(levels, values_);
}

Result<EncodedPage> PageEncoder::Encode(const LeafLevels& levels,
                                        const columnar::DataTypePtr& type) {
  GatherValues(levels, type, &values_);
  if (NoValue(levels, values_)) {
    return WriteValueless(levels);
  }
  if (values_.texts()) {
    return EncodeTexts(levels);
  }
  if (values_.width * values_.items == 0) {
    return Status::Unsupported("writing values of {}", columnar::ToString(*type));
  }
  return EncodeFixed(levels);
}

}  // namespace pchronicle::lance
