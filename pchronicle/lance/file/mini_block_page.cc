#include <algorithm>
#include <utility>

#include "pchronicle/lance/encoding/block_decoder.h"
#include "pchronicle/lance/encoding/value_decoder.h"
#include "pchronicle/lance/file/page_decoder.h"

// Mini-block pages (lance.md B4). Buffers: chunk words, chunks, dictionary if any, repetition index
// if there are lists.

namespace pchronicle::lance {
namespace {

constexpr size_t kChunkWords = 0, kChunks = 1, kDictionary = 2;

uint64_t PadTo8(uint64_t n) { return (n + 7) & ~uint64_t{7}; }

class MiniBlockPage : public LayoutPage {
 public:
  MiniBlockPage(const PageOptions& options, PageSource source, LayerPlan plan)
      : LayoutPage(options, std::move(source), std::move(plan)) {}

  Status Open(const ValueShape& shape);

  Status Append(uint64_t from, uint64_t to, uint64_t ahead, LeafBuilder* out) override {
    ahead_end_ = ahead <= to              ? 0
                 : ahead >= options_.rows ? source_.size(kChunks)
                                          : ChunkEnd(ChunkOfRow(ahead - 1));
    return plan_.lists == 0 ? AppendFlat(from, to, out) : AppendNested(from, to, out);
  }
  Status Prefetch(std::span<const uint64_t> rows) override;
  std::vector<uint64_t> Cuts() const override;

 private:
  Status ReadChunkWords();
  Status ReadRepetitionIndex();
  Status LoadChunk(size_t chunk, uint64_t ahead);
  Status LoadChunkBytes(Bytes bytes, size_t values);
  Status AppendFlat(uint64_t from, uint64_t to, LeafBuilder* out);
  Status AppendNested(uint64_t from, uint64_t to, LeafBuilder* out);
  /// Takes the entries of the loaded chunk that belong to rows from `from` on, up to row `to`.
  /// `row` is the next row to start. True when row `to` starts here.
  Result<bool> TakeEntries(uint64_t from, uint64_t to, uint64_t* row, LeafBuilder* out);

  size_t chunks() const { return chunk_at_.size() - 1; }
  uint64_t ChunkEnd(size_t chunk) const { return chunk_at_[chunk + 1]; }
  /// The chunk where a row starts.
  size_t ChunkOfRow(uint64_t row) const {
    const auto next = std::upper_bound(first_row_.begin(), first_row_.end() - 1, row);
    return static_cast<size_t>(next - first_row_.begin()) - 1;
  }
  const uint16_t* def() const { return def_.size() == 0 ? nullptr : def_.as<uint16_t>(); }

  std::unique_ptr<ValueDecoder> values_;
  std::vector<uint64_t> chunk_at_;     // positions in the chunk buffer, and its end
  std::vector<uint64_t> first_value_;  // of each chunk, and the number of values
  std::vector<uint64_t> first_row_;  // of the rows that start in each chunk, and the number of rows
  uint64_t ahead_end_ = 0;

