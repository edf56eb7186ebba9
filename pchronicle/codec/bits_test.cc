#include "pchronicle/codec/bits.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>
#include <vector>

namespace pchronicle::codec {
namespace {

TEST(Bits, CopyAppendsAtAnyPlace) {
  EXPECT_TRUE(rc::check([] {
    const auto from_at = *rc::gen::inRange<size_t>(0, 70), at = *rc::gen::inRange<size_t>(0, 70);
    const auto count = *rc::gen::inRange<size_t>(0, 300);
    std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
    std::vector<uint8_t> from(BitmapBytes(from_at + count)), to(BitmapBytes(at + count) + 16, 0x5a);
    for (uint8_t& byte : from) {
      byte = static_cast<uint8_t>(random());
    }
    CopyBits(from.data(), from_at, count, to.data(), at);
    size_t set = 0;
    for (size_t i = 0; i < at; ++i) {
      RC_ASSERT(GetBit(to.data(), i) == ((0x5a >> (i & 7) & 1) != 0));
    }
    for (size_t i = 0; i < count; ++i) {
      RC_ASSERT(GetBit(to.data(), at + i) == GetBit(from.data(), from_at + i));
      set += GetBit(from.data(), from_at + i) ? 1 : 0;
    }
    RC_ASSERT(CountBits(from.data(), from_at, count) == set);
  }));
}

TEST(Bits, LevelsBelowTheLimitAreSet_LNCB3) {
  EXPECT_TRUE(rc::check([] {
    const auto at = *rc::gen::inRange<size_t>(0, 70), count = *rc::gen::inRange<size_t>(0, 200);
    const auto limit = *rc::gen::element<uint16_t>(0, 1, 2, 0x7fff, 0x8000, 0xffff);
    std::vector<uint16_t> levels(count);
    size_t below = 0;
    for (uint16_t& level : levels) {
      level = *rc::gen::element<uint16_t>(0, 1, 2, 0x7fff, 0x8000, 0xffff);
      below += level < limit ? 1 : 0;
    }
    std::vector<uint8_t> bits(BitmapBytes(at + count) + 16);
    FillBits(true, at, bits.data(), 0);
    RC_ASSERT(LevelsToBits(levels.data(), count, limit, bits.data(), at) == below);
    RC_ASSERT(CountBits(bits.data(), 0, at) == at);
    for (size_t i = 0; i < count; ++i) {
      RC_ASSERT(GetBit(bits.data(), at + i) == (levels[i] < limit));
    }
  }));
}

TEST(Bits, BytesGiveTheirLowestBit) {
  std::vector<uint8_t> bits(16);
  const std::vector<uint8_t> bytes = {1, 0, 3, 2, 255};
  BytesToBits(bytes.data(), bytes.size(), bits.data(), 6);
  EXPECT_EQ(bits[0], 1 << 6);
  EXPECT_EQ(bits[1], 1 | 1 << 2);
}

}  // namespace
}  // namespace pchronicle::codec
