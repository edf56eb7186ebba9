#include "pchronicle/lance/encoding/number_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "pchronicle/codec/bit_width.h"
#include "pchronicle/codec/bits.h"
#include "pchronicle/codec/fastlanes.h"
#include "pchronicle/lance/encoding/compressive.h"

namespace pchronicle::lance {
namespace {

using Kind = proto::CompressiveEncoding::Kind;
using Cuts = std::optional<std::vector<ChunkCut>>;

/// Values to a chunk that may hold so many bytes: a power of two.
size_t ValuesFor(size_t bytes, size_t width, size_t most) {
  return std::min(most, std::bit_floor(std::max<size_t>(bytes / width, 2)));
}

void Assign(std::string_view bytes, columnar::Buffer* out) {
  out->Clear();
  out->Append(bytes.data(), bytes.size());
}

class FlatEncoder : public ChunkEncoder {
 public:
  FlatEncoder(std::string_view values, size_t width) : values_(values), width_(width) {
    encoding_ = FlatEncoding(width * 8);
  }
  Cuts Cut(const ChunkCutter& cutter) const override {
    return cutter.Cut(ValuesFor(kChunkBytes, width_, kMostValues),
                      [](size_t, size_t) { return true; });
  }
  Status Encode(size_t from, size_t count, std::vector<columnar::Buffer>* out) override {
    Assign(values_.substr(from * width_, count * width_), &(*out)[0]);
    return Status::Ok();
  }

 private:
  std::string_view values_;
  size_t width_;
};

void PackBits(std::string_view bytes, columnar::Buffer* out) {
  out->Resize(codec::BitmapBytes(bytes.size()));
  codec::BytesToBits(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), out->data(), 0);
}

class BitEncoder : public ChunkEncoder {
 public:
  explicit BitEncoder(std::string_view values) : values_(values) { encoding_ = FlatEncoding(1); }
  Cuts Cut(const ChunkCutter& cutter) const override {
    return cutter.Cut(kMostValues, [](size_t, size_t) { return true; });
  }
  Status Encode(size_t from, size_t count, std::vector<columnar::Buffer>* out) override {
    PackBits(values_.substr(from, count), &(*out)[0]);
    return Status::Ok();
  }

 private:
  std::string_view values_;
};

/// A word with the width, then one FastLanes block; what a chunk lacks to 1024 values is zeros.
template <typename T>
class BitpackEncoder : public ChunkEncoder {
 public:
  explicit BitpackEncoder(const T* values) : values_(values) {
    encoding_ = InlineBitpacking(sizeof(T) * 8);
  }
  Cuts Cut(const ChunkCutter& cutter) const override {
    return cutter.Cut(codec::kFastLanesBlock, [](size_t, size_t) { return true; });
  }
  Status Encode(size_t from, size_t count, std::vector<columnar::Buffer>* out) override {
    const T* values = values_ + from;
    if (count < codec::kFastLanesBlock) {
      std::memcpy(block_, values, count * sizeof(T));
      std::memset(block_ + count, 0, sizeof(block_) - count * sizeof(T));
      values = block_;
    }
    const unsigned width = codec::BitWidthOf(values, codec::kFastLanesBlock);
    const T word = static_cast<T>(width);
    columnar::Buffer& packed = (*out)[0];
    packed.Resize(sizeof(T) + codec::FastLanesBytes(width));
    std::memcpy(packed.data(), &word, sizeof(T));
    codec::FastLanesPack(width, values, packed.data() + sizeof(T));
    return Status::Ok();
  }

 private:
  const T* values_;
  T block_[codec::kFastLanesBlock];
};

constexpr size_t kLongestRun = UINT8_MAX;

template <typename T>
class RunEncoder : public ChunkEncoder {
 public:
  explicit RunEncoder(const T* values) : values_(values) {
    encoding_.kind = Kind::kRle;
    encoding_.children = {FlatEncoding(sizeof(T) * 8), FlatEncoding(8)};
  }
  size_t buffers() const override { return 2; }
  Cuts Cut(const ChunkCutter& cutter) const override {
    // Even when no value repeats, a value takes its width and one byte.
    return cutter.Cut(ValuesFor(kChunkBytes + kChunkBytes / 2, sizeof(T) + 1, kMostValues),
                      [](size_t, size_t) { return true; });
  }
  Status Encode(size_t from, size_t count, std::vector<columnar::Buffer>* out) override {
    columnar::Buffer &values = (*out)[0], &lengths = (*out)[1];
    values.Clear();
    lengths.Clear();
    values.Reserve(count * sizeof(T));
    lengths.Reserve(count);
    const T* at = values_ + from;
    const T* const end = at + count;
    while (at != end) {
      const T* run = at + 1;
      while (run != end && *run == *at && static_cast<size_t>(run - at) < kLongestRun) {
        ++run;
      }
      std::memcpy(values.data() + values.size(), at, sizeof(T));
      values.Advance(sizeof(T));
      lengths.data()[lengths.size()] = static_cast<uint8_t>(run - at);
      lengths.Advance(1);
      at = run;
    }
    return Status::Ok();
  }

