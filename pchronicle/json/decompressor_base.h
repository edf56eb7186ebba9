#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "pchronicle/json/decompress.h"

namespace pchronicle::json::internal {

/// What decoders of all compressions share: the compressed bytes ahead, the limits, and errors with
/// their place.
class DecompressorBase : public Decompressor {
 public:
  DecompressorBase(std::unique_ptr<ByteSource> compressed, Compression compression,
                   const DecompressOptions& options);
  Result<size_t> Read(std::span<char> out) final;
  bool truncated() const final { return truncated_; }
  uint64_t compressed_bytes() const final { return consumed_; }
  uint64_t decompressed_bytes() const final { return produced_; }
  uint64_t memory_bytes() const final { return buffer_.size() + DecoderBytes(); }

 protected:
  /// Fills a prefix of `out`, which is not empty; 0 at the end. What it gave before an error
  /// counts.
  virtual Result<size_t> Decode(std::span<char> out) = 0;
  virtual uint64_t DecoderBytes() const = 0;

  /// The bytes ahead: at least `wanted` (at most kLookAhead), fewer only at the end of the input.
  Result<std::string_view> View(size_t wanted);
  void Consume(size_t count);
  const DecompressOptions& options() const { return options_; }

  Status Damaged(std::string_view why) const;
  /// The input ends where it must not: an error, or by cut_is_end the end.
  Result<size_t> Cut();

  static constexpr size_t kLookAhead = 64;

 private:
  Status CheckLimits() const;

  const std::unique_ptr<ByteSource> source_;
  const Compression compression_;
  const DecompressOptions options_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // of the bytes ahead in buffer_
  bool source_ended_ = false;
  uint64_t consumed_ = 0;
  uint64_t produced_ = 0;
  bool truncated_ = false;
  bool done_ = false;
  Status failure_;
};

std::unique_ptr<Decompressor> MakeGzipDecompressor(std::unique_ptr<ByteSource> compressed,
                                                   const DecompressOptions& options);
std::unique_ptr<Decompressor> MakeZstdDecompressor(std::unique_ptr<ByteSource> compressed,
                                                   const DecompressOptions& options);

}  // namespace pchronicle::json::internal
