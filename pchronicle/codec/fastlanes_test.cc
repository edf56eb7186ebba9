#include "pchronicle/codec/fastlanes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace pchronicle::codec {
namespace {

/// The layout as the specification words it: row r of lane l is element ORDER[r/8]*16 + (r%8)*128 +
/// l.
template <typename T>
T ReferenceValue(unsigned width, const std::vector<uint8_t>& packed, size_t element) {
  constexpr std::array<size_t, 8> kOrder = {0, 4, 2, 6, 1, 5, 3, 7};
  constexpr size_t kBits = sizeof(T) * 8, kLanes = 1024 / kBits;
  for (size_t row = 0; row < kBits; ++row) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if (kOrder[row / 8] * 16 + row % 8 * 128 + lane != element) {
        continue;
      }
      T value = 0;
      for (size_t bit = 0; bit < width; ++bit) {
        const size_t at = row * width + bit;
        T word;
        std::memcpy(&word, packed.data() + (at / kBits * kLanes + lane) * sizeof(T), sizeof(T));
        value = static_cast<T>(value | static_cast<T>((word >> (at % kBits)) & 1) << bit);
      }
      return value;
    }
  }
  return 0;
}

template <typename T>
class FastLanes : public testing::Test {};
using Words = testing::Types<uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(FastLanes, Words);

TYPED_TEST(FastLanes, UnpacksEveryWidthAsTheLayoutSays_LNCB7) {
  std::mt19937_64 random(7);
  for (unsigned width = 0; width <= sizeof(TypeParam) * 8; ++width) {
    std::vector<uint8_t> packed(FastLanesBytes(width));
    for (uint8_t& byte : packed) {
      byte = static_cast<uint8_t>(random());
    }
    std::vector<TypeParam> out(kFastLanesBlock);
    FastLanesUnpack(width, packed.data(), out.data());
    for (const size_t element : {0U, 1U, 127U, 128U, 511U, 768U, 1000U, 1023U}) {
      ASSERT_EQ(out[element], ReferenceValue<TypeParam>(width, packed, element))
          << "width " << width << " element " << element;
    }
  }
}

TYPED_TEST(FastLanes, PackIsTheInverse_LNCB7) {
  EXPECT_TRUE(rc::check([] {
    const auto width = *rc::gen::inRange<unsigned>(0, sizeof(TypeParam) * 8 + 1);
    std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
    std::vector<TypeParam> values(kFastLanesBlock), out(kFastLanesBlock);
    for (TypeParam& value : values) {
      value = width == 0 ? TypeParam{0}
                         : static_cast<TypeParam>(static_cast<TypeParam>(random()) >>
                                                  (sizeof(TypeParam) * 8 - width));
    }
    std::vector<uint8_t> packed(FastLanesBytes(width) + 1);
    FastLanesPack(width, values.data(), packed.data() + 1);  // any alignment
    FastLanesUnpack(width, packed.data() + 1, out.data());
    RC_ASSERT(out == values);
  }));
}

}  // namespace
}  // namespace pchronicle::codec
