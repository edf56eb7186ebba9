#include "pchronicle/base/terminal_text.h"

#include <gtest/gtest.h>

namespace pchronicle {
namespace {

TEST(TerminalText, ControlAndBidiCharactersAreHarmless_BR51) {
  EXPECT_EQ(EscapeLine("a\x1b]52;c;x\x07"), "a\\u001b]52;c;x\\u0007");
  EXPECT_EQ(EscapeLine("a\xe2\x80\xae"
                       "b"),
            "a\\u202eb");
  EXPECT_EQ(EscapeLine("\xc2\x9b"
                       "2J"),
            "\\u009b2J");
  EXPECT_EQ(EscapeLine("a\nb\tc"), "a\\u000ab\\u0009c");
  EXPECT_EQ(EscapeText("a\nb\tc"), "a\nb\tc");
  EXPECT_EQ(EscapeLine("\xff"), "\\xff");
  EXPECT_EQ(EscapeLine("h\xc3\xa9 \xe6\x97\xa5"), "h\xc3\xa9 \xe6\x97\xa5");
}

TEST(TerminalText, WidthsAndCutsCountCharacters) {
  EXPECT_EQ(CountCharacters("h\xc3\xa9\xff"), 3u);
  EXPECT_EQ(DisplayWidth("\xe6\x97\xa5\xe6\x9c\xac"), 4u);
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1u);
  EXPECT_EQ(CutCharacters("h\xc3\xa9llo", 2), "h\xc3\xa9");
}

}  // namespace
}  // namespace pchronicle
