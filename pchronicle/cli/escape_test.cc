#include "pchronicle/cli/escape.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace pchronicle::cli {
namespace {

TEST(Escape, ControlBidiAndBadBytes_BR51) {
  EXPECT_EQ(EscapeText("a\x1b[2Jb"), "a\\u001b[2Jb");
  EXPECT_EQ(EscapeText("\x7f\u0085\u200f\u2066\u2028"), "\\u007f\\u0085\\u200f\\u2066\\u2028");
  EXPECT_EQ(EscapeText("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(EscapeText(std::string_view("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(EscapeText("line\n\ttab"), "line\n\ttab");
  EXPECT_EQ(EscapeLine("line\n\ttab\r"), "line\\u000a\\u0009tab\\u000d");
  EXPECT_EQ(EscapeText("日本 é 🙂"), "日本 é 🙂");
}

TEST(Escape, OverlongAndSurrogateBytesAreBad) {
  EXPECT_EQ(EscapeText("\xc0\x80"), "\\xc0\\x80");
  EXPECT_EQ(EscapeText("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(EscapeText("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

RC_GTEST_PROP(Escape, NeverLeavesAControlByte_BR51, (const std::string& text)) {
  for (const char c : EscapeLine(text)) {
    RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
}

RC_GTEST_PROP(Escape, IsIdempotent, (const std::string& text)) {
  RC_ASSERT(EscapeText(EscapeText(text)) == EscapeText(text));
}

TEST(Characters, CountCutAndWidth) {
  EXPECT_EQ(CountCharacters("aé日🙂"), 4U);
  EXPECT_EQ(DisplayWidth("aé日🙂"), 6U);
  EXPECT_EQ(CutCharacters("aé日🙂", 2), "aé");
  EXPECT_EQ(CutCharacters("ab", 9), "ab");
}

}  // namespace
}  // namespace pchronicle::cli
