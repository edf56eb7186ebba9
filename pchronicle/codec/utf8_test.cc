#include "pchronicle/codec/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pchronicle::codec {
namespace {

/// The check of texts laid out one after the other.
bool Check(const std::vector<std::string>& texts) {
  std::string bytes;
  std::vector<int32_t> narrow = {0};
  std::vector<int64_t> wide = {0};
  for (const std::string& text : texts) {
    bytes += text;
    narrow.push_back(static_cast<int32_t>(bytes.size()));
    wide.push_back(static_cast<int64_t>(bytes.size()));
  }
  const std::span<const uint8_t> view(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  EXPECT_EQ(AreUtf8(view, narrow), AreUtf8(view, wide));
  return AreUtf8(view, narrow);
}

TEST(Utf8, TextsAreJudgedOneByOne) {
  const std::string e_acute = "\xc3\xa9", long_ascii(1000, 'a');
  EXPECT_TRUE(Check({}));
  EXPECT_TRUE(Check({"", "a", "", e_acute, long_ascii}));
  EXPECT_TRUE(Check({long_ascii + e_acute, ""}));
  EXPECT_FALSE(Check({"a", "\xff", "b"}));
  EXPECT_FALSE(Check({long_ascii, "\xed\xa0\x80"})) << "a surrogate";
  // Well-formed together, but not one by one.
  EXPECT_FALSE(Check({"\xc3", "\xa9"}));
  EXPECT_FALSE(Check({long_ascii, "a\xc3", "\xa9z"}));
  EXPECT_FALSE(Check({"a", "\xc3"})) << "cut at the end";
}

TEST(Utf8, BytesBehindTheLastTextAreNotLookedAt) {
  const std::string bytes = "ok\xff";
  const std::vector<int32_t> offsets = {0, 2};
  EXPECT_TRUE(AreUtf8({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, offsets));
}

TEST(Utf8, EveryPlaceOfABadByteIsFound) {
  for (size_t size : {1, 7, 63, 64, 65, 200}) {
    for (size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      text[at] = '\x80';
      EXPECT_FALSE(Check({"a", text})) << size << " " << at;
    }
  }
}

}  // namespace
}  // namespace pchronicle::codec
