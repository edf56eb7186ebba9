#include "pchronicle/catalog/compressed_input.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "pchronicle/io/nameless_file.h"

namespace pchronicle::catalog {
namespace {

/// Text decoded at once, while other readers of the lane wait.
constexpr size_t kPieceBytes = 64 << 10;

}  // namespace

/// A decoder and the text behind it: the last bytes in a ring, or all of them in a file.
/// Thread-safe.
class CompressedInput::Lane {
 public:
  Lane(std::unique_ptr<json::Decompressor> decoder, size_t history_bytes, bool to_file,
       bool returns)
      : is_return(returns),
        decoder_(std::move(decoder)),
        capacity_(to_file ? kPieceBytes : std::max(history_bytes, 2 * kPieceBytes)),
        // Uninitialised: a small file touches a small part of it.
        ring_(new char[capacity_]) {
    if (to_file) {
      file_.emplace();
    }
  }

  /// Made to get back to the middle of the text: what it decodes was decoded before.
  const bool is_return;

  bool Holds(uint64_t offset) const {
    const std::lock_guard lock(mutex_);
    return offset >= Begin() && (offset <= head_ || file_.has_value());
  }
  uint64_t head() const {
    const std::lock_guard lock(mutex_);
    return head_;
  }

  /// Copies text at `offset`, after decoding up to it; nothing when the lane has left it behind.
  Result<std::optional<size_t>> Read(uint64_t offset, std::span<char> out) {
    const std::lock_guard lock(mutex_);
    if (offset < Begin()) {
      return std::optional<size_t>();
    }
    while (offset >= head_ && !ended_) {
      PCHRONICLE_RETURN_IF_ERROR(Advance());
    }
    if (offset >= head_) {
      return std::optional<size_t>(0);
    }
    size_t count = static_cast<size_t>(std::min<uint64_t>(out.size(), head_ - offset));
    if (file_) {
      PCHRONICLE_RETURN_IF_ERROR(file_->ReadAt(offset, out.first(count)));
      return std::optional<size_t>(count);
    }
    const auto at = static_cast<size_t>(offset % capacity_);
    count = std::min(count, capacity_ - at);
    std::memcpy(out.data(), ring_.get() + at, count);
    return std::optional<size_t>(count);
  }

  /// Decodes one piece if `offset` still lies ahead; true when it is reached.
  Result<bool> Approach(uint64_t offset) {
    const std::lock_guard lock(mutex_);
    if (offset >= head_ && !ended_) {
      PCHRONICLE_RETURN_IF_ERROR(Advance());
    }
    return offset < head_ || ended_;
  }

  bool truncated() const {
    const std::lock_guard lock(mutex_);
    return ended_ && decoder_->truncated();
  }
  void AddTo(Counters& counters) const {
    const std::lock_guard lock(mutex_);
    counters.decompressed_bytes += decoder_->decompressed_bytes();
    counters.compressed_bytes += decoder_->compressed_bytes();
    counters.spooled_bytes += file_ ? file_->size() : 0;
  }
  uint64_t memory_bytes() const {
    const std::lock_guard lock(mutex_);
    return decoder_->memory_bytes() + std::min<uint64_t>(capacity_, head_);
  }

 private:
  uint64_t Begin() const { return file_ || head_ < kept_ ? 0 : head_ - kept_; }

  Status Advance() {
    if (file_ && !file_->is_open()) {
      PCHRONICLE_RETURN_IF_ERROR(file_->Open());
    }
    const auto at = file_ ? size_t{0} : static_cast<size_t>(head_ % capacity_);
    const std::span<char> piece(ring_.get() + at, std::min(kPieceBytes, capacity_ - at));
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t got, decoder_->Read(piece));
    if (file_) {
      PCHRONICLE_RETURN_IF_ERROR(file_->Append({piece.data(), got}));
    }
    // The decoder may have used all of the piece as scratch: what stood there is gone.
    kept_ = capacity_ - (piece.size() - got);
    head_ += got;
    ended_ = got == 0;
    return Status::Ok();
  }

  mutable std::mutex mutex_;  // guards all
  const std::unique_ptr<json::Decompressor> decoder_;
  const size_t capacity_;
  const std::unique_ptr<char[]> ring_;
  std::optional<io::NamelessFile> file_;
  uint64_t head_ = 0;  // text decoded
  uint64_t kept_ = 0;  // bytes before head_ that are in the ring
  bool ended_ = false;
};