  // The loaded chunk.
  static constexpr size_t kNone = SIZE_MAX;
  size_t loaded_ = kNone;
  size_t entries_ = 0;
  columnar::Buffer rep_, def_;
  std::vector<Bytes> value_buffers_;
  std::vector<uint16_t> row_rep_, row_def_;  // entries of the rows asked for
};

Status MiniBlockPage::Open(const ValueShape& shape) {
  if (!layout_.values) {
    return Status::Corruption("mini-block page without a value encoding");
  }
  const size_t needed = 2 + (layout_.dictionary ? 1 : 0) + (plan_.lists != 0 ? 1 : 0);
  if (source_.buffers() < needed) {
    return Status::Corruption("mini-block page with {} buffers", source_.buffers());
  }
  if (layout_.buffers > 64) {
    return Status::Corruption("mini-block chunks with {} buffers", layout_.buffers);
  }
  if ((plan_.lists != 0) != layout_.rep.has_value()) {
    return Status::Corruption("mini-block page whose layers and repetition levels disagree");
  }
  PCHRONICLE_RETURN_IF_ERROR(ReadChunkWords());
  if (plan_.lists != 0) {
    PCHRONICLE_RETURN_IF_ERROR(ReadRepetitionIndex());
  } else {
    if (layout_.items != options_.rows) {
      return Status::Corruption("{} values in a page of {} rows", layout_.items, options_.rows);
    }
    first_row_ = first_value_;
  }
  if (!layout_.dictionary) {
    PCHRONICLE_ASSIGN_OR_RETURN(values_,
                                MakeValueDecoder(*layout_.values, shape, options_.context));
    return Status::Ok();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, source_.Whole(kDictionary));
  PCHRONICLE_ASSIGN_OR_RETURN(
      auto items,
      DecodeItems(*layout_.dictionary, bytes, layout_.dictionary_items, shape, options_.context));
  PCHRONICLE_ASSIGN_OR_RETURN(
      values_, MakeDictionaryDecoder(*layout_.values, std::move(items), options_.context));
  return Status::Ok();
}

Status MiniBlockPage::ReadChunkWords() {
  PCHRONICLE_ASSIGN_OR_RETURN(const Bytes words, source_.Whole(kChunkWords));
  const size_t width = layout_.large_chunks ? 4 : 2;
  const size_t count = words.size() / width;
  if (words.size() % width != 0) {
    return Status::Corruption("chunk words of {} bytes", words.size());
  }
  chunk_at_.reserve(count + 1);
  first_value_.reserve(count + 1);
  uint64_t at = 0, value = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t word = width == 4 ? LoadLe<uint32_t>(words.data() + i * 4)
                                     : LoadLe<uint16_t>(words.data() + i * 2);
    chunk_at_.push_back(at);
    first_value_.push_back(value);
    at += (uint64_t{word >> 4} + 1) * 8;
    value += uint64_t{1} << (word & 15);
    if (i + 1 < count && value > layout_.items) {
      return Status::Corruption("chunk {} ends behind the {} values of the page", i, layout_.items);
    }
  }
  chunk_at_.push_back(at);
  first_value_.push_back(layout_.items);
  if (at != source_.size(kChunks) || (count == 0 && layout_.items != 0)) {
    return Status::Corruption("chunks of {} bytes in a buffer of {}", at, source_.size(kChunks));
  }
  return Status::Ok();
}

Status MiniBlockPage::ReadRepetitionIndex() {
  const size_t buffer = layout_.dictionary ? 3 : 2;
  const size_t stride = size_t{layout_.repetition_depth} + 1;
  if (layout_.repetition_depth < 1 || layout_.repetition_depth > 64) {
    return Status::Unsupported("lists in a mini-block page with repetition index depth {}",
                               layout_.repetition_depth);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const Bytes index, source_.Whole(buffer));
  if (index.size() / 8 / stride != chunks() || index.size() != chunks() * stride * 8) {
    return Status::Corruption("repetition index of {} bytes for {} chunks", index.size(), chunks());
  }
  uint64_t finished = 0;
  bool pending = false;
  for (size_t i = 0; i < chunks(); ++i) {
    first_row_.push_back(finished + (pending ? 1 : 0));
    const uint64_t rows = LoadLe<uint64_t>(index.data() + i * stride * 8);
    if (rows > options_.rows - finished || first_row_.back() > options_.rows) {
      return Status::Corruption("repetition index counts more than the {} rows of the page",
                                options_.rows);
    }
    finished += rows;
    pending = LoadLe<uint64_t>(index.data() + i * stride * 8 + 8) != 0;
  }
  if (finished != options_.rows || !std::is_sorted(first_row_.begin(), first_row_.end())) {
    return Status::Corruption("repetition index counts {} of the {} rows of the page", finished,
                              options_.rows);
  }
  first_row_.push_back(options_.rows);
  return Status::Ok();
}

std::vector<uint64_t> MiniBlockPage::Cuts() const {
  return first_row_.size() < 3
             ? std::vector<uint64_t>()
             : std::vector<uint64_t>(first_row_.begin() + 1, first_row_.end() - 1);
}

Status MiniBlockPage::Prefetch(std::span<const uint64_t> rows) {
  std::vector<ByteRange> ranges;
  size_t last = kNone;
  for (const uint64_t row : rows) {
    const size_t chunk = ChunkOfRow(row);
    if (chunk != last && chunk != loaded_) {
      ranges.push_back({chunk_at_[chunk], ChunkEnd(chunk) - chunk_at_[chunk]});
    }
    last = chunk;
  }
  // Windows move when pieces do: the loaded chunk may lie in either.
  loaded_ = kNone;
  return source_.Prefetch(kChunks, ranges);
}

Status MiniBlockPage::LoadChunk(size_t chunk, uint64_t ahead) {
  if (loaded_ == chunk) {
    return Status::Ok();
  }
  loaded_ = kNone;
  PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, source_.Slice(kChunks, chunk_at_[chunk],
                                                               ChunkEnd(chunk) - chunk_at_[chunk],
                                                               std::max(ahead, ahead_end_)));
  const Status status =
      LoadChunkBytes(bytes, static_cast<size_t>(first_value_[chunk + 1] - first_value_[chunk]));
  if (!status.ok()) {
    return status.WithContext(fmt::format("chunk {}", chunk));
  }
  loaded_ = chunk;
  ++options_.context->chunks;
  return Status::Ok();
}

