#include "pchronicle/app/find/case_fold.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>

#include "pchronicle/json/utf8.h"

namespace pchronicle::app {
namespace {

std::string Folded(std::string_view text) {
  std::string out;
  AppendFolded(text, &out);
  return out;
}

bool Found(std::string_view needle, std::string_view text) {
  std::string scratch;
  return CaselessNeedle(needle).FoundIn(text, &scratch);
}

std::string Utf8(char32_t c) {
  std::array<char, 4> bytes{};
  return {bytes.data(), json::EncodeUtf8(c, bytes.data())};
}

TEST(CaseFold, FoldsTheScriptsThatHaveCase_FND21) {
  EXPECT_EQ(Folded("Hello, WORLD @[`{ 09"), "hello, world @[`{ 09");
  EXPECT_EQ(Folded("ÄÖÜ ÉÑ Œ"), "äöü éñ œ");
  EXPECT_EQ(Folded("ΑΒΓΣς"), "αβγσσ");
  EXPECT_EQ(Folded("ПРИВЕТ"), "привет");
  EXPECT_EQ(Folded("Ḁ Ⓐ Ａ"), "ḁ ⓐ ａ");
  EXPECT_EQ(Folded("\u212a\u017f"), "ks") << "Kelvin sign and long s";
  EXPECT_EQ(Folded("\U00010400"), "\U00010428");
  EXPECT_EQ(Folded("中文 日本 ß İ"), "中文 日本 ß İ") << "no case, or none of one character";
}

TEST(CaseFold, KeepsBytesThatAreNoText_FND21) {
  EXPECT_EQ(Folded("A\xff\xc3(Z\xe2\x82"), "a\xff\xc3(z\xe2\x82");
}

TEST(CaseFold, IsDoneAfterOneTime_FND21) {
  size_t changed = 0;
  for (char32_t c = 0; c < 0x20000; ++c) {
    const char32_t folded = FoldCharacter(c);
    changed += folded != c ? 1 : 0;
    ASSERT_EQ(FoldCharacter(folded), folded) << static_cast<uint32_t>(c);
  }
  EXPECT_EQ(changed, 1454U) << "simple foldings of Unicode 14";
}

TEST(CaseFold, FoldsEightBytesLikeOne_FND21) {
  const auto ascii = rc::gen::container<std::string>(
      rc::gen::map(rc::gen::inRange(0, 128), [](int c) { return static_cast<char>(c); }));
  EXPECT_TRUE(rc::check([&] {
    const std::string text = *ascii;
    std::string single;
    for (const char c : text) {
      single += static_cast<char>(FoldCharacter(static_cast<unsigned char>(c)));
    }
    RC_ASSERT(Folded(text) == single);
  }));
}

TEST(CaselessNeedle, FindsPartsInAnyCase_FND21) {
  EXPECT_TRUE(Found("TimeOut", "a connection timeOUT here"));
  EXPECT_TRUE(Found("größe", "DIE GRÖßE"));
  EXPECT_TRUE(Found("文", "中文"));
  EXPECT_FALSE(Found("timeouts", "timeout"));
  EXPECT_FALSE(Found("x", ""));
}

// Text is folded in pieces of 64 KiB.
TEST(CaselessNeedle, FindsAcrossPieces_FND20) {
  for (const size_t before : {65530UL, 65535UL, 65536UL, 65537UL, 131'070UL}) {
    const std::string text = std::string(before, 'x') + "ÄNeedleÖ" + std::string(70'000, 'y');
    EXPECT_TRUE(Found("äneedleö", text)) << before;
    EXPECT_FALSE(Found("äneedleoe", text)) << before;
  }
}

TEST(CaselessNeedle, AgreesWithFoldingAll_FND21) {
  const auto character =
      rc::gen::element<std::string>("a", "A", "b", "B", "\u212a", "k", "Σ", "σ", "ς", "中", " ");
  const auto text = rc::gen::map(rc::gen::container<std::vector<std::string>>(character),
                                 [](const std::vector<std::string>& parts) {
                                   std::string out;
                                   for (const std::string& part : parts) {
                                     out += part;
                                   }
                                   return out;
                                 });
  EXPECT_TRUE(rc::check([&] {
    const std::string needle = *text, hay = *text;
    RC_ASSERT(Found(needle, hay) == (Folded(hay).find(Folded(needle)) != std::string::npos));
    RC_ASSERT(Folded(needle + hay) == Folded(needle) + Folded(hay));
  }));
}

TEST(CaseFold, EveryFoldingIsUtf8_FND21) {
  for (char32_t c = 0x80; c < 0x20000; ++c) {
    if (c >= 0xd800 && c <= 0xdfff) {
      continue;
    }
    ASSERT_EQ(Folded(Utf8(c)), Utf8(FoldCharacter(c))) << static_cast<uint32_t>(c);
  }
}

}  // namespace
}  // namespace pchronicle::app
