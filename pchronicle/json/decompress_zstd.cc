// The header of a frame is looked at before the decoder sizes its window by it: that part of the
// interface is for static linking only, which is how the library is linked.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>

#include "pchronicle/base/check.h"
#include "pchronicle/json/decompressor_base.h"

namespace pchronicle::json::internal {
namespace {

constexpr size_t kMagic = 4;
constexpr size_t kSkippableHeader = 8;

class ZstdDecompressor final : public DecompressorBase {
 public:
  ZstdDecompressor(std::unique_ptr<ByteSource> compressed, const DecompressOptions& options)
      : DecompressorBase(std::move(compressed), Compression::kZstd, options),
        decoder_(ZSTD_createDCtx()) {
    PCHRONICLE_CHECK(decoder_ != nullptr);
    // Windows are checked here, against the option.
    PCHRONICLE_CHECK(ZSTD_isError(ZSTD_DCtx_setParameter(decoder_, ZSTD_d_windowLogMax,
                                                         ZSTD_WINDOWLOG_MAX)) == 0);
  }
  ~ZstdDecompressor() override { ZSTD_freeDCtx(decoder_); }

 private:
  enum class Frame : uint8_t { kData, kEnd, kCut };

  uint64_t DecoderBytes() const override { return ZSTD_sizeof_DCtx(decoder_); }

  Result<size_t> Decode(std::span<char> out) override {
    while (true) {
      if (!in_frame_) {
        PCHRONICLE_ASSIGN_OR_RETURN(const Frame frame, EnterFrame());
        if (frame != Frame::kData) {
          return frame == Frame::kEnd ? Result<size_t>(0) : Cut();
        }
        in_frame_ = true;
      }
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view in, View(1));
      ZSTD_inBuffer input{in.data(), in.size(), 0};
      ZSTD_outBuffer output{out.data(), out.size(), 0};
      const size_t left = ZSTD_decompressStream(decoder_, &output, &input);
      if (ZSTD_isError(left) != 0) {
        return Damaged(ZSTD_getErrorName(left));
      }
      Consume(input.pos);
      in_frame_ = left != 0;
      if (output.pos != 0) {
        return output.pos;
      }
      if (in_frame_ && in.empty()) {
        return Cut();
      }
    }
  }

  /// Passes skippable frames and looks at the header of the next other one.
  Result<Frame> EnterFrame() {
    while (true) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view in, View(ZSTD_FRAMEHEADERSIZE_MAX));
      if (in.empty()) {
        return Frame::kEnd;
      }
      if (in.size() < kMagic) {
        return Frame::kCut;
      }
      if (CompressionOf(in) != Compression::kZstd) {
        return Damaged("no zstd frame begins here");
      }
      ZSTD_frameHeader header{};
      const size_t code = ZSTD_getFrameHeader(&header, in.data(), in.size());
      if (ZSTD_isError(code) != 0) {
        return Damaged(ZSTD_getErrorName(code));
      }
      if (code != 0) {
        return Frame::kCut;
      }
      if (header.frameType != ZSTD_skippableFrame) {
        PCHRONICLE_RETURN_IF_ERROR(Check(header));
        return Frame::kData;
      }
      Consume(kSkippableHeader);
      PCHRONICLE_ASSIGN_OR_RETURN(const bool whole, Skip(header.frameContentSize));
      if (!whole) {
        return Frame::kCut;
      }
    }
  }

  Status Check(const ZSTD_frameHeader& header) const {
    if (header.dictID != 0) {
      return Status::Unsupported(
          "zstd frame at compressed byte {} needs the dictionary {}; decompress the file first",
          compressed_bytes(), header.dictID);
    }
    if (header.windowSize > options().max_decompression_window_bytes) {
      return Status::ResourceExhausted(
          "zstd frame at compressed byte {} needs a window of {} bytes, more than "
          "max_decompression_window_bytes {}; raise --max-decompression-window-bytes",
          compressed_bytes(), static_cast<uint64_t>(header.windowSize),
          options().max_decompression_window_bytes);
    }
    return Status::Ok();
  }

  Result<bool> Skip(uint64_t count) {
    while (count != 0) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view in, View(1));
      if (in.empty()) {
        return false;
      }
      const auto now = static_cast<size_t>(std::min<uint64_t>(count, in.size()));
      Consume(now);
      count -= now;
    }
    return true;
  }

  ZSTD_DCtx* const decoder_;
  bool in_frame_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> MakeZstdDecompressor(std::unique_ptr<ByteSource> compressed,
                                                   const DecompressOptions& options) {
  return std::make_unique<ZstdDecompressor>(std::move(compressed), options);
}

}  // namespace pchronicle::json::internal
