#include "pchronicle/lance/encoding/text_choice.h"

#include <algorithm>
#include <span>
#include <vector>

namespace pchronicle::lance {
namespace {

constexpr uint64_t kSmallPage = 4 << 10;
/// The table costs 2.3 KiB, and codes of a small sample say little.
constexpr uint64_t kSmallestFsst = 32 << 10;
/// Of which FSST symbols are made: an eighth of the page, but at least and at most so many pieces
/// evenly over it.
constexpr size_t kFewestTrainPieces = 20, kTrainPieces = 64, kTrainPieceBytes = 512;
/// Whole texts that are compressed for comparison, at most a quarter of a small page.
constexpr size_t kTrialPieces = 8, kLeastTrialBytes = 2 << 10, kTrialBytes = 16 << 10;
/// How much of the FSST size zstd may have to be chosen, in hundredths.
constexpr uint64_t kZstdByValue = 85, kZstdByChunk = 70;

using Text = codec::FsstEncoder::Text;

/// The slot whose text covers the byte at `position`.
size_t SlotAt(const LeafValues& values, uint64_t position) {
  const auto next = std::upper_bound(values.starts.begin(), values.starts.end(), position);
  return static_cast<size_t>(next - values.starts.begin()) - 1;
}

Text Bytes(const LeafValues& values, uint64_t from, uint64_t to) {
  return {values.bytes.data() + from, static_cast<size_t>(to - from)};
}

std::vector<Text> TrainingPieces(const LeafValues& values) {
  std::vector<Text> pieces;
  const uint64_t total = values.starts.back();
  const uint64_t count =
      std::clamp<uint64_t>(total / (8 * kTrainPieceBytes), kFewestTrainPieces, kTrainPieces);
  const uint64_t step = std::max<uint64_t>(total / count, kTrainPieceBytes);
  for (uint64_t at = 0; at < total; at += step) {
    // Symbols must not run over the end of a text.
    const uint64_t stop = std::min(total, at + kTrainPieceBytes);
    for (uint64_t from = at; from < stop;) {
      const uint64_t end = std::min(stop, values.starts[SlotAt(values, from) + 1]);
      pieces.push_back(Bytes(values, from, end));
      from = end;
    }
  }
  return pieces;
}

/// Bytes of trial texts in each form.
struct Trial {
  uint64_t plain = 0, fsst = 0, zstd = 0;
};

class Trials {
 public:
  Trials(const LeafValues& values, bool by_value, const codec::FsstEncoder* fsst,
         codec::ZstdCompressor* zstd)
      : values_(values), by_value_(by_value), fsst_(fsst), zstd_(zstd) {}

  Result<Trial> Run() {
    const uint64_t total = values_.starts.back();
    const uint64_t each =
        std::clamp<uint64_t>(total / (4 * kTrialPieces), kLeastTrialBytes, kTrialBytes);
    const uint64_t step = std::max<uint64_t>(total / kTrialPieces, each);
    size_t next = 0;
    for (uint64_t at = 0; at < total; at += step) {
      const size_t first = std::max(next, SlotAt(values_, at));
      size_t last = first;
      uint64_t bytes = 0;
      while (last < values_.count && bytes < each) {
        bytes += values_.text(last++).size();
      }
      PCHRONICLE_RETURN_IF_ERROR(Try(first, last));
      next = last;
    }
    return trial_;
  }

 private:
  Status Try(size_t first, size_t last) {
    trial_.plain += values_.starts[last] - values_.starts[first];
    return by_value_ ? TryEach(first, last) : TryAll(first, last);
  }
  Status TryEach(size_t first, size_t last) {
    for (size_t slot = first; slot < last; ++slot) {
      const uint64_t from = values_.starts[slot], to = values_.starts[slot + 1];
      if (!values_.is_null(slot)) {
        PCHRONICLE_RETURN_IF_ERROR(Compress(from, to));
      }
      if (fsst_ != nullptr) {
        out_.Resize(codec::FsstEncoder::MaxCoded(static_cast<size_t>(to - from)));
        AddFsst(fsst_->Encode(Bytes(values_, from, to), out_.data()));
      }
    }
    return Status::Ok();
  }
  Status TryAll(size_t first, size_t last) {
    const uint64_t from = values_.starts[first], to = values_.starts[last];
    if (first < last) {
      PCHRONICLE_RETURN_IF_ERROR(Compress(from, to));
    }
    if (fsst_ != nullptr) {
      out_.Resize(codec::FsstEncoder::MaxCoded(static_cast<size_t>(to - from)));
      ends_.resize(last - first);
      AddFsst(fsst_->EncodeAll(values_.bytes.data(), std::span(values_.starts).subspan(first),
                               out_.data(), ends_));
    }
    return Status::Ok();
  }
  void AddFsst(const uint8_t* end) { trial_.fsst += static_cast<uint64_t>(end - out_.data()); }
  Status Compress(uint64_t from, uint64_t to) {
    out_.Clear();
    const Text text = Bytes(values_, from, to);
    PCHRONICLE_RETURN_IF_ERROR(
        AppendZstd({reinterpret_cast<const char*>(text.data()), text.size()}, zstd_, &out_));
    trial_.zstd += out_.size();
    return Status::Ok();
  }

  const LeafValues& values_;
  bool by_value_;
  const codec::FsstEncoder* fsst_;
  codec::ZstdCompressor* zstd_;
  columnar::Buffer out_;
  std::vector<uint64_t> ends_;
  Trial trial_;
};

bool SavesTenth(uint64_t size, uint64_t plain) { return size * 10 < plain * 9; }

}  // namespace

Result<TextChoice> ChooseTextForm(const LeafValues& values, bool by_value,
                                  codec::FsstTrainer* trainer, codec::ZstdCompressor* zstd) {
  TextChoice choice;
  const uint64_t total = values.starts.back();
  if (total < kSmallPage) {
    return choice;
  }
  const codec::FsstEncoder* fsst = nullptr;
  if (total >= kSmallestFsst) {
    fsst = &trainer->Train(TrainingPieces(values));
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const Trial trial, Trials(values, by_value, fsst, zstd).Run());
  const uint64_t share = by_value ? kZstdByValue : kZstdByChunk;
  const bool fsst_saves = fsst != nullptr && SavesTenth(trial.fsst, trial.plain);
  if (SavesTenth(trial.zstd, trial.plain) &&
      (!fsst_saves || trial.zstd * 100 < trial.fsst * share)) {
    choice.form = TextForm::kZstd;
  } else if (fsst_saves) {
    choice.form = TextForm::kFsst;
    choice.fsst = fsst;
  }
  return choice;
}

}  // namespace pchronicle::lance
