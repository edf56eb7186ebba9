#include "pchronicle/lance/encoding/block_decoder.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>

#include "pchronicle/codec/fastlanes.h"

namespace pchronicle::lance {
namespace {

using proto::CompressiveEncoding;
using Kind = CompressiveEncoding::Kind;

CompressiveEncoding Flat(uint64_t bits) {
  CompressiveEncoding flat;
  flat.kind = Kind::kFlat;
  flat.bits = bits;
  return flat;
}

CompressiveEncoding OutOfLine(uint64_t bits, uint64_t packed) {
  CompressiveEncoding encoding;
  encoding.kind = Kind::kOutOfLineBitpacking;
  encoding.bits = bits;
  encoding.children = {Flat(packed)};
  return encoding;
}

Bytes AsBytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

template <typename T>
std::string Numbers(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// The levels that a block decodes to, or the message.
std::string Levels(const CompressiveEncoding& encoding, const std::string& bytes, uint64_t count,
                   std::vector<uint16_t>* out) {
  DecodeContext context;
  columnar::Buffer buffer;
  const Status status = DecodeBlock(encoding, AsBytes(bytes), count, 2, &context, &buffer);
  out->assign(buffer.as<uint16_t>(), buffer.as<uint16_t>() + buffer.size() / 2);
  return status.ToString();
}

TEST(LanceBlock, OutOfLineTailIsRawOrPackedAsItsLengthTells_LNCB6) {
  EXPECT_TRUE(rc::check([] {
    const auto count = *rc::gen::inRange<size_t>(1, 3000);
    const auto width = *rc::gen::inRange<unsigned>(1, 5);
    std::vector<uint16_t> levels(count);
    for (size_t i = 0; i < count; ++i) {
      levels[i] = static_cast<uint16_t>(i * i % (1U << width));
    }
    const size_t full = count / 1024, tail = count % 1024;
    std::string packed;
    std::vector<uint8_t> block(codec::FastLanesBytes(width));
    std::vector<uint16_t> padded = levels;
    padded.resize((count + 1023) / 1024 * 1024);
    for (size_t i = 0; i < padded.size() / 1024; ++i) {
      codec::FastLanesPack(width, padded.data() + i * 1024, block.data());
      packed.append(block.begin(), block.end());
    }
    std::vector<uint16_t> out;
    if (tail * 2 != block.size()) {  // else the length says that the tail is plain
      RC_ASSERT(Levels(OutOfLine(16, width), packed, count, &out) == "ok");
      RC_ASSERT(out == levels);
    }
    packed.resize(full * block.size());
    packed += Numbers(
        std::vector<uint16_t>(levels.end() - static_cast<std::ptrdiff_t>(tail), levels.end()));
    RC_ASSERT(Levels(OutOfLine(16, width), packed, count, &out) == "ok");
    RC_ASSERT(out == levels);
  }));
}

TEST(LanceBlock, ChecksLengthsAndCounts_LNCB6) {
  std::vector<uint16_t> out;
  EXPECT_EQ(Levels(Flat(16), "ab", 2, &out), "corruption: 2 bytes for 2 values");
  EXPECT_EQ(Levels(Flat(8), "ab", 2, &out), "unsupported: flat(8) for 2-byte values");
  EXPECT_NE(Levels(OutOfLine(16, 17), "ab", 2, &out), "ok");
  EXPECT_NE(Levels(OutOfLine(16, 1), std::string(127, 'x'), 1024, &out), "ok");
  EXPECT_EQ(Levels(OutOfLine(16, 0), "", uint64_t{1} << 40, &out),
            "corruption: 1099511627776 values in 0 bytes");
  CompressiveEncoding inline_bits;
  inline_bits.kind = Kind::kInlineBitpacking;
  inline_bits.bits = 16;
  EXPECT_NE(Levels(inline_bits, "\x11\x00" + std::string(5000, 'x'), 3, &out), "ok");
  EXPECT_NE(Levels(inline_bits, std::string(2, '\0'), 1025, &out), "ok");
  EXPECT_EQ(Levels(inline_bits, std::string(2, '\0'), 3, &out), "ok");
  EXPECT_EQ(out, (std::vector<uint16_t>{0, 0, 0}));
  CompressiveEncoding unknown;
  unknown.member = 14;
  EXPECT_EQ(Levels(unknown, "", 0, &out), "unsupported: encoding 14 as a block");
}

TEST(LanceBlock, RunsMakeExactlyTheCount_LNCB6) {
  CompressiveEncoding rle;
  rle.kind = Kind::kRle;
  rle.children = {Flat(16), Flat(8)};
  std::string bytes = Numbers<uint64_t>({4}) + Numbers<uint16_t>({5, 6}) + "\x03\x02";
  std::vector<uint16_t> out;
  EXPECT_EQ(Levels(rle, bytes, 5, &out), "ok");
  EXPECT_EQ(out, (std::vector<uint16_t>{5, 5, 5, 6, 6}));
  EXPECT_NE(Levels(rle, bytes, 6, &out), "ok");
  EXPECT_NE(Levels(rle, bytes, uint64_t{1} << 50, &out), "ok");
  bytes[0] = 40;
  EXPECT_NE(Levels(rle, bytes, 5, &out), "ok");
}

TEST(LanceBlock, DictionaryTextsLieRelativeToTheByteArea_LNCF1_4) {
  CompressiveEncoding variable;
  variable.kind = Kind::kVariable;
  variable.children = {Flat(32)};
  const std::string bytes = Numbers<uint32_t>({32, 20, 0, 2, 5}) + "abcde";
  DecodeContext context;
  const auto shape = ValueShape::Variable(false);
  const auto items = DecodeItems(variable, AsBytes(bytes), 2, shape, &context);
  ASSERT_TRUE(items.ok()) << items.status().ToString();
  ValueBuilder out(shape);
  const uint8_t indices[] = {1, 0, 1};
  ASSERT_TRUE((*items)->Gather<uint8_t>(indices, 3, &out).ok());
  EXPECT_EQ(out.View(0), "cde");
  EXPECT_EQ(out.View(1), "ab");
  const uint8_t bad[] = {2};
  EXPECT_EQ((*items)->Gather<uint8_t>(bad, 1, &out).ToString(),
            "corruption: dictionary index 2 of 2");
  EXPECT_FALSE(DecodeItems(variable, AsBytes(bytes), 3, shape, &context).ok());
}

TEST(LanceBlock, SizesOfCompressedPiecesAreJudgedBeforeTheyTakeMemory_LNCC3) {
  CompressiveEncoding general;
  general.kind = Kind::kGeneral;
  general.scheme = 2;
  general.children = {Flat(16)};
  std::vector<uint16_t> out;
  EXPECT_NE(
      Levels(general, Numbers<uint64_t>({uint64_t{1} << 60}) + "xxxx", 1, &out).find("cannot hold"),
      std::string::npos);
  general.scheme = 1;
  EXPECT_NE(Levels(general, Numbers<uint32_t>({UINT32_MAX}) + "x", 1, &out).find("cannot hold"),
            std::string::npos);
  general.scheme = 3;
  EXPECT_EQ(Levels(general, "xxxx", 1, &out), "unsupported: compression scheme 3");
}

}  // namespace
}  // namespace pchronicle::lance
