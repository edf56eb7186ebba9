#include "pchronicle/model/text_is.h"

#include <gtest/gtest.h>

namespace pchronicle::model {
namespace {

bool Is(std::string_view written, std::string_view characters) {
  return TextIs(json::RawFromText(written), characters);
}

TEST(TextIs, LooksAtTheCharactersHoweverTheyAreWritten) {
  EXPECT_TRUE(Is(R"("text")", "text"));
  EXPECT_TRUE(Is(R"("te\u0078t")", "text"));
  EXPECT_TRUE(Is(R"("a\/b")", "a/b"));
  EXPECT_TRUE(Is(R"("")", ""));
  EXPECT_FALSE(Is(R"("texts")", "text"));
  EXPECT_FALSE(Is(R"("tex")", "text"));
  EXPECT_FALSE(Is(R"("te\u0078s")", "text"));
  EXPECT_FALSE(Is("1234", "1234"));
  EXPECT_FALSE(TextIs({}, ""));
}

}  // namespace
}  // namespace pchronicle::model
