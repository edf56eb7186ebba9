#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "pchronicle/json/byte_source.h"

namespace pchronicle::json {

/// Compressions that are read as the text inside them.
enum class Compression : uint8_t { kNone, kGzip, kZstd };

/// Told by the first bytes, 4 suffice: a gzip member (RFC 1952 2.3), a zstd frame or a skippable
/// one (RFC 8878 3.1).
Compression CompressionOf(std::string_view first_bytes);
/// "gzip", "zstd"; empty for none.
std::string_view CompressionName(Compression compression);
/// The name of the text: `a/b.jsonl` for `a/b.jsonl.GZ` and `a/b.jsonl.zst`, else `file` itself.
std::string_view NameInside(std::string_view file);

struct DecompressOptions {
  uint64_t max_decompressed_bytes = 64ULL << 30;
  /// Decompressed bytes for each compressed one; small files may exceed it.
  uint64_t max_decompression_ratio = 1000;
  /// Memory that one zstd frame may ask for. gzip needs 32 KiB.
  uint64_t max_decompression_window_bytes = 128ULL << 20;
  /// Input that ends inside a member or frame ends the text there, without an error: the last
  /// record of a line file tells what is missing (BR-11).
  bool cut_is_end = false;
};

/// The text inside compressed bytes: all gzip members or zstd frames, one after the other, with
/// their checksums verified. Memory: a read buffer of 64 KiB and the decoder's window. Errors name
/// the compressed and the decompressed offset: kCorruption for damage, kResourceExhausted for a
/// limit (with its name, value and flag), kUnsupported for a zstd dictionary. An error stays.
class Decompressor : public ByteSource {
 public:
  /// The input was cut off (only with cut_is_end, after Read returned 0).
  virtual bool truncated() const = 0;
  virtual uint64_t compressed_bytes() const = 0;
  virtual uint64_t decompressed_bytes() const = 0;
  /// Buffers and window now.
  virtual uint64_t memory_bytes() const = 0;
};

/// `compressed` begins with what CompressionOf told; `compression` is not kNone.
std::unique_ptr<Decompressor> MakeDecompressor(std::unique_ptr<ByteSource> compressed,
                                               Compression compression,
                                               const DecompressOptions& options);

}  // namespace pchronicle::json
