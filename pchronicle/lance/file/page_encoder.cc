#include "pchronicle/lance/file/page_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "pchronicle/codec/fastlanes.h"
#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {
namespace {

using proto::CompressiveEncoding;
using Kind = CompressiveEncoding::Kind;

constexpr size_t kWideValue = 256;        // bytes from which values are stored full-zip
constexpr size_t kChunkBytes = 16 << 10;  // of values before compression
constexpr size_t kMostValues = 4096;      // of a chunk
constexpr size_t kZstdPageBytes = 4 << 10;
constexpr size_t kDictionaryRows = 100;

CompressiveEncoding Flat(uint64_t bits) {
  CompressiveEncoding flat;
  flat.kind = Kind::kFlat;
  flat.bits = bits;
  return flat;
}

CompressiveEncoding Inline(uint64_t bits) {
  CompressiveEncoding encoding = Flat(bits);
  encoding.kind = Kind::kInlineBitpacking;
  return encoding;
}

CompressiveEncoding Wrap(Kind kind, CompressiveEncoding child) {
  CompressiveEncoding encoding;
  encoding.kind = kind;
  encoding.children.push_back(std::move(child));
  return encoding;
}

CompressiveEncoding Zstd(CompressiveEncoding values) {
  CompressiveEncoding general = Wrap(Kind::kGeneral, std::move(values));
  general.scheme = static_cast<uint32_t>(proto::CompressionScheme::kZstd);
  return general;
}

template <typename T>
void Put(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void PadTo8(std::string* out) { out->resize((out->size() + 7) / 8 * 8, '\xfe'); }

/// The value buffers of one chunk.
using ChunkValues = std::vector<std::string>;

/// How values are cut and encoded, chosen for a page.
struct Plan {
  CompressiveEncoding encoding;
  size_t chunk_values = 0;  // a power of two
  std::vector<ChunkValues> chunks;
  size_t buffers = 1;

  size_t bytes() const {
    size_t sum = 0;
    for (const ChunkValues& chunk : chunks) {
      for (const std::string& buffer : chunk) {
        sum += buffer.size();
      }
    }
    return sum;
  }
};

size_t PowerOfTwoBelow(size_t n) { return std::bit_floor(std::max<size_t>(n, 2)); }

Plan PlanFlat(std::string_view bytes, size_t width, size_t rows) {
  Plan plan;
  plan.encoding = Flat(width * 8);
  plan.chunk_values = std::min(kMostValues, PowerOfTwoBelow(kChunkBytes / width));
  for (size_t at = 0; at < rows; at += plan.chunk_values) {
    const size_t n = std::min(plan.chunk_values, rows - at);
    plan.chunks.push_back({std::string(bytes.substr(at * width, n * width))});
  }
  return plan;
}

Plan PlanBits(std::string_view bytes, size_t rows) {
  Plan plan;
  plan.encoding = Flat(1);
  plan.chunk_values = kMostValues;
  for (size_t at = 0; at < rows; at += plan.chunk_values) {
    const size_t n = std::min(plan.chunk_values, rows - at);
    std::string bits((n + 7) / 8, '\0');
    for (size_t i = 0; i < n; ++i) {
      bits[i / 8] = static_cast<char>(bits[i / 8] | (bytes[at + i] & 1) << (i % 8));
    }
    plan.chunks.push_back({std::move(bits)});
  }
  return plan;
}

/// Nothing when a value needs every bit.
template <typename T>
std::optional<Plan> PlanBitpacked(std::string_view bytes, size_t rows) {
  Plan plan;
  plan.encoding = Inline(sizeof(T) * 8);
  plan.chunk_values = codec::kFastLanesBlock;
  T block[codec::kFastLanesBlock];
  for (size_t at = 0; at < rows; at += plan.chunk_values) {
    const size_t n = std::min(plan.chunk_values, rows - at);
    std::memset(block, 0, sizeof(block));
    std::memcpy(block, bytes.data() + at * sizeof(T), n * sizeof(T));
    T all = 0;
    for (size_t i = 0; i < n; ++i) {
      all = static_cast<T>(all | block[i]);
    }
    const auto width = static_cast<unsigned>(std::bit_width(all));
    if (width == sizeof(T) * 8) {
      return std::nullopt;
    }
    std::string packed;
    Put(static_cast<T>(width), &packed);
    packed.resize(sizeof(T) + codec::FastLanesBytes(width));
    codec::FastLanesPack(width, block, reinterpret_cast<uint8_t*>(packed.data()) + sizeof(T));
    plan.chunks.push_back({std::move(packed)});
  }
  return plan;
}

Plan PlanRuns(std::string_view bytes, size_t width, size_t rows) {
  Plan plan;
  plan.encoding.kind = Kind::kRle;
  plan.encoding.children = {Flat(width * 8), Flat(8)};
  plan.chunk_values = 2048;
  plan.buffers = 2;
  for (size_t at = 0; at < rows; at += plan.chunk_values) {
    const size_t n = std::min(plan.chunk_values, rows - at);
    std::string values, lengths;
    for (size_t i = 0; i < n;) {
      const std::string_view value = bytes.substr((at + i) * width, width);
      size_t run = 1;
      while (run < 255 && i + run < n && bytes.substr((at + i + run) * width, width) == value) {
        ++run;
      }
      values += value;
      lengths += static_cast<char>(run);
      i += run;
    }
    plan.chunks.push_back({std::move(values), std::move(lengths)});
  }
  return plan;
}

void KeepSmaller(Plan candidate, Plan* best) {
  if (candidate.bytes() < best->bytes()) {
    *best = std::move(candidate);
  }
}

Plan PlanFixed(std::string_view bytes, size_t width, size_t rows) {
  Plan best = PlanFlat(bytes, width, rows);
  std::optional<Plan> packed;
  switch (width) {
    case 1:
      packed = PlanBitpacked<uint8_t>(bytes, rows);
      break;
    case 2:
      packed = PlanBitpacked<uint16_t>(bytes, rows);
      break;
    case 4:
      packed = PlanBitpacked<uint32_t>(bytes, rows);
      break;
    case 8:
      packed = PlanBitpacked<uint64_t>(bytes, rows);
      break;
    default:
      return best;
  }
  if (packed) {
    KeepSmaller(*std::move(packed), &best);
  }
  KeepSmaller(PlanRuns(bytes, width, rows), &best);
  return best;
}

/// Texts of one chunk: offsets from its start, then the bytes.
template <typename Offset>
std::string TextChunk(const PageValues& values, size_t at, size_t n) {
  std::string chunk;
  const uint64_t head = (n + 1) * sizeof(Offset), first = values.starts[at];
  chunk.reserve(static_cast<size_t>(head + values.starts[at + n] - first));
  for (size_t i = 0; i <= n; ++i) {
    Put(static_cast<Offset>(head + values.starts[at + i] - first), &chunk);
  }
  chunk +=
      std::string_view(values.bytes)
          .substr(static_cast<size_t>(first), static_cast<size_t>(values.starts[at + n] - first));
  chunk.resize((chunk.size() + sizeof(Offset) - 1) / sizeof(Offset) * sizeof(Offset), 'H');
  return chunk;
}

/// The largest power of two of rows whose texts fit a chunk everywhere in the page.
size_t TextChunkValues(const PageValues& values, size_t limit) {
  size_t n = kMostValues;
  for (size_t at = 0; at < values.rows && n > 2;) {
    const size_t end = std::min(values.rows, at + n);
    if (values.starts[end] - values.starts[at] + (end - at) * 8 > limit) {
      n /= 2;
    } else {
      at = end;
    }
  }
  return n;
}

Result<std::string> CompressZstd(std::string_view bytes, codec::ZstdCompressor* zstd) {
  std::string out;
  Put(uint64_t{bytes.size()}, &out);
  const size_t head = out.size();
  out.resize(head + codec::ZstdCompressor::MaxCompressed(bytes.size()));
  PCHRONICLE_ASSIGN_OR_RETURN(
      const size_t size,
      zstd->Compress({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
                     {reinterpret_cast<uint8_t*>(out.data()) + head, out.size() - head}));
  out.resize(head + size);
  return out;
}

template <typename Offset>
Result<Plan> PlanTexts(const PageValues& values, codec::ZstdCompressor* zstd) {
  const auto plan_with = [&](size_t limit) {
    Plan plan;
    plan.encoding = Wrap(Kind::kVariable, Flat(sizeof(Offset) * 8));
    plan.chunk_values = TextChunkValues(values, limit);
    for (size_t at = 0; at < values.rows; at += plan.chunk_values) {
      plan.chunks.push_back(
          {TextChunk<Offset>(values, at, std::min(plan.chunk_values, values.rows - at))});
    }
    return plan;
  };
  Plan plain = plan_with(kChunkBytes), packed = plan_with(kChunkBytes + kChunkBytes / 2);
  packed.encoding = Zstd(std::move(packed.encoding));
  for (ChunkValues& chunk : packed.chunks) {
    PCHRONICLE_ASSIGN_OR_RETURN(chunk[0], CompressZstd(chunk[0], zstd));
  }
  return packed.bytes() * 10 < plain.bytes() * 9 ? std::move(packed) : std::move(plain);
}

/// Levels 0 and 1 of a chunk, packed to one bit: full blocks, then the rest as it is or as one more
/// block, whichever is shorter; its length tells.
std::string PackLevels(const uint8_t* valid, size_t n) {
  std::string out;
  for (size_t at = 0; at < n; at += codec::kFastLanesBlock) {
    uint16_t block[codec::kFastLanesBlock] = {};
    const size_t count = std::min(codec::kFastLanesBlock, n - at);
    for (size_t i = 0; i < count; ++i) {
      block[i] = valid[at + i] != 0 ? 0 : 1;
    }
    if (count * sizeof(uint16_t) <= codec::FastLanesBytes(1)) {
      out.append(reinterpret_cast<const char*>(block), count * sizeof(uint16_t));
      continue;
    }
    const size_t old = out.size();
    out.resize(old + codec::FastLanesBytes(1));
    codec::FastLanesPack(1, block, reinterpret_cast<uint8_t*>(out.data()) + old);
  }
  return out;
}

proto::WireWriter LayerMessage(uint32_t field, bool nullable) {
  proto::WireWriter out;
  out.Bytes(field, nullable ? "\x03" : "\x01");
  return out;
}

/// Items of a dictionary with what describes them.
struct Dictionary {
  CompressiveEncoding encoding;
  std::string bytes;
  uint64_t items = 0;
};

EncodedPage WriteMiniBlock(const PageValues& values, const Plan& plan, const Dictionary* dictionary,
                           bool large) {
  EncodedPage page;
  page.rows = values.rows;
  page.buffers.resize(2);
  const bool nullable = values.nulls != 0;
  for (size_t c = 0; c < plan.chunks.size(); ++c) {
    const size_t at = c * plan.chunk_values, n = std::min(plan.chunk_values, values.rows - at);
    const std::string levels = nullable ? PackLevels(values.valid.data() + at, n) : std::string();
    std::string chunk;
    Put(static_cast<uint16_t>(nullable ? n : 0), &chunk);
    if (nullable) {
      Put(static_cast<uint16_t>(levels.size()), &chunk);
    }
    for (const std::string& buffer : plan.chunks[c]) {
      large ? Put(static_cast<uint32_t>(buffer.size()), &chunk)
            : Put(static_cast<uint16_t>(buffer.size()), &chunk);
    }
    PadTo8(&chunk);
    if (nullable) {
      chunk += levels;
      PadTo8(&chunk);
    }
    for (const std::string& buffer : plan.chunks[c]) {
      chunk += buffer;
      PadTo8(&chunk);
    }
    const bool last = c + 1 == plan.chunks.size();
    const auto log = static_cast<uint32_t>(last ? 0 : std::countr_zero(plan.chunk_values));
    const auto word = static_cast<uint32_t>((chunk.size() / 8 - 1) << 4 | log);
    large ? Put(word, &page.buffers[0]) : Put(static_cast<uint16_t>(word), &page.buffers[0]);
    page.buffers[1] += chunk;
  }
  proto::WireWriter mini, layout;
  if (nullable) {
    CompressiveEncoding levels = Wrap(Kind::kOutOfLineBitpacking, Flat(1));
    levels.bits = 16;
    mini.Message(2, proto::Write(levels));
  }
  mini.Message(3, proto::Write(plan.encoding));
  if (dictionary != nullptr) {
    mini.Message(4, proto::Write(dictionary->encoding));
    mini.Number(5, dictionary->items);
    page.buffers.push_back(dictionary->bytes);
  }
  mini.Raw(LayerMessage(6, nullable).bytes());
  mini.Number(7, plan.buffers);
  mini.Number(9, values.rows);
  mini.Flag(10, large);
  layout.Message(1, mini);
  page.layout = layout.Take();
  return page;
}

EncodedPage WriteAllNull(const PageValues& values) {
  EncodedPage page;
  page.rows = values.rows;
  proto::WireWriter layout;
  layout.Message(2, LayerMessage(5, true));
  page.layout = layout.Take();
  return page;
}

/// Entries of control word, length and bytes, and the position of each.
struct ZipEntries {
  std::string bytes;
  std::vector<uint64_t> positions;
};

EncodedPage WriteFullZip(const PageValues& values, ZipEntries entries,
                         const CompressiveEncoding& encoding, uint32_t size_field, uint64_t bits) {
  EncodedPage page;
  page.rows = values.rows;
  const uint64_t end = entries.bytes.size();
  page.buffers.push_back(std::move(entries.bytes));
  if (!entries.positions.empty()) {
    const size_t width = end <= UINT8_MAX ? 1 : end <= UINT16_MAX ? 2 : end <= UINT32_MAX ? 4 : 8;
    std::string index;
    entries.positions.push_back(end);
    for (const uint64_t position : entries.positions) {
      index.append(reinterpret_cast<const char*>(&position), width);
    }
    page.buffers.push_back(std::move(index));
  }
  proto::WireWriter zip, layout;
  zip.Number(2, values.nulls != 0 ? 1 : 0);
  zip.Number(size_field, bits);
  zip.Number(5, values.rows);
  zip.Number(6, values.rows);
  zip.Message(7, proto::Write(encoding));
  zip.Raw(LayerMessage(8, values.nulls != 0).bytes());
  layout.Message(3, zip);
  page.layout = layout.Take();
  return page;
}

constexpr uint32_t kBitsPerValue = 3, kBitsPerOffset = 4;

EncodedPage WriteWideFixed(const PageValues& values, size_t width) {
  ZipEntries entries;
  for (size_t i = 0; i < values.rows; ++i) {
    if (values.nulls != 0) {
      entries.bytes += values.valid[i] != 0 ? '\0' : '\1';
    }
    entries.bytes += std::string_view(values.bytes).substr(i * width, width);
  }
  return WriteFullZip(values, std::move(entries), Flat(width * 8), kBitsPerValue, width * 8);
}

template <typename Offset>
Result<EncodedPage> WriteWideTexts(const PageValues& values, codec::ZstdCompressor* zstd) {
  const auto text = [&](size_t i) {
    return std::string_view(values.bytes)
        .substr(static_cast<size_t>(values.starts[i]),
                static_cast<size_t>(values.starts[i + 1] - values.starts[i]));
  };
  ZipEntries plain, packed;
  bool compress = values.bytes.size() >= kZstdPageBytes;
  for (size_t i = 0; i < values.rows; ++i) {
    for (ZipEntries* entries : {&plain, &packed}) {
      entries->positions.push_back(entries->bytes.size());
      if (values.nulls != 0) {
        entries->bytes += values.valid[i] != 0 ? '\0' : '\1';
      }
    }
    if (values.valid[i] == 0) {
      continue;
    }
    Put(static_cast<Offset>(text(i).size()), &plain.bytes);
    plain.bytes += text(i);
    if (compress) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string frame, CompressZstd(text(i), zstd));
      Put(static_cast<Offset>(frame.size()), &packed.bytes);
      packed.bytes += frame;
    }
    // A page that does not gain on its first MiB will not gain.
    if (compress && plain.bytes.size() > (1 << 20) &&
        packed.bytes.size() * 10 >= plain.bytes.size() * 9) {
      compress = false;
      packed = ZipEntries();
    }
  }
  const CompressiveEncoding variable = Wrap(Kind::kVariable, Flat(sizeof(Offset) * 8));
  if (compress && packed.bytes.size() * 10 < plain.bytes.size() * 9) {
    return WriteFullZip(values, std::move(packed), Zstd(variable), kBitsPerOffset,
                        sizeof(Offset) * 8);
  }
  return WriteFullZip(values, std::move(plain), variable, kBitsPerOffset, sizeof(Offset) * 8);
}

/// Distinct values and the number of each row's; nothing when more than a quarter are distinct.
struct Distinct {
  std::vector<std::string_view> items;
  std::string indices;  // u32 each; 0 where the row is null
};

template <typename ValueAt>
std::optional<Distinct> FindDistinct(const PageValues& values, ValueAt&& value_at) {
  if (values.rows < kDictionaryRows) {
    return std::nullopt;
  }
  Distinct found;
  std::unordered_map<std::string_view, uint32_t> numbers;
  for (size_t i = 0; i < values.rows; ++i) {
    uint32_t index = 0;
    if (values.valid[i] != 0) {
      const auto [place, added] =
          numbers.emplace(value_at(i), static_cast<uint32_t>(found.items.size()));
      if (added) {
        found.items.push_back(place->first);
        if (found.items.size() > values.rows / 4) {
          return std::nullopt;
        }
      }
      index = place->second;
    }
    Put(index, &found.indices);
  }
  return found;
}

template <typename Offset>
Dictionary TextDictionary(const Distinct& distinct) {
  Dictionary dictionary;
  dictionary.encoding = Wrap(Kind::kVariable, Flat(sizeof(Offset) * 8));
  dictionary.items = distinct.items.size();
  Put(static_cast<Offset>(sizeof(Offset) * 8), &dictionary.bytes);
  Put(static_cast<Offset>((distinct.items.size() + 3) * sizeof(Offset)), &dictionary.bytes);
  Offset end = 0;
  Put(end, &dictionary.bytes);
  for (const std::string_view item : distinct.items) {
    end = static_cast<Offset>(end + item.size());
    Put(end, &dictionary.bytes);
  }
  for (const std::string_view item : distinct.items) {
    dictionary.bytes += item;
  }
  return dictionary;
}

template <typename Offset>
Result<EncodedPage> EncodeTexts(const PageValues& values, bool large_chunks,
                                codec::ZstdCompressor* zstd) {
  const auto text = [&](size_t i) {
    return std::string_view(values.bytes)
        .substr(static_cast<size_t>(values.starts[i]),
                static_cast<size_t>(values.starts[i + 1] - values.starts[i]));
  };
  if (const auto distinct = FindDistinct(values, text)) {
    const Dictionary dictionary = TextDictionary<Offset>(*distinct);
    const Plan indices = PlanFixed(distinct->indices, 4, values.rows);
    if (indices.bytes() + dictionary.bytes.size() < values.bytes.size() + values.rows) {
      return WriteMiniBlock(values, indices, &dictionary, large_chunks);
    }
  }
  for (size_t i = 0; i < values.rows; ++i) {
    if (text(i).size() >= kWideValue) {
      return WriteWideTexts<Offset>(values, zstd);
    }
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const Plan plan, PlanTexts<Offset>(values, zstd));
  return WriteMiniBlock(values, plan, nullptr, large_chunks);
}

EncodedPage EncodeFixed(const PageValues& values, size_t width, bool large_chunks) {
  const Plan plan = PlanFixed(values.bytes, width, values.rows);
  const auto value = [&](size_t i) {
    return std::string_view(values.bytes).substr(i * width, width);
  };
  if (width > 2) {
    if (const auto distinct = FindDistinct(values, value)) {
      Dictionary dictionary;
      dictionary.encoding = Flat(width * 8);
      dictionary.items = distinct->items.size();
      for (const std::string_view item : distinct->items) {
        dictionary.bytes += item;
      }
      const Plan indices = PlanFixed(distinct->indices, 4, values.rows);
      if (indices.bytes() + dictionary.bytes.size() < plan.bytes()) {
        return WriteMiniBlock(values, indices, &dictionary, large_chunks);
      }
    }
  }
  return WriteMiniBlock(values, plan, nullptr, large_chunks);
}

}  // namespace

Result<EncodedPage> PageEncoder::Encode(const PageValues& values) {
  if (values.nulls == values.rows) {
    return WriteAllNull(values);
  }
  const columnar::TypeId id = values.type->id;
  if (columnar::IsVariable(id)) {
    return columnar::HasLargeOffsets(id)
               ? EncodeTexts<uint64_t>(values, options_.large_chunks, &zstd_)
               : EncodeTexts<uint32_t>(values, options_.large_chunks, &zstd_);
  }
  if (id == columnar::TypeId::kBool) {
    return WriteMiniBlock(values, PlanBits(values.bytes, values.rows), nullptr,
                          options_.large_chunks);
  }
  const size_t width = columnar::ByteWidth(*values.type);
  if (width == 0) {
    return Status::Unsupported("writing a column of {}", columnar::ToString(*values.type));
  }
  return width >= kWideValue ? WriteWideFixed(values, width)
                             : EncodeFixed(values, width, options_.large_chunks);
}

}  // namespace pchronicle::lance
