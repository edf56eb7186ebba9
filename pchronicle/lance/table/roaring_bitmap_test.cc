#include "pchronicle/lance/table/roaring_bitmap.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

namespace pchronicle::lance {
namespace {

using Set = std::set<uint32_t>;

std::vector<uint32_t> ToVector(const Set& set) { return {set.begin(), set.end()}; }

// Values that lie close, so that runs and dense containers come up.
rc::Gen<Set> Sets() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::pair<uint32_t, uint32_t>>>(
          rc::gen::pair(rc::gen::inRange<uint32_t>(0, 300'000), rc::gen::inRange<uint32_t>(1, 50))),
      [](const std::vector<std::pair<uint32_t, uint32_t>>& runs) {
        Set out;
        for (const auto& [start, length] : runs) {
          for (uint32_t i = 0; i < length; ++i) {
            out.insert(start + i);
          }
        }
        return out;
      });
}

TEST(RoaringBitmap, ReadsWhatItWrites_LNC_A9) {
  EXPECT_TRUE(rc::check([] {
    const Set set = *Sets();
    const auto back = RoaringBitmap::Decode(RoaringBitmap::FromValues(ToVector(set)).Encode());
    RC_ASSERT(back.ok());
    RC_ASSERT(back->Values() == ToVector(set));
    RC_ASSERT(back->cardinality() == set.size());
  }));
}

TEST(RoaringBitmap, CountsAndListsRanges_LNC_A9) {
  EXPECT_TRUE(rc::check([] {
    const Set set = *Sets();
    const RoaringBitmap bitmap = RoaringBitmap::FromValues(ToVector(set));
    const auto begin = *rc::gen::inRange<uint32_t>(0, 300'000);
    const auto end = *rc::gen::inRange<uint32_t>(0, 400'000);
    std::vector<uint32_t> want, got;
    for (const uint32_t value : set) {
      if (value >= begin && value < end) {
        want.push_back(value);
      }
    }
    bitmap.AppendIn(begin, end, &got);
    RC_ASSERT(got == want);
    RC_ASSERT(bitmap.CountIn(begin, end) == want.size());
  }));
}

TEST(RoaringBitmap, JoinsSets_LNC_A9) {
  EXPECT_TRUE(rc::check([] {
    const Set a = *Sets(), b = *Sets();
    const RoaringBitmap x = RoaringBitmap::FromValues(ToVector(a));
    const RoaringBitmap y = RoaringBitmap::FromValues(ToVector(b));
    std::vector<uint32_t> both, any, first;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(any));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(first));
    RC_ASSERT(x.Intersect(y).Values() == both);
    RC_ASSERT(x.Union(y).Values() == any);
    RC_ASSERT(x.Without(y).Values() == first);
  }));
}

TEST(RoaringBitmap, ReadsTheLayoutOfTheFormat_LNC_A9) {
  // Cookie 12346, one container: key 0, three values 1, 2, 300.
  const std::string bytes("\x3a\x30\0\0\1\0\0\0\0\0\2\0\x10\0\0\0\1\0\2\0\x2c\1", 22);
  const auto bitmap = RoaringBitmap::Decode(bytes);
  ASSERT_TRUE(bitmap.ok()) << bitmap.status().ToString();
  EXPECT_EQ(bitmap->Values(), (std::vector<uint32_t>{1, 2, 300}));
}

TEST(RoaringBitmap, RefusesBytesLeftOverAndCutOff_LNC_C3) {
  const std::string bytes = RoaringBitmap::FromValues(std::vector<uint32_t>{1, 5, 70'000}).Encode();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(RoaringBitmap::Decode(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(RoaringBitmap::Decode(bytes + '\0').ok());
}

// Whatever a changed byte makes of it: an error or a set that can be listed.
TEST(RoaringBitmap, SurvivesEveryFlippedByte_LNC_8) {
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < 9000; ++i) {
    values.push_back(i % 3 == 0 ? i * 2 : 200'000 + i);
  }
  const std::string bytes = RoaringBitmap::FromValues(values).Encode();
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ mask);
      const auto bitmap = RoaringBitmap::Decode(changed);
      if (bitmap.ok()) {
        const std::vector<uint32_t> listed = bitmap->Values();
        EXPECT_TRUE(std::is_sorted(listed.begin(), listed.end()));
      }
    }
  }
}

}  // namespace
}  // namespace pchronicle::lance
