#include "pchronicle/base/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace pchronicle {
namespace {

TEST(Base64, EncodesTheVectorsOfRfc4648) {
  EXPECT_EQ(EncodeBase64(""), "");
  EXPECT_EQ(EncodeBase64("f"), "Zg==");
  EXPECT_EQ(EncodeBase64("fo"), "Zm8=");
  EXPECT_EQ(EncodeBase64("foobar"), "Zm9vYmFy");
}

TEST(Base64, DecodesWhatItEncodes) {
  EXPECT_TRUE(rc::check(
      [](const std::string& bytes) { RC_ASSERT(DecodeBase64(EncodeBase64(bytes)) == bytes); }));
}

TEST(Base64, AcceptsUrlSafeUnpaddedAndWrappedText) {
  EXPECT_EQ(DecodeBase64("-_-_"), std::string("\xfb\xff\xbf", 3));
  EXPECT_EQ(DecodeBase64("Zg"), "f");
  EXPECT_EQ(DecodeBase64("Zm9v\r\nYmFy\n"), "foobar");
}

TEST(Base64, RefusesOtherText) {
  for (const char* text : {"Z", "Zm9v!", "Zg==Zg", "Zm9vY"}) {
    EXPECT_FALSE(DecodeBase64(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace pchronicle
