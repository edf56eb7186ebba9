#include "pchronicle/model/agenticmd/blocks.h"

#include <gtest/gtest.h>

#include <string>

namespace pchronicle::model::agenticmd {
namespace {

std::optional<Problem> Parse(std::string_view text, BlockDocument* out) {
  return ParseBlocks(text, 128, out);
}

/// `location: message @offset`, or the blocks as `source:body|`.
std::string Outline(std::string_view text) {
  BlockDocument document;
  if (const auto problem = Parse(text, &document)) {
    return fmt::format("{}: {} @{}", problem->location, problem->status.message(), problem->offset);
  }
  std::string outline;
  for (const Block& block : document.blocks) {
    outline += fmt::format("{}:{}|", block.source, block.body);
  }
  return outline;
}

TEST(AgenticMdBlocks, DeclaredLengthKeepsLineBreaksAndMultibyteText_G100_a2_b15) {
  EXPECT_EQ(Outline("<!-- persisting:block:user {\"type\":\"text\",\"length\":7} -->\n\n你好\n\n"
                    "<!-- persisting:block:assistant -->\n\nfree text\n\n"),
            "user:你好\n|agent:free text|");
  EXPECT_EQ(Outline("<!-- persisting:block:user {\"length\":3} -->\n\n\nab"
                    "<!-- persisting:block:user {\"length\":0} -->\n\n"),
            "user:\nab|user:|");
}

TEST(AgenticMdBlocks, PlainMarkdownIsOneSystemBlock_G101_b18) {
  EXPECT_EQ(Outline("# Title\n\ntext\n"), "system:# Title\n\ntext|");
  EXPECT_EQ(Outline("---\nformat: persisting\n---\n\nhi\n"), "system:hi|");
  EXPECT_EQ(Outline("---\nformat: persisting\n---\n"), "");
  EXPECT_EQ(Outline(" \r\n\t\n"), "");
  EXPECT_EQ(Outline(""), "");
}

TEST(AgenticMdBlocks, BodyPastTheEnd_G102_b16) {
  EXPECT_EQ(Outline("<!-- persisting:block:user {\"length\":50} -->\n\nhi\n"),
            "block[0].body: agenticmd block body past EOF (need 50 bytes) @46");
  EXPECT_EQ(Outline("<!-- persisting:block {\"length\":9223372036854775807} -->"),
            "block[0].body: agenticmd block body past EOF (need 9223372036854775807 bytes) @56");
}

TEST(AgenticMdBlocks, BadLengths) {
  for (const char* length : {"-1", "1.0", "\"2\"", "9223372036854775808", "[]"}) {
    EXPECT_TRUE(Outline(fmt::format("<!-- persisting:block {{\"length\":{}}} -->\n\nhi", length))
                    .starts_with("block[0]: length must be a non-negative integer"))
        << length;
  }
  EXPECT_EQ(Outline("<!-- persisting:block {\"length\":null} -->\n\nhi"), "system:hi|");
}

TEST(AgenticMdBlocks, LengthMustNotSplitACharacter) {
  EXPECT_EQ(Outline("<!-- persisting:block {\"length\":4} -->\n\n你好"),
            "block[0].body: agenticmd block length 4 splits a UTF-8 sequence @44");
}

TEST(AgenticMdBlocks, TextBetweenBlocksIsRefused_b10) {
  const std::string block = "<!-- persisting:block {\"length\":2} -->\n\nhi";
  EXPECT_EQ(Outline(block + "\n\nstray"),
            "block[1]: expected <!-- persisting:block:{speaker} {json} --> at offset 44 @44");
  EXPECT_EQ(Outline("stray " + block),
            "block[0]: expected <!-- persisting:block:{speaker} {json} --> at offset 0 @0");
  EXPECT_EQ(Outline(" \n\n" + block + block), "system:hi|system:hi|");
}

TEST(AgenticMdBlocks, HeadersThatAreNone) {
  for (const char* header :
       {"<!-- persisting:blocks -->", "<!-- persisting:block: -->", "<!-- persisting:block",
        "<!-- persisting:block {\"a\":\n1} -->", "<!-- persisting:block {\"a\":1 -->",
        "<!-- persisting:block -->x", "<!-- persisting:block {} {} -->"}) {
    EXPECT_TRUE(Outline(header).starts_with("block[0]: expected <!--")) << Outline(header);
  }
  EXPECT_TRUE(Outline("<!-- persisting:block {a:1} -->\n").starts_with("block[0]: "));
}

TEST(AgenticMdBlocks, TheObjectIsFoundByItsBraces) {
  BlockDocument document;
  ASSERT_FALSE(Parse(
      "<!-- persisting:block:x{\"a\":\"-->}\\\"{\",\"b\":{\"c\":[{}]}}-->\r\n\r\nbody", &document));
  ASSERT_EQ(document.blocks.size(), 1u);
  EXPECT_EQ(document.blocks[0].Find("a").text, "\"-->}\\\"{\"");
  EXPECT_EQ(document.blocks[0].Find("b").text, "{\"c\":[{}]}");
  EXPECT_EQ(document.blocks[0].body, "body");
  EXPECT_EQ(document.blocks[0].speaker, "x");
}

TEST(AgenticMdBlocks, SourceComesFromTheHeaderThenTheSpeaker_b9) {
  const auto source = [](std::string header) {
    return Outline("<!-- persisting:block" + header + " -->\n");
  };
  EXPECT_EQ(source(":user {\"source\":\"agent\"}"), "agent:|");
  EXPECT_EQ(source(":user {\"source\":\"tool\",\"role\":\"assistant\"}"), "agent:|");
  EXPECT_EQ(source(":user {\"role\":\"developer\"}"), "system:|");
  EXPECT_EQ(source(":assistant"), "agent:|");
  EXPECT_EQ(source(":agent {}"), "agent:|");
  EXPECT_EQ(source(":user {\"source\":7}"), "user:|");
  EXPECT_EQ(source(":tool"), "system:|");
  EXPECT_EQ(source(""), "system:|");
}

TEST(AgenticMdBlocks, OpenBodiesRunToTheNextMarker) {
  EXPECT_EQ(Outline("<!-- persisting:block:user -->\r\n\r\n  \r\n  a\r\n\r\nb \r\n\r\n"
                    "<!-- persisting:block:agent -->\nc"),
            "user:  a\r\n\r\nb |agent:c|");
}

TEST(AgenticMdBlocks, Frontmatter_b13_b17) {
  BlockDocument document;
  ASSERT_FALSE(Parse("\xef\xbb\xbf---\r\na: 1\r\n--- \r\n", &document));
  EXPECT_EQ(document.frontmatter, "a: 1\r\n");
  EXPECT_TRUE(document.blocks.empty());
  ASSERT_FALSE(Parse("---\n---", &document));
  EXPECT_EQ(document.frontmatter, "");
  EXPECT_EQ(Outline("---\na: 1\n"), "frontmatter: unclosed YAML frontmatter @0");
  EXPECT_EQ(Outline(" ---\na: 1\n"), "system:---\na: 1|");
  EXPECT_EQ(Outline("---"), "system:---|");
}

TEST(AgenticMdBlocks, OtherEncodingsAreRefused) {
  EXPECT_EQ(Outline("ab\xff"), ": expected UTF-8, found an invalid byte at offset 2 @2");
  EXPECT_EQ(Outline(std::string_view("\xff\xfe"
                                     "a\0",
                                     4)),
            ": UTF-16 text; convert it to UTF-8 @0");
}

TEST(AgenticMdBlocks, SpansCoverTheWholeBlock_b12) {
  const std::string first = "<!-- persisting:block {\"length\":2} -->\n\nhi";
  const std::string text = first + "\n\n<!-- persisting:block -->\n\nyou\n";
  BlockDocument document;
  ASSERT_FALSE(Parse(text, &document));
  ASSERT_EQ(document.blocks.size(), 2u);
  EXPECT_EQ(document.blocks[0].begin, 0u);
  EXPECT_EQ(document.blocks[0].end(), first.size());
  EXPECT_EQ(document.blocks[1].begin, first.size() + 2);
  EXPECT_EQ(document.blocks[1].end(), text.size() - 1);
}

}  // namespace
}  // namespace pchronicle::model::agenticmd
