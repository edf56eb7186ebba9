// Input pointers of zlib are const with this.
#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <climits>

#include "pchronicle/base/check.h"
#include "pchronicle/json/decompressor_base.h"

namespace pchronicle::json::internal {
namespace {

// Flags of a member header (RFC 1952 2.3.1).
constexpr unsigned kHeaderChecksum = 2, kExtra = 4, kName = 8, kComment = 16, kReserved = 0xe0;
constexpr size_t kFixedHeader = 10;
constexpr size_t kTrailerBytes = 8;
/// What zlib allocates for inflating: its state and a window of 32 KiB.
constexpr uint64_t kInflateBytes = 44 << 10;

uint32_t LittleEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value |= uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

class GzipDecompressor final : public DecompressorBase {
 public:
  GzipDecompressor(std::unique_ptr<ByteSource> compressed, const DecompressOptions& options)
      : DecompressorBase(std::move(compressed), Compression::kGzip, options) {
    // Raw deflate: headers and trailers are read here, so that a cut and damage are told apart.
    PCHRONICLE_CHECK(inflateInit2(&stream_, -MAX_WBITS) == Z_OK);
  }
  ~GzipDecompressor() override { inflateEnd(&stream_); }

 private:
  enum class State : uint8_t { kHeader, kBody, kTrailer };
  enum class Header : uint8_t { kMember, kEnd, kCut };

  uint64_t DecoderBytes() const override { return kInflateBytes; }

  Result<size_t> Decode(std::span<char> out) override {
    while (true) {
      switch (state_) {
        case State::kHeader: {
          PCHRONICLE_ASSIGN_OR_RETURN(const Header header, ReadHeader());
          if (header != Header::kMember) {
            return header == Header::kEnd ? Result<size_t>(0) : Cut();
          }
          inflateReset(&stream_);
          checksum_ = static_cast<uint32_t>(crc32(0, nullptr, 0));
          member_bytes_ = 0;
          state_ = State::kBody;
          break;
        }
        case State::kBody: {
          PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view in, View(1));
          if (in.empty()) {
            return Cut();
          }
          PCHRONICLE_ASSIGN_OR_RETURN(const size_t got, Inflate(in, out));
          if (got != 0) {
            return got;
          }
          break;
        }
        case State::kTrailer: {
          PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view in, View(kTrailerBytes));
          if (in.size() < kTrailerBytes) {
            return Cut();
          }
          if (LittleEndian(in) != checksum_) {
            return Damaged("the checksum does not match");
          }
          if (LittleEndian(in.substr(4)) != static_cast<uint32_t>(member_bytes_)) {
            return Damaged("the length does not match");
          }
          Consume(kTrailerBytes);
          state_ = State::kHeader;
          break;
        }
      }
    }
  }

  Result<size_t> Inflate(std::string_view in, std::span<char> out) {
    const auto room = static_cast<uInt>(std::min<size_t>(out.size(), UINT_MAX));
    stream_.next_in = reinterpret_cast<const Bytef*>(in.data());
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = room;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    const size_t got = room - stream_.avail_out;
    const size_t used = in.size() - stream_.avail_in;
    Consume(used);
    checksum_ =
        static_cast<uint32_t>(crc32_z(checksum_, reinterpret_cast<const Bytef*>(out.data()), got));
    member_bytes_ += got;
    if (code == Z_STREAM_END) {
      state_ = State::kTrailer;
    } else if (code == Z_MEM_ERROR) {
      return Status::ResourceExhausted("no memory to inflate gzip data");
    } else if (got == 0 && (code != Z_OK || used == 0)) {
      // What came before the damage is handed out first; zlib reports it again.
      return Damaged(stream_.msg != nullptr ? stream_.msg : "no progress");
    }
    return got;
  }

  Result<Header> ReadHeader() {
    PCHRONICLE_ASSIGN_OR_RETURN(std::string_view in, View(kFixedHeader));
    if (in.empty()) {
      return Header::kEnd;
    }
    if (is_first_ ? false : in[0] == '\0') {
      return Padding();
    }
    is_first_ = false;
    const std::string_view magic = in.substr(0, std::min<size_t>(in.size(), 3));
    if (magic != std::string_view("\x1f\x8b\x08").substr(0, magic.size())) {
      return Damaged("no gzip member begins here");
    }
    if (in.size() < kFixedHeader) {
      return Header::kCut;
    }
    const unsigned flags = static_cast<unsigned char>(in[3]);
    if ((flags & kReserved) != 0) {
      return Damaged("unknown header flags");
    }
    Consume(kFixedHeader);
    if ((flags & kExtra) != 0) {
      PCHRONICLE_ASSIGN_OR_RETURN(in, View(2));
      if (in.size() < 2) {
        return Header::kCut;
      }
      const size_t length =
          static_cast<unsigned char>(in[0]) + (size_t{static_cast<unsigned char>(in[1])} << 8);
      PCHRONICLE_ASSIGN_OR_RETURN(const bool whole, Skip(2 + length));
      if (!whole) {
        return Header::kCut;
      }
    }
    for (const unsigned text : {kName, kComment}) {
      if ((flags & text) != 0) {
        PCHRONICLE_ASSIGN_OR_RETURN(const bool whole, SkipText());
        if (!whole) {
          return Header::kCut;
        }
      }
    }
    if ((flags & kHeaderChecksum) != 0) {
      PCHRONICLE_ASSIGN_OR_RETURN(const bool whole, Skip(2));
      if (!whole) {
        return Header::kCut;
      }
    }
    return Header::kMember;
  }

  /// Tapes and block devices fill up with zeros.
  Result<Header> Padding() {
    while (true) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view in, View(1));
      if (in.empty()) {
        return Header::kEnd;
      }
      const size_t zeros = std::min(in.find_first_not_of('\0'), in.size());
      Consume(zeros);
      if (zeros < in.size()) {
        return Damaged("no gzip member begins here");
      }
    }
  }

  /// False: the input ends before.
  Result<bool> Skip(size_t count) {
    while (count != 0) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view in, View(1));
      if (in.empty()) {
        return false;
      }
      const size_t now = std::min(count, in.size());
      Consume(now);
      count -= now;
    }
    return true;
  }

  Result<bool> SkipText() {
    while (true) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view in, View(1));
      if (in.empty()) {
        return false;
      }
      const size_t end = in.find('\0');
      Consume(end == std::string_view::npos ? in.size() : end + 1);
      if (end != std::string_view::npos) {
        return true;
      }
    }
  }

  z_stream stream_{};
  State state_ = State::kHeader;
  bool is_first_ = true;
  uint32_t checksum_ = 0;
  uint64_t member_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Decompressor> MakeGzipDecompressor(std::unique_ptr<ByteSource> compressed,
                                                   const DecompressOptions& options) {
  return std::make_unique<GzipDecompressor>(std::move(compressed), options);
}

}  // namespace pchronicle::json::internal
