#include "pchronicle/catalog/file_input.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "pchronicle/json/read_ahead.h"
#include "pchronicle/model/detect.h"

namespace pchronicle::catalog {
namespace {

/// Files up to this size are read at once, so that detection and the scan share one read.
constexpr uint64_t kWholeFileBytes = 256 << 10;
constexpr size_t kMagicBytes = 4;
/// Less is not worth a thread.
constexpr uint64_t kReadAheadBytes = 64 << 20;

}  // namespace

/// An open file, or its bytes.
struct FileInput::Raw {
  std::unique_ptr<io::RandomReader> reader;
  std::string bytes;
  bool whole = false;  // `bytes` is the file, checked against its pin; `reader` is closed
};

namespace {

class WholeSource final : public json::ByteSource {
 public:
  WholeSource(std::shared_ptr<const FileInput::Raw> raw, uint64_t begin, uint64_t end)
      : raw_(std::move(raw)), at_(begin), end_(end) {}
  Result<size_t> Read(std::span<char> out) override {
    const size_t count = static_cast<size_t>(std::min<uint64_t>(out.size(), end_ - at_));
    std::memcpy(out.data(), raw_->bytes.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  const std::shared_ptr<const FileInput::Raw> raw_;
  uint64_t at_;
  const uint64_t end_;
};

/// Reads a range and, at its end, looks whether the file is still the pinned one.
class RangeSource final : public json::ByteSource {
 public:
  using Check = std::function<Status(const io::Entry&)>;
  RangeSource(std::shared_ptr<const FileInput::Raw> raw, uint64_t begin, uint64_t end, Check check)
      : raw_(std::move(raw)), at_(begin), end_(end), check_(std::move(check)) {}

  Result<size_t> Read(std::span<char> out) override {
    const size_t want = static_cast<size_t>(std::min<uint64_t>(out.size(), end_ - at_));
    size_t got = 0;
    if (want > 0) {
      PCHRONICLE_ASSIGN_OR_RETURN(got, raw_->reader->ReadAt(at_, out.first(want)));
    }
    at_ += got;
    if ((got == 0 || at_ == end_) && !out.empty() && !checked_) {
      PCHRONICLE_ASSIGN_OR_RETURN(const io::Entry now, raw_->reader->Stat());
      PCHRONICLE_RETURN_IF_ERROR(check_(now));
      checked_ = true;
    }
    return got;
  }

 private:
  const std::shared_ptr<const FileInput::Raw> raw_;
  uint64_t at_;
  const uint64_t end_;
  const Check check_;
  bool checked_ = false;
};

/// Decompressed text; keeps the decoders alive.
class TextSource final : public json::ByteSource {
 public:
  TextSource(std::shared_ptr<const FileInput::Hold> hold, std::unique_ptr<json::ByteSource> text)
      : hold_(std::move(hold)), text_(std::move(text)) {}
  Result<size_t> Read(std::span<char> out) override { return text_->Read(out); }
  Result<bool> Approach() override { return text_->Approach(); }

 private:
  const std::shared_ptr<const FileInput::Hold> hold_;
  const std::unique_ptr<json::ByteSource> text_;
};

json::DecompressOptions DecompressOptionsOf(const Limits& limits, std::string_view file) {
  json::DecompressOptions options;
  options.max_decompressed_bytes = limits.max_decompressed_bytes;
  options.max_decompression_ratio = limits.max_decompression_ratio;
  options.max_decompression_window_bytes = limits.max_decompression_window_bytes;
  options.cut_is_end = model::ContainerByName(file) == json::Container::kLines;
  return options;
}

}  // namespace

bool FileInput::Hold::truncated() const { return text_ != nullptr && text_->truncated(); }

CompressedInput::Counters FileInput::Hold::decompression() const {
  return text_ != nullptr ? text_->counters() : CompressedInput::Counters();
}

FileInput::FileInput(std::shared_ptr<io::Store> store, std::string file, Revision revision,
                     const Limits& limits)
    : store_(std::move(store)),
      file_(std::move(file)),
      revision_(std::move(revision)),
      decompress_(DecompressOptionsOf(limits, file_)) {}

std::optional<uint64_t> FileInput::size() const {
  return compression() == json::Compression::kNone ? std::optional(revision_.entry.size)
                                                   : std::nullopt;
}

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
  PCHRONICLE_ASSIGN_OR_RETURN(const auto raw, OpenRaw());
  auto hold = std::make_shared<Hold>();
  hold->raw_ = raw;
  std::array<char, kMagicBytes> magic{};
  size_t known = 0;
  if (raw->whole) {
    known = std::min(magic.size(), raw->bytes.size());
    std::copy_n(raw->bytes.begin(), known, magic.begin());
  } else {
    PCHRONICLE_ASSIGN_OR_RETURN(known, raw->reader->ReadAt(0, magic));
  }
  const json::Compression compression = json::CompressionOf(std::string_view(magic.data(), known));
  compression_.store(compression, std::memory_order_relaxed);
  if (compression != json::Compression::kNone) {
    CompressedInput::Options options;
    options.decompress = decompress_;
    hold->text_ = std::make_unique<CompressedInput>(
        [this, raw] { return OpenBytes(raw, 0, json::kToEnd); }, compression, options);
  }
  hold_ = hold;
  return std::shared_ptr<const Hold>(std::move(hold));
}

Result<std::shared_ptr<const FileInput::Raw>> FileInput::OpenRaw() const {
  auto raw = std::make_shared<Raw>();
  auto reader = store_->Open(revision_.entry.path);
  if (!reader.ok()) {
    if (reader.status().code() == StatusCode::kNotFound) {
      return Status::Conflict("{}: gone since discovery", file_);
    }
    return reader.status();
  }
  raw->reader = std::move(reader).value();
  const io::Entry& now = raw->reader->entry();
  PCHRONICLE_RETURN_IF_ERROR(CheckPin(now));
  if (now.size <= kWholeFileBytes) {
    raw->bytes.resize(static_cast<size_t>(now.size));
    size_t done = 0;
    while (done < raw->bytes.size()) {
      PCHRONICLE_ASSIGN_OR_RETURN(const size_t got,
                                  raw->reader->ReadAt(done, std::span(raw->bytes).subspan(done)));
      if (got == 0) {
        return Status::Conflict("{}: changed since discovery: it ends at byte {}", file_, done);
      }
      done += got;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const io::Entry after, raw->reader->Stat());
    PCHRONICLE_RETURN_IF_ERROR(CheckPin(after));
    raw->whole = true;
    raw->reader.reset();
  }
  return std::shared_ptr<const Raw>(std::move(raw));
}

std::unique_ptr<json::ByteSource> FileInput::OpenBytes(std::shared_ptr<const Raw> raw,
                                                       uint64_t offset, uint64_t length) const {
  const uint64_t begin = std::min(offset, revision_.entry.size);
  const uint64_t end = begin + std::min(length, revision_.entry.size - begin);
  if (raw->whole) {
    return std::make_unique<WholeSource>(std::move(raw), begin, end);
  }
  auto source = std::make_unique<RangeSource>(
      std::move(raw), begin, end, [this](const io::Entry& now) { return CheckPin(now); });
  if (end - begin < kReadAheadBytes) {
    return source;
  }
  return json::MakeReadAhead(std::move(source));
}

Result<std::unique_ptr<json::ByteSource>> FileInput::Open(uint64_t offset, uint64_t length) const {
  PCHRONICLE_ASSIGN_OR_RETURN(auto hold, Acquire());
  if (hold->text_ == nullptr) {
    return OpenBytes(hold->raw_, offset, length);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(auto text, hold->text_->Open(offset, length));
  return std::unique_ptr<json::ByteSource>(new TextSource(std::move(hold), std::move(text)));
}

}  // namespace pchronicle::catalog
