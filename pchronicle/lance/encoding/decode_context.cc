#include "pchronicle/lance/encoding/decode_context.h"

#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {
namespace {

constexpr auto kLz4 = static_cast<uint32_t>(proto::CompressionScheme::kLz4);
constexpr auto kZstd = static_cast<uint32_t>(proto::CompressionScheme::kZstd);
constexpr size_t kLz4Prefix = 4, kZstdPrefix = 8;

}  // namespace

Result<uint64_t> DecodeContext::UnpackedSize(uint32_t scheme, Bytes bytes) const {
  uint64_t size = 0, possible = 0;
  if (scheme == kLz4) {
    if (bytes.size() < kLz4Prefix) {
      return Status::Corruption("lz4 block of {} bytes", bytes.size());
    }
    size = LoadLe<uint32_t>(bytes.data());
    possible = codec::Lz4MaxContent(bytes.size());
  } else if (scheme == kZstd) {
    if (codec::IsZstdFrame(bytes)) {
      PCHRONICLE_ASSIGN_OR_RETURN(size, codec::ZstdFrameSize(bytes));
    } else if (bytes.size() < kZstdPrefix) {
      return Status::Corruption("zstd frame of {} bytes", bytes.size());
    } else {
      size = LoadLe<uint64_t>(bytes.data());
    }
    possible = codec::ZstdMaxContent(bytes.size());
  } else {
    return Status::Unsupported("compression scheme {}", scheme);
  }
  if (size > possible) {
    return Status::Corruption("{} compressed bytes cannot hold {}", bytes.size(), size);
  }
  if (size > max_bytes) {
    return Status::ResourceExhausted("a compressed piece of {} bytes, the limit is {}", size,
                                     max_bytes);
  }
  return size;
}

Status DecodeContext::Unpack(uint32_t scheme, Bytes bytes, std::span<uint8_t> out) {
  if (scheme == kLz4) {
    return codec::Lz4Decompress(bytes.subspan(kLz4Prefix), out);
  }
  return zstd.Decompress(codec::IsZstdFrame(bytes) ? bytes : bytes.subspan(kZstdPrefix), out);
}

Result<Bytes> DecodeContext::Unpack(uint32_t scheme, Bytes bytes, columnar::Buffer* out) {
  PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t size, UnpackedSize(scheme, bytes));
  out->Clear();
  out->Resize(static_cast<size_t>(size));
  PCHRONICLE_RETURN_IF_ERROR(Unpack(scheme, bytes, std::span(out->data(), out->size())));
  return Bytes(out->data(), out->size());
}

}  // namespace pchronicle::lance
