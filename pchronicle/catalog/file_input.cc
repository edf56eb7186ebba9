#include "pchronicle/catalog/file_input.h"

#include <algorithm>
#include <cstring>

namespace pchronicle::catalog {
namespace {

/// Files up to this size are read at once, so that detection and the scan share one read.
constexpr uint64_t kWholeFileBytes = 256 << 10;

}  // namespace

class FileInput::Hold {
 public:
  std::unique_ptr<io::RandomReader> reader;
  std::string bytes;
  bool whole = false;  // `bytes` is the file, checked against its pin; `reader` is closed
};

namespace {

class WholeSource final : public json::ByteSource {
 public:
  WholeSource(std::shared_ptr<const FileInput::Hold> hold, uint64_t begin, uint64_t end)
      : hold_(std::move(hold)), at_(begin), end_(end) {}
  Result<size_t> Read(std::span<char> out) override;

 private:
  const std::shared_ptr<const FileInput::Hold> hold_;
  uint64_t at_;
  const uint64_t end_;
};

Result<size_t> WholeSource::Read(std::span<char> out) {
  const size_t count = static_cast<size_t>(std::min<uint64_t>(out.size(), end_ - at_));
  std::memcpy(out.data(), hold_->bytes.data() + at_, count);
  at_ += count;
  return count;
}

/// Reads a range and, at its end, looks whether the file is still the pinned one.
class RangeSource final : public json::ByteSource {
 public:
  using Check = std::function<Status(const io::Entry&)>;
  RangeSource(std::shared_ptr<const FileInput::Hold> hold, uint64_t begin, uint64_t end,
              Check check)
      : hold_(std::move(hold)), at_(begin), end_(end), check_(std::move(check)) {}

  Result<size_t> Read(std::span<char> out) override {
    const size_t want = static_cast<size_t>(std::min<uint64_t>(out.size(), end_ - at_));
    size_t got = 0;
    if (want > 0) {
      PCHRONICLE_ASSIGN_OR_RETURN(got, hold_->reader->ReadAt(at_, out.first(want)));
    }
    at_ += got;
    if ((got == 0 || at_ == end_) && !out.empty() && !checked_) {
      PCHRONICLE_ASSIGN_OR_RETURN(const io::Entry now, hold_->reader->Stat());
      PCHRONICLE_RETURN_IF_ERROR(check_(now));
      checked_ = true;
    }
    return got;
  }

 private:
  const std::shared_ptr<const FileInput::Hold> hold_;
  uint64_t at_;
  const uint64_t end_;
  const Check check_;
  bool checked_ = false;
};

}  // namespace

FileInput::FileInput(std::shared_ptr<io::Store> store, std::string file, Revision revision)
    : store_(std::move(store)), file_(std::move(file)), revision_(std::move(revision)) {}

Status FileInput::CheckPin(const io::Entry& now) const {
  const io::Entry& pin = revision_.entry;
  if (now.size == pin.size && now.modified_ns == pin.modified_ns && now.device == pin.device &&
      now.inode == pin.inode && now.version == pin.version && now.etag == pin.etag) {
    return Status::Ok();
  }
  return Status::Conflict("{}: changed since discovery", file_);
}

Result<std::shared_ptr<const FileInput::Hold>> FileInput::Acquire() const {
  const std::lock_guard lock(mutex_);
  if (auto held = hold_.lock()) {
    return held;
  }
  auto hold = std::make_shared<Hold>();
  auto reader = store_->Open(revision_.entry.path);
  if (!reader.ok()) {
    if (reader.status().code() == StatusCode::kNotFound) {
      return Status::Conflict("{}: gone since discovery", file_);
    }
    return reader.status();
  }
  hold->reader = std::move(reader).value();
  const io::Entry& now = hold->reader->entry();
  PCHRONICLE_RETURN_IF_ERROR(CheckPin(now));
  if (now.size <= kWholeFileBytes) {
    hold->bytes.resize(static_cast<size_t>(now.size));
    size_t done = 0;
    while (done < hold->bytes.size()) {
      PCHRONICLE_ASSIGN_OR_RETURN(const size_t got,
                                  hold->reader->ReadAt(done, std::span(hold->bytes).subspan(done)));
      if (got == 0) {
        return Status::Conflict("{}: changed since discovery: it ends at byte {}", file_, done);
      }
      done += got;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const io::Entry after, hold->reader->Stat());
    PCHRONICLE_RETURN_IF_ERROR(CheckPin(after));
    hold->whole = true;
    hold->reader.reset();
  }
  hold_ = hold;
  return std::shared_ptr<const Hold>(std::move(hold));
}

Result<std::unique_ptr<json::ByteSource>> FileInput::Open(uint64_t offset, uint64_t length) const {
  PCHRONICLE_ASSIGN_OR_RETURN(auto hold, Acquire());
  const uint64_t begin = std::min(offset, revision_.entry.size);
  const uint64_t end = begin + std::min(length, revision_.entry.size - begin);
  if (hold->whole) {
    return std::unique_ptr<json::ByteSource>(new WholeSource(std::move(hold), begin, end));
  }
  return std::unique_ptr<json::ByteSource>(new RangeSource(
      std::move(hold), begin, end, [this](const io::Entry& now) { return CheckPin(now); }));
}

}  // namespace pchronicle::catalog
