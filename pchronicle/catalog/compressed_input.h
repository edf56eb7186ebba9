#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/decompress.h"

namespace pchronicle::catalog {

/// The text inside a compressed file as an input that can be read again from any offset. Readers
/// share a decoder and the last bytes it gave: going on, skipping ahead and a second look at the
/// record at hand decode nothing twice. What lies farther back is decoded again from the start;
/// when that adds up, the text goes into a nameless temporary file once and is read there.
/// Thread-safe; the sources it opens must not outlive it.
class CompressedInput final : public json::ByteInput {
 public:
  struct Options {
    json::DecompressOptions decompress;
    size_t history_bytes = 4 << 20;  // text kept behind a decoder
    /// Text decoded again, in all, before the temporary file is made.
    uint64_t max_repeated_bytes = 256ULL << 20;
  };
  struct Counters {
    uint64_t decompressed_bytes = 0;  // repeated ones too
    uint64_t compressed_bytes = 0;
    uint64_t peak_bytes = 0;  // of histories, buffers and windows
    uint64_t decoders = 0;    // started at the beginning of the file
    uint64_t spooled_bytes = 0;
  };
  /// Opens the compressed bytes from their start.
  using Opener = std::function<Result<std::unique_ptr<json::ByteSource>>()>;

  CompressedInput(Opener open, json::Compression compression, Options options);
  ~CompressedInput() override;

  Result<std::unique_ptr<json::ByteSource>> Open(uint64_t offset,
                                                 uint64_t length = json::kToEnd) const override;
  std::optional<uint64_t> size() const override { return std::nullopt; }
  /// A reader met the end, and the compressed file is cut off there.
  bool truncated() const;
  Counters counters() const;

 private:
  class Lane;
  class Source;
  Result<std::shared_ptr<Lane>> Attach(uint64_t offset) const;
  Result<std::shared_ptr<Lane>> MakeLane(bool to_file, bool is_return) const;
  void DropIdleLanes() const;

  const Opener open_;
  const json::Compression compression_;
  const Options options_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::vector<std::shared_ptr<Lane>> lanes_;
  mutable std::shared_ptr<Lane> spool_;
  mutable uint64_t repeated_bytes_ = 0;  // by lanes that are gone
  mutable Counters counters_;            // of lanes that are gone, and peak and decoders of all
  mutable bool truncated_ = false;
};

}  // namespace pchronicle::catalog