/// Header, level buffers, value buffers, each padded to 8 bytes.
Status MiniBlockPage::LoadChunkBytes(Bytes bytes, size_t values) {
  const size_t size_width = layout_.large_chunks ? 4 : 2;
  const size_t header = 2 + (layout_.rep ? 2 : 0) + (layout_.def ? 2 : 0) +
                        static_cast<size_t>(layout_.buffers) * size_width;
  if (bytes.size() < header) {
    return Status::Corruption("{} bytes are less than its header", bytes.size());
  }
  const uint8_t* word = bytes.data();
  const auto next = [&](size_t width) -> uint64_t {
    const uint64_t value = width == 4 ? LoadLe<uint32_t>(word) : LoadLe<uint16_t>(word);
    word += width;
    return value;
  };
  entries_ = static_cast<size_t>(next(2));
  const uint64_t rep_bytes = layout_.rep ? next(2) : 0, def_bytes = layout_.def ? next(2) : 0;
  uint64_t at = PadTo8(header);
  const auto take = [&](uint64_t size, Bytes* out) {
    if (at > bytes.size() || size > bytes.size() - at) {
      return false;
    }
    *out = bytes.subspan(static_cast<size_t>(at), static_cast<size_t>(size));
    at = PadTo8(at + size);
    return true;
  };
  Bytes rep, def;
  bool fits = take(rep_bytes, &rep) && take(def_bytes, &def);
  value_buffers_.resize(static_cast<size_t>(layout_.buffers));
  for (Bytes& buffer : value_buffers_) {
    const uint64_t size = next(size_width);
    fits = fits && take(size, &buffer);
  }
  if (!fits || at != bytes.size()) {
    return Status::Corruption("its buffers do not fill its {} bytes", bytes.size());
  }
  rep_.Clear();
  def_.Clear();
  if (layout_.rep) {
    PCHRONICLE_RETURN_IF_ERROR(
        DecodeBlock(*layout_.rep, rep, entries_, 2, options_.context, &rep_));
  }
  if (layout_.def) {
    PCHRONICLE_RETURN_IF_ERROR(
        DecodeBlock(*layout_.def, def, entries_, 2, options_.context, &def_));
  }
  if (plan_.lists == 0) {
    if (layout_.def && entries_ != values) {
      return Status::Corruption("{} levels for {} values", entries_, values);
    }
  } else {
    size_t visible = entries_;
    if (layout_.def) {
      const uint16_t* levels = def_.as<uint16_t>();
      visible = static_cast<size_t>(std::count_if(
          levels, levels + entries_, [&](uint16_t level) { return level <= plan_.visible; }));
    }
    if (visible != values) {
      return Status::Corruption("{} visible levels for {} values", visible, values);
    }
  }
  std::span<const Bytes> buffers(value_buffers_);
  return values_->Load(&buffers, values);
}

