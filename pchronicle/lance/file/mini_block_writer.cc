#include "pchronicle/lance/file/mini_block_writer.h"

#include <bit>
#include <cstring>

#include "pchronicle/lance/encoding/level_encoder.h"
#include "pchronicle/lance/file/page_layout_writer.h"

namespace pchronicle::lance {
namespace {

/// Positions and sizes of 2.1 chunks have 16 bits.
constexpr size_t kMaxChunkBytes = 32 << 10;

template <typename T>
void Put(uint64_t value, columnar::Buffer* out) {
  const auto number = static_cast<T>(value);
  out->Append(&number, sizeof(number));
}

void PadTo8(columnar::Buffer* out) {
  constexpr uint8_t kFill[8] = {0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe};
  out->Append(kFill, (8 - out->size() % 8) % 8);
}

void AppendPadded(const void* bytes, size_t size, columnar::Buffer* out) {
  out->Append(bytes, size);
  PadTo8(out);
}

/// For each chunk: rows that end in it, and entries of the row that goes on in the next one.
class RepetitionIndex {
 public:
  explicit RepetitionIndex(const LeafLevels& levels) : levels_(levels) {}

  void Add(const ChunkCut& cut, bool last) {
    const uint16_t* rep = levels_.rep.data() + cut.entry;
    uint64_t ended = last ? 1 : 0, pending = last ? 0 : cut.entries;
    for (size_t i = 1; i < cut.entries; ++i) {
      if (rep[i] == levels_.lists) {
        ++ended;
        pending = last ? 0 : cut.entries - i;
      }
    }
    // Only now it is known that the last row of the chunk before was complete.
    if (!numbers_.empty() && rep[0] == levels_.lists) {
      numbers_[numbers_.size() - 2] += 1;
      numbers_.back() = 0;
    }
    numbers_.push_back(ended);
    numbers_.push_back(pending);
  }
  columnar::Buffer Take() const {
    columnar::Buffer out;
    out.Append(numbers_.data(), numbers_.size() * sizeof(uint64_t));
    return out;
  }

 private:
  const LeafLevels& levels_;
  std::vector<uint64_t> numbers_;
};

class ChunkWriter {
 public:
  ChunkWriter(const LeafLevels& levels, std::span<const ChunkCut> cuts, ChunkEncoder* values,
              bool large)
      : cuts_(cuts),
        rep_(levels.rep, cuts),
        def_(levels.def, cuts),
        values_(values),
        large_(large),
        buffers_(values->buffers()) {}

  const LevelEncoder& rep() const { return rep_; }
  const LevelEncoder& def() const { return def_; }

  /// False: a chunk became too large.
  Result<bool> Write(columnar::Buffer* words, columnar::Buffer* chunks) {
    for (size_t i = 0; i < cuts_.size(); ++i) {
      const size_t start = chunks->size();
      PCHRONICLE_RETURN_IF_ERROR(WriteChunk(cuts_[i], chunks));
      const size_t size = chunks->size() - start;
      if (!large_ && size > kMaxChunkBytes) {
        return false;
      }
      const bool last = i + 1 == cuts_.size();
      const uint64_t word = (uint64_t{size} / 8 - 1) << 4 |
                            (last ? 0 : static_cast<uint64_t>(std::countr_zero(cuts_[i].values)));
      large_ ? Put<uint32_t>(word, words) : Put<uint16_t>(word, words);
    }
    return true;
  }

 private:
  Status WriteChunk(const ChunkCut& cut, columnar::Buffer* out) {
    PCHRONICLE_RETURN_IF_ERROR(values_->Encode(cut.value, cut.values, &buffers_));
    rep_bytes_.clear();
    def_bytes_.clear();
    const bool leveled = !rep_.empty() || !def_.empty();
    Put<uint16_t>(leveled ? cut.entries : 0, out);
    if (!rep_.empty()) {
      rep_.Append(cut, &rep_bytes_);
      Put<uint16_t>(rep_bytes_.size(), out);
    }
    if (!def_.empty()) {
      def_.Append(cut, &def_bytes_);
      Put<uint16_t>(def_bytes_.size(), out);
    }
    for (const columnar::Buffer& buffer : buffers_) {
      large_ ? Put<uint32_t>(buffer.size(), out) : Put<uint16_t>(buffer.size(), out);
    }
    PadTo8(out);
    AppendPadded(rep_bytes_.data(), rep_bytes_.size(), out);
    AppendPadded(def_bytes_.data(), def_bytes_.size(), out);
    for (const columnar::Buffer& buffer : buffers_) {
      AppendPadded(buffer.data(), buffer.size(), out);
    }
    return Status::Ok();
  }

  std::span<const ChunkCut> cuts_;
  LevelEncoder rep_, def_;
  ChunkEncoder* values_;
  bool large_;
  std::vector<columnar::Buffer> buffers_;
  std::string rep_bytes_, def_bytes_;
};

std::string Layout(const LeafLevels& levels, const ChunkWriter& chunks, const ChunkEncoder& values,
                   const Dictionary* dictionary, bool large) {
  proto::WireWriter mini, layout;
  if (!chunks.rep().empty()) {
    mini.Message(1, proto::Write(chunks.rep().encoding()));
  }
  if (!chunks.def().empty()) {
    mini.Message(2, proto::Write(chunks.def().encoding()));
  }
  mini.Message(3, proto::Write(values.encoding()));
  if (dictionary != nullptr) {
    mini.Message(4, proto::Write(dictionary->encoding));
    mini.Number(5, dictionary->items);
  }
  WriteLayers(6, levels, &mini);
  mini.Number(7, values.buffers());
  mini.Number(8, levels.lists != 0 ? 1 : 0);
  mini.Number(9, levels.slots);
  mini.Flag(10, large);
  layout.Message(1, mini);
  return layout.Take();
}

}  // namespace

Result<std::optional<EncodedPage>> WriteMiniBlock(const LeafLevels& levels, ChunkEncoder* values,
                                                  const Dictionary* dictionary,
                                                  const EncoderOptions& options) {
  const auto cuts = values->Cut(ChunkCutter(levels));
  if (!cuts) {
    return std::optional<EncodedPage>();
  }
  EncodedPage page;
  page.rows = levels.rows;
  page.buffers.resize(2);
  ChunkWriter chunks(levels, *cuts, values, options.version_2_2);
  PCHRONICLE_ASSIGN_OR_RETURN(const bool fits, chunks.Write(&page.buffers[0], &page.buffers[1]));
  if (!fits) {
    return std::optional<EncodedPage>();
  }
  if (dictionary != nullptr) {
    page.buffers.emplace_back().Append(dictionary->block.data(), dictionary->block.size());
  }
  if (levels.lists != 0) {
    RepetitionIndex index(levels);
    for (size_t i = 0; i < cuts->size(); ++i) {
      index.Add((*cuts)[i], i + 1 == cuts->size());
    }
    page.buffers.push_back(index.Take());
  }
  page.layout = Layout(levels, chunks, *values, dictionary, options.version_2_2);
  return std::optional<EncodedPage>(std::move(page));
}

}  // namespace pchronicle::lance
