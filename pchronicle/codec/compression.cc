#include "pchronicle/codec/compression.h"

#include <lz4.h>
#include <lz4frame.h>
#include <zstd.h>

#include <climits>
#include <cstring>
#include <new>

namespace pchronicle::codec {
namespace {

constexpr uint32_t kZstdMagic = 0xfd2fb528;
/// A block of zstd holds at most this much and takes at least four bytes.
constexpr uint64_t kZstdBlock = 128 << 10;

}  // namespace

void ZstdDecompressor::Free::operator()(void* context) const {
  ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(context));
}

ZstdDecompressor::ZstdDecompressor() : context_(ZSTD_createDCtx()) {
  if (context_ == nullptr) {
    throw std::bad_alloc();
  }
}

ZstdDecompressor::~ZstdDecompressor() = default;

Status ZstdDecompressor::Decompress(Bytes frame, std::span<uint8_t> out) {
  const size_t size = ZSTD_decompressDCtx(static_cast<ZSTD_DCtx*>(context_.get()), out.data(),
                                          out.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0) {
    return Status::Corruption("zstd: {}", ZSTD_getErrorName(size));
  }
  if (size != out.size()) {
    return Status::Corruption("zstd: {} bytes where {} were announced", size, out.size());
  }
  return Status::Ok();
}

Result<uint64_t> ZstdFrameSize(Bytes frame) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR) {
    return Status::Corruption("zstd: no frame");
  }
  if (size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Status::Unsupported("zstd: frame without the size of its content");
  }
  return uint64_t{size};
}

bool IsZstdFrame(Bytes bytes) {
  uint32_t magic = 0;
  if (bytes.size() < sizeof(magic)) {
    return false;
  }
  std::memcpy(&magic, bytes.data(), sizeof(magic));
  return magic == kZstdMagic;
}

uint64_t ZstdMaxContent(uint64_t compressed) {
  const uint64_t blocks = compressed / 4 + 1;
  return blocks > UINT64_MAX / kZstdBlock ? UINT64_MAX : blocks * kZstdBlock;
}

void ZstdCompressor::Free::operator()(void* context) const {
  ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(context));
}

ZstdCompressor::ZstdCompressor(int level) : context_(ZSTD_createCCtx()), level_(level) {
  if (context_ == nullptr) {
    throw std::bad_alloc();
  }
}

ZstdCompressor::~ZstdCompressor() = default;

size_t ZstdCompressor::MaxCompressed(size_t size) { return ZSTD_compressBound(size); }

Result<size_t> ZstdCompressor::Compress(Bytes in, std::span<uint8_t> out) {
  const size_t size = ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(context_.get()), out.data(),
                                        out.size(), in.data(), in.size(), level_);
  if (ZSTD_isError(size) != 0) {
    return Status::Internal("zstd: {}", ZSTD_getErrorName(size));
  }
  return size;
}

Status Lz4Decompress(Bytes block, std::span<uint8_t> out) {
  if (block.size() > INT_MAX || out.size() > INT_MAX) {
    return Status::Corruption("lz4: block of {} bytes for {}", block.size(), out.size());
  }
  const int size = LZ4_decompress_safe(
      reinterpret_cast<const char*>(block.data()), reinterpret_cast<char*>(out.data()),
      static_cast<int>(block.size()), static_cast<int>(out.size()));
  if (size < 0 || static_cast<size_t>(size) != out.size()) {
    return Status::Corruption("lz4: damaged block of {} bytes for {}", block.size(), out.size());
  }
  return Status::Ok();
}

Status Lz4FrameDecompress(Bytes frame, std::span<uint8_t> out) {
  LZ4F_dctx* context = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0) {
    throw std::bad_alloc();
  }
  size_t read = 0, written = 0, hint = 1;
  // Ends with the frame, at an error, or when a call gets nowhere: bytes or room are missing then.
  for (bool moves = true; hint != 0 && moves;) {
    size_t in_size = frame.size() - read, out_size = out.size() - written;
    hint = LZ4F_decompress(context, out.data() + written, &out_size, frame.data() + read, &in_size,
                           nullptr);
    if (LZ4F_isError(hint) != 0) {
      LZ4F_freeDecompressionContext(context);
      return Status::Corruption("lz4: {}", LZ4F_getErrorName(hint));
    }
    moves = in_size > 0 || out_size > 0;
    read += in_size;
    written += out_size;
  }
  LZ4F_freeDecompressionContext(context);
  if (hint != 0 || written != out.size() || read != frame.size()) {
    return Status::Corruption("lz4: a frame of {} bytes does not hold the {} bytes announced",
                              frame.size(), out.size());
  }
  return Status::Ok();
}

uint64_t Lz4MaxContent(uint64_t compressed) {
  return compressed > UINT64_MAX / 255 - 64 ? UINT64_MAX : compressed * 255 + 64;
}

}  // namespace pchronicle::codec