Status MiniBlockPage::AppendFlat(uint64_t from, uint64_t to, LeafBuilder* out) {
  if (from == to) {
    return Status::Ok();
  }
  const uint64_t needed = ChunkEnd(ChunkOfRow(to - 1));
  for (size_t chunk = ChunkOfRow(from); from < to; ++chunk) {
    PCHRONICLE_RETURN_IF_ERROR(LoadChunk(chunk, needed));
    const auto first = static_cast<size_t>(from - first_value_[chunk]);
    const auto count = static_cast<size_t>(std::min(to, first_value_[chunk + 1]) - from);
    PCHRONICLE_RETURN_IF_ERROR(values_->Append(first, count, &out->values));
    out->structure.AppendFlat(plan_, def() == nullptr ? nullptr : def() + first, count);
    PCHRONICLE_RETURN_IF_ERROR(CheckBatchBytes(options_, *out));
    from += count;
  }
  return Status::Ok();
}

Result<bool> MiniBlockPage::TakeEntries(uint64_t from, uint64_t to, uint64_t* row,
                                        LeafBuilder* out) {
  const uint16_t* rep = rep_.as<uint16_t>();
  size_t begin = *row > from ? 0 : entries_, end = entries_;
  for (size_t i = 0; i < entries_; ++i) {
    if (rep[i] == plan_.lists) {
      if (*row == to) {
        if (to == options_.rows) {
          return Status::Corruption("levels of more than the {} rows of the page", to);
        }
        end = i;
        break;
      }
      if (*row == from) {
        begin = i;
      }
      ++*row;
    }
  }
  const bool done = end != entries_;
  if (begin > end) {
    begin = end;
  }
  const auto visible = [&](size_t a, size_t b) {
    return def() == nullptr
               ? b - a
               : static_cast<size_t>(std::count_if(
                     def() + a, def() + b, [&](uint16_t level) { return level <= plan_.visible; }));
  };
  const size_t skip = visible(0, begin), count = visible(begin, end);
  PCHRONICLE_RETURN_IF_ERROR(values_->Append(skip, count, &out->values));
  row_rep_.insert(row_rep_.end(), rep + begin, rep + end);
  if (def() != nullptr) {
    row_def_.insert(row_def_.end(), def() + begin, def() + end);
  }
  return done;
}

Status MiniBlockPage::AppendNested(uint64_t from, uint64_t to, LeafBuilder* out) {
  if (from == to) {
    return Status::Ok();
  }
  row_rep_.clear();
  row_def_.clear();
  size_t chunk = ChunkOfRow(from);
  const uint64_t needed = ChunkEnd(ChunkOfRow(to - 1));
  uint64_t row = first_row_[chunk];
  for (bool done = false; !done && chunk < chunks(); ++chunk) {
    PCHRONICLE_RETURN_IF_ERROR(LoadChunk(chunk, needed));
    if (row != first_row_[chunk]) {
      return Status::Corruption("chunk {}: rows do not agree with the repetition index", chunk);
    }
    PCHRONICLE_ASSIGN_OR_RETURN(done, TakeEntries(from, to, &row, out));
    PCHRONICLE_RETURN_IF_ERROR(CheckBatchBytes(options_, *out));
  }
  if (row != to) {
    return Status::Corruption("the chunks hold {} of {} rows", row, to);
  }
  return out->structure.AppendNested(plan_, row_rep_, row_def_);
}

}  // namespace

Result<std::unique_ptr<PageDecoder>> OpenMiniBlockPage(const PageOptions& options,
                                                       PageSource source, const ValueShape& shape,
                                                       LayerPlan plan) {
  auto page = std::make_unique<MiniBlockPage>(options, std::move(source), std::move(plan));
  PCHRONICLE_RETURN_IF_ERROR(page->Open(shape));
  return std::unique_ptr<PageDecoder>(std::move(page));
}

}  // namespace pchronicle::lance
