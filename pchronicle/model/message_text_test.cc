#include "pchronicle/model/message_text.h"

#include <gtest/gtest.h>

namespace pchronicle::model {
namespace {

std::optional<std::string> TextOf(std::string_view json) {
  Arena arena;
  const auto text = MessageText(json::RawFromText(json), arena);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

TEST(MessageText, AStringIsItselfAlsoWhenEmpty) {
  EXPECT_EQ(TextOf(R"("a\nb")"), "a\nb");
  EXPECT_EQ(TextOf(R"("")"), "");
  EXPECT_EQ(TextOf(R"("\ud800")"), "\xef\xbf\xbd");
}

TEST(MessageText, PartsAreJoinedByOneBlankLine) {
  EXPECT_EQ(TextOf(R"([{"type":"text","text":"a"},{"type":"image","source":{}},{"text":"b"}])"),
            "a\n\nb");
  EXPECT_EQ(TextOf(R"([{"type":"text","text":""},{"text":"b"},{"text":""}])"), "\n\nb\n\n");
  EXPECT_EQ(TextOf(R"([{"type":"text","value":"v"},{"type":"other","value":"w"}])"), "v");
  EXPECT_EQ(TextOf(R"([{"type":"text","text":3,"value":"v"}])"), "v");
}

TEST(MessageText, NoTextIsNoneNotEmpty) {
  for (const char* json : {"null", "3", "true", "{\"text\":\"a\"}", "[]", "[\"a\"]",
                           "[{\"type\":\"image\"}]", "[[{\"text\":\"a\"}]]"}) {
    EXPECT_EQ(TextOf(json), std::nullopt) << json;
  }
  EXPECT_EQ(TextOf(""), std::nullopt);
}

}  // namespace
}  // namespace pchronicle::model
