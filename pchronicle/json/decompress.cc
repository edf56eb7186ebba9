#include "pchronicle/json/decompress.h"

#include <algorithm>
#include <cstring>

#include "pchronicle/base/check.h"
#include "pchronicle/json/decompressor_base.h"

namespace pchronicle::json {
namespace {

constexpr size_t kBufferBytes = 64 << 10;
/// Text up to this size is harmless however few bytes it came from.
constexpr uint64_t kRatioFreeBytes = 16ULL << 20;

bool EndsWithIgnoringCase(std::string_view text, std::string_view lower_suffix) {
  return text.size() >= lower_suffix.size() &&
         std::equal(lower_suffix.begin(), lower_suffix.end(), text.end() - lower_suffix.size(),
                    [](char wanted, char c) {
                      return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) ==
                             wanted;
                    });
}

}  // namespace

Compression CompressionOf(std::string_view first_bytes) {
  if (first_bytes.starts_with("\x1f\x8b\x08")) {
    return Compression::kGzip;
  }
  if (first_bytes.size() >= 4) {
    const std::string_view rest = first_bytes.substr(1, 3);
    const bool skippable = (static_cast<unsigned char>(first_bytes[0]) & 0xf0) == 0x50;
    if (first_bytes.starts_with("\x28\xb5\x2f\xfd") || (skippable && rest == "\x2a\x4d\x18")) {
      return Compression::kZstd;
    }
  }
  return Compression::kNone;
}

std::string_view CompressionName(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      break;
    case Compression::kGzip:
      return "gzip";
    case Compression::kZstd:
      return "zstd";
  }
  return {};
}

std::string_view NameInside(std::string_view file) {
  std::string_view inside = file;
  if (EndsWithIgnoringCase(file, ".gz")) {
    inside.remove_suffix(3);
  } else if (EndsWithIgnoringCase(file, ".zst")) {
    inside.remove_suffix(4);
  }
  const bool is_json = EndsWithIgnoringCase(inside, ".json") ||
                       EndsWithIgnoringCase(inside, ".jsonl") ||
                       EndsWithIgnoringCase(inside, ".ndjson");
  return is_json ? inside : file;
}

std::unique_ptr<Decompressor> MakeDecompressor(std::unique_ptr<ByteSource> compressed,
                                               Compression compression,
                                               const DecompressOptions& options) {
  PCHRONICLE_CHECK(compression != Compression::kNone);
  return compression == Compression::kGzip
             ? internal::MakeGzipDecompressor(std::move(compressed), options)
             : internal::MakeZstdDecompressor(std::move(compressed), options);
}

namespace internal {

DecompressorBase::DecompressorBase(std::unique_ptr<ByteSource> compressed, Compression compression,
                                   const DecompressOptions& options)
    : source_(std::move(compressed)),
      compression_(compression),
      options_(options),
      buffer_(kBufferBytes) {}

Result<size_t> DecompressorBase::Read(std::span<char> out) {
  if (!failure_.ok()) {
    return failure_;
  }
  if (done_ || out.empty()) {
    return size_t{0};
  }
  Result<size_t> got = Decode(out);
  if (got.ok()) {
    produced_ += *got;
    done_ = *got == 0;
    failure_ = CheckLimits();
  } else {
    failure_ = got.status();
  }
  return failure_.ok() ? std::move(got) : Result<size_t>(failure_);
}

Status DecompressorBase::CheckLimits() const {
  if (produced_ > options_.max_decompressed_bytes) {
    return Status::ResourceExhausted(
        "{} data expands to more than max_decompressed_bytes {}; raise --max-decompressed-bytes",
        CompressionName(compression_), options_.max_decompressed_bytes);
  }
  if (produced_ > kRatioFreeBytes && produced_ / options_.max_decompression_ratio > consumed_) {
    return Status::ResourceExhausted(
        "{} data expands more than max_decompression_ratio {} times ({} bytes to {}); raise "
        "--max-decompression-ratio",
        CompressionName(compression_), options_.max_decompression_ratio, consumed_, produced_);
  }
  return Status::Ok();
}

Result<std::string_view> DecompressorBase::View(size_t wanted) {
  PCHRONICLE_DCHECK(wanted <= kLookAhead);
  while (end_ - begin_ < wanted && !source_ended_) {
    if (begin_ != 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t got, source_->Read(std::span(buffer_).subspan(end_)));
    source_ended_ = got == 0;
    end_ += got;
  }
  return std::string_view(buffer_.data() + begin_, end_ - begin_);
}

void DecompressorBase::Consume(size_t count) {
  PCHRONICLE_DCHECK(count <= end_ - begin_);
  begin_ += count;
  consumed_ += count;
}

Status DecompressorBase::Damaged(std::string_view why) const {
  return Status::Corruption("{} data damaged at compressed byte {}, decompressed byte {}: {}",
                            CompressionName(compression_), consumed_, produced_, why);
}

Result<size_t> DecompressorBase::Cut() {
  if (!options_.cut_is_end) {
    return Status::Corruption("{} data is cut off at compressed byte {}, decompressed byte {}",
                              CompressionName(compression_), consumed_ + (end_ - begin_),
                              produced_);
  }
  truncated_ = true;
  return size_t{0};
}

}  // namespace internal
}  // namespace pchronicle::json
