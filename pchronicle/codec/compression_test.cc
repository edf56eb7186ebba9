#include "pchronicle/codec/compression.h"

#include <gtest/gtest.h>
#include <lz4frame.h>

#include <string>
#include <vector>

namespace pchronicle::codec {
namespace {

Bytes AsBytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(Zstd, RoundTripFillsTheOutputExactly) {
  const std::string text(100000, 'x');
  std::vector<uint8_t> frame(ZstdCompressor::MaxCompressed(text.size())), out(text.size());
  const auto size = ZstdCompressor().Compress(AsBytes(text), frame);
  ASSERT_TRUE(size.ok());
  frame.resize(*size);
  EXPECT_TRUE(IsZstdFrame(frame));
  EXPECT_EQ(*ZstdFrameSize(frame), text.size());
  EXPECT_GE(ZstdMaxContent(frame.size()), text.size());
  ZstdDecompressor zstd;
  ASSERT_TRUE(zstd.Decompress(frame, out).ok());
  EXPECT_EQ(std::string(out.begin(), out.end()), text);
  out.resize(text.size() + 1);
  EXPECT_EQ(zstd.Decompress(frame, out).code(), StatusCode::kCorruption);
  out.resize(text.size() - 1);
  EXPECT_EQ(zstd.Decompress(frame, out).code(), StatusCode::kCorruption);
  frame.pop_back();
  out.resize(text.size());
  EXPECT_EQ(zstd.Decompress(frame, out).code(), StatusCode::kCorruption);
}

TEST(Lz4, DecodesABlockAndRefusesAnotherSize) {
  // Three literals, a match of eight at distance 3, five literals.
  const std::vector<uint8_t> block = {0x34, 'a', 'b', 'c', 3, 0, 0x50, 'v', 'w', 'x', 'y', 'z'};
  std::vector<uint8_t> out(16);
  ASSERT_TRUE(Lz4Decompress(block, out).ok());
  EXPECT_EQ(std::string(out.begin(), out.end()), "abcabcabcabvwxyz");
  out.resize(15);
  EXPECT_EQ(Lz4Decompress(block, out).code(), StatusCode::kCorruption);
  out.resize(17);
  EXPECT_EQ(Lz4Decompress(block, out).code(), StatusCode::kCorruption);
}

TEST(Lz4, DecodesAFrameAndRefusesAnotherSize) {
  const std::string text = std::string(100000, 'x') + "end";
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  std::vector<uint8_t> frame(LZ4F_compressFrameBound(text.size(), &preferences));
  frame.resize(
      LZ4F_compressFrame(frame.data(), frame.size(), text.data(), text.size(), &preferences));
  EXPECT_GE(Lz4MaxContent(frame.size()), text.size());
  std::vector<uint8_t> out(text.size());
  ASSERT_TRUE(Lz4FrameDecompress(frame, out).ok());
  EXPECT_EQ(std::string(out.begin(), out.end()), text);
  for (const size_t size : {text.size() - 1, text.size() + 1, size_t{0}}) {
    out.resize(size);
    EXPECT_EQ(Lz4FrameDecompress(frame, out).code(), StatusCode::kCorruption) << size;
  }
  out.resize(text.size());
  frame.push_back(0);
  EXPECT_EQ(Lz4FrameDecompress(frame, out).code(), StatusCode::kCorruption) << "a byte too many";
  frame.pop_back();
  frame.back() ^= 1;
  EXPECT_EQ(Lz4FrameDecompress(frame, out).code(), StatusCode::kCorruption) << "checksum";
  frame.resize(frame.size() / 2);
  EXPECT_EQ(Lz4FrameDecompress(frame, out).code(), StatusCode::kCorruption) << "cut off";
  EXPECT_EQ(Lz4FrameDecompress({}, out).code(), StatusCode::kCorruption);
}

}  // namespace
}  // namespace pchronicle::codec
