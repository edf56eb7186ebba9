#pragma once

#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace pchronicle::json::testing_support {

/// One gzip member.
inline std::string Gzip(std::string_view text, int level = 6) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    std::abort();
  }
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
    std::abort();
  }
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

/// One zstd frame with a checksum.
inline std::string Zstd(std::string_view text, int level = 3, int window_log = 0) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  if (window_log != 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  }
  std::string out(ZSTD_compressBound(text.size()) + 64, '\0');
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  ZSTD_inBuffer input{text.data(), text.size(), 0};
  // In two calls, so that the size is not known at the start where it must not be.
  if (window_log != 0) {
    ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue);
  }
  if (ZSTD_compressStream2(context, &output, &input, ZSTD_e_end) != 0) {
    std::abort();
  }
  ZSTD_freeCCtx(context);
  out.resize(output.pos);
  return out;
}

/// A frame that decoders pass over (RFC 8878 3.1.2).
inline std::string SkippableFrame(std::string_view content) {
  std::string frame("\x5a\x2a\x4d\x18", 4);
  for (int shift = 0; shift < 32; shift += 8) {
    frame += static_cast<char>((content.size() >> shift) & 0xff);
  }
  return frame.append(content);
}

}  // namespace pchronicle::json::testing_support