 private:
  const T* values_;
};

/// What the encodings of a page would take.
struct NumberSizes {
  uint64_t packed = 0;
  uint64_t runs = 0;
  uint64_t run_bytes = 0;
};

template <typename T>
NumberSizes Measure(const T* values, size_t count) {
  NumberSizes sizes;
  for (size_t at = 0; at < count; at += codec::kFastLanesBlock) {
    const size_t n = std::min(codec::kFastLanesBlock, count - at);
    sizes.packed += sizeof(T) + codec::FastLanesBytes(codec::BitWidthOf(values + at, n));
  }
  sizes.runs = 1 + codec::CountChanges(values, count);
  // Long runs are cut, and so are runs at the ends of chunks.
  sizes.run_bytes = (sizes.runs + count / kLongestRun) * (sizeof(T) + 1);
  return sizes;
}

template <typename T>
SizedEncoder MakeSized(std::string_view bytes, size_t count) {
  const T* values = reinterpret_cast<const T*>(bytes.data());
  const NumberSizes sizes = Measure(values, count);
  const uint64_t flat = uint64_t{count} * sizeof(T);
  if (sizes.run_bytes < flat && sizes.run_bytes < sizes.packed) {
    return {std::make_unique<RunEncoder<T>>(values), sizes.run_bytes, sizes.runs};
  }
  if (sizes.packed < flat) {
    return {std::make_unique<BitpackEncoder<T>>(values), sizes.packed, sizes.runs};
  }
  return {std::make_unique<FlatEncoder>(bytes, sizeof(T)), flat, sizes.runs};
}

class ListEncoder : public ChunkEncoder {
 public:
  explicit ListEncoder(const LeafValues& values)
      : values_(values),
        bits_(values.item->id == columnar::TypeId::kBool),
        items_(static_cast<size_t>(values.items)) {
    encoding_ = FixedSizeListEncoding(values, 1);
    for (const ItemValidity& level : values.lists) {
      buffers_ += level.has_nulls ? 1 : 0;
    }
  }
  size_t buffers() const override { return buffers_; }
  Cuts Cut(const ChunkCutter& cutter) const override {
    const size_t bytes = (values_.width + 1) * items_;  // validity takes less than a byte an item
    return cutter.Cut(ValuesFor(kChunkBytes, std::max<size_t>(bytes, 1), kMostValues),
                      [](size_t, size_t) { return true; });
  }
  Status Encode(size_t from, size_t count, std::vector<columnar::Buffer>* out) override {
    size_t buffer = 0;
    for (const ItemValidity& level : values_.lists) {
      if (!level.has_nulls) {
        continue;
      }
      const size_t n = static_cast<size_t>(level.items);
      columnar::Buffer& bits = (*out)[buffer++];
      bits.Resize(codec::BitmapBytes(count * n));
      codec::CopyBits(level.bits.data(), from * n, count * n, bits.data(), 0);
    }
    const std::string_view items =
        std::string_view(reinterpret_cast<const char*>(values_.bytes.data()), values_.bytes.size())
            .substr(from * items_ * values_.width, count * items_ * values_.width);
    bits_ ? PackBits(items, &(*out)[buffer]) : Assign(items, &(*out)[buffer]);
    return Status::Ok();
  }

 private:
  const LeafValues& values_;
  bool bits_;
  size_t items_;
  size_t buffers_ = 1;
};

}  // namespace

SizedEncoder MakeNumberEncoder(std::string_view values, size_t width, size_t count) {
  switch (width) {
    case 1:
      return MakeSized<uint8_t>(values, count);
    case 2:
      return MakeSized<uint16_t>(values, count);
    case 4:
      return MakeSized<uint32_t>(values, count);
    case 8:
      return MakeSized<uint64_t>(values, count);
    default:
      return {std::make_unique<FlatEncoder>(values, width), uint64_t{width} * count};
  }
}

std::unique_ptr<ChunkEncoder> MakeBitEncoder(std::string_view values) {
  return std::make_unique<BitEncoder>(values);
}

std::unique_ptr<ChunkEncoder> MakeFixedSizeListEncoder(const LeafValues& values) {
  return std::make_unique<ListEncoder>(values);
}

proto::CompressiveEncoding FixedSizeListEncoding(const LeafValues& values, uint64_t bool_bits) {
  const bool bits = values.item->id == columnar::TypeId::kBool;
  proto::CompressiveEncoding encoding = FlatEncoding(bits ? bool_bits : values.width * 8);
  for (size_t i = values.lists.size(); i-- > 0;) {
    encoding = WrapEncoding(Kind::kFixedSizeList, std::move(encoding));
    encoding.items = values.lists[i].items / (i == 0 ? 1 : values.lists[i - 1].items);
    encoding.has_validity = values.lists[i].has_nulls;
  }
  return encoding;
}

}  // namespace pchronicle::lance
