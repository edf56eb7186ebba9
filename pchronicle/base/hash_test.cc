#include "pchronicle/base/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace pchronicle {
namespace {

TEST(Blake3, MatchesThePublishedVectors) {
  EXPECT_EQ(Blake3Hex({}), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
  EXPECT_EQ(Blake3Hex({"abc"}), "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85");
}

TEST(Blake3, PiecesEqualTheWhole) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += static_cast<char>(i * 7);
  }
  const std::string_view view = text;
  EXPECT_EQ(Blake3Hex({view.substr(0, 1), view.substr(1, 1500), "", view.substr(1501)}),
            Blake3Hex({view}));
  EXPECT_EQ(Blake3Hex({view}, 24), Blake3Hex({view}).substr(0, 24));
}

TEST(Blake3, HexDoesNotEndTheInput) {
  Blake3 hasher;
  hasher.Update("a");
  EXPECT_EQ(hasher.Hex(), Blake3Hex({"a"}));
  Blake3 copy = hasher;
  hasher.Update("b");
  EXPECT_EQ(hasher.Hex(), Blake3Hex({"ab"}));
  EXPECT_EQ(copy.Hex(), Blake3Hex({"a"}));
}

TEST(Blake3, NumbersAreLittleEndian) {
  Blake3 hasher;
  hasher.UpdateU64(0x0102030405060708ULL);
  EXPECT_EQ(hasher.Hex(), Blake3Hex({std::string_view("\x08\x07\x06\x05\x04\x03\x02\x01", 8)}));
}

TEST(Xxh3, SeedAndTextDecide) {
  EXPECT_EQ(Xxh3(""), 0x2d06800538d394c2ULL);
  EXPECT_EQ(Xxh3("abc"), Xxh3("abc"));
  EXPECT_NE(Xxh3("abc"), Xxh3("abc", 1));
  EXPECT_NE(Xxh3Wide("abc"), Xxh3Wide("abd"));
  EXPECT_EQ(Xxh3Wide("abc"), Xxh3Wide("abc"));
}

}  // namespace
}  // namespace pchronicle