class CompressedInput::Source final : public json::ByteSource {
 public:
  Source(const CompressedInput& input, std::shared_ptr<Lane> lane, uint64_t begin, uint64_t end)
      : input_(input), lane_(std::move(lane)), at_(begin), end_(end) {}
  ~Source() override { Leave(); }

  Result<size_t> Read(std::span<char> out) override {
    const std::span<char> room =
        out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), end_ - at_)));
    if (room.empty()) {
      return size_t{0};
    }
    while (true) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::optional<size_t> got, lane_->Read(at_, room));
      if (got) {
        at_ += *got;
        if (*got == 0) {
          Leave();  // tells of a cut
        }
        return *got;
      }
      Leave();
      PCHRONICLE_ASSIGN_OR_RETURN(lane_, input_.Attach(at_));
    }
  }

  Result<bool> Approach() override { return at_ >= end_ ? true : lane_->Approach(at_); }

 private:
  void Leave() {
    const bool cut = lane_->truncated();
    const uint64_t memory = lane_->memory_bytes();
    const std::lock_guard lock(input_.mutex_);
    input_.truncated_ |= cut;
    input_.counters_.peak_bytes = std::max(input_.counters_.peak_bytes, memory);
  }

  const CompressedInput& input_;
  std::shared_ptr<Lane> lane_;
  uint64_t at_;
  const uint64_t end_;
};

CompressedInput::CompressedInput(Opener open, json::Compression compression, Options options)
    : open_(std::move(open)), compression_(compression), options_(options) {}

CompressedInput::~CompressedInput() = default;

Result<std::unique_ptr<json::ByteSource>> CompressedInput::Open(uint64_t offset,
                                                                uint64_t length) const {
  PCHRONICLE_ASSIGN_OR_RETURN(auto lane, Attach(offset));
  const uint64_t end = length > UINT64_MAX - offset ? UINT64_MAX : offset + length;
  return std::unique_ptr<json::ByteSource>(new Source(*this, std::move(lane), offset, end));
}

Result<std::shared_ptr<CompressedInput::Lane>> CompressedInput::Attach(uint64_t offset) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Lane> behind;
  uint64_t nearest = 0;
  uint64_t repeated = repeated_bytes_ + offset;
  for (const auto& lane : lanes_) {
    if (lane->Holds(offset)) {
      return lane;
    }
    const uint64_t head = lane->head();
    repeated += lane->is_return ? head : 0;
    // A lane that others read must not run away from them.
    if (lane.use_count() == 1 && head <= offset && head > nearest) {
      behind = lane;
      nearest = head;
    }
  }
  if (behind != nullptr) {
    return behind;
  }
  if (spool_ == nullptr && offset != 0 && repeated > options_.max_repeated_bytes) {
    PCHRONICLE_ASSIGN_OR_RETURN(spool_, MakeLane(/*to_file=*/true, /*is_return=*/true));
  }
  if (spool_ != nullptr) {
    return spool_;
  }
  DropIdleLanes();
  PCHRONICLE_ASSIGN_OR_RETURN(auto lane, MakeLane(/*to_file=*/false, offset != 0));
  lanes_.push_back(lane);
  return lane;
}

void CompressedInput::DropIdleLanes() const {
  std::erase_if(lanes_, [this](const std::shared_ptr<Lane>& lane) {
    const bool idle = lane.use_count() == 1;
    if (idle) {
      lane->AddTo(counters_);
      repeated_bytes_ += lane->is_return ? lane->head() : 0;
    }
    return idle;
  });
}

Result<std::shared_ptr<CompressedInput::Lane>> CompressedInput::MakeLane(bool to_file,
                                                                         bool is_return) const {
  PCHRONICLE_ASSIGN_OR_RETURN(auto compressed, open_());
  ++counters_.decoders;
  return std::make_shared<Lane>(
      json::MakeDecompressor(std::move(compressed), compression_, options_.decompress),
      options_.history_bytes, to_file, is_return);
}

bool CompressedInput::truncated() const {
  const std::lock_guard lock(mutex_);
  return truncated_;
}

CompressedInput::Counters CompressedInput::counters() const {
  const std::lock_guard lock(mutex_);
  Counters all = counters_;
  uint64_t memory = 0;
  for (const auto& lane : lanes_) {
    lane->AddTo(all);
    memory += lane->memory_bytes();
  }
  if (spool_ != nullptr) {
    spool_->AddTo(all);
    memory += spool_->memory_bytes();
  }
  all.peak_bytes = std::max(all.peak_bytes, memory);
  return all;
}

}  // namespace pchronicle::catalog
