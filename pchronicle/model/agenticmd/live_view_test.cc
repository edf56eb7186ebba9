#include "pchronicle/model/agenticmd/live_view.h"

#include <gtest/gtest.h>

#include <string>

#include "pchronicle/model/agenticmd/blocks.h"
#include "pchronicle/model/agenticmd/file_name.h"

namespace pchronicle::model::agenticmd {
namespace {

std::string Put(const std::string& text, const LiveBlock& block) {
  const Result<std::string> out = PutLiveBlock(text, block);
  return out.ok() ? *out : "! " + out.status().message();
}

TEST(AgenticMdLiveView, ADraftIsReplacedInPlace_X13) {
  std::string text = Put("---\nformat: persisting\n---\n", {"c1", "user", "hello"});
  text = Put(text, {"c1", "agent", "dra"});
  text = Put(text, {"c2", "user", "more\n\n```\ncode\n```"});
  const size_t second = text.find("<!-- persisting:block:user", text.find("dra"));
  const std::string behind = text.substr(second), before = text.substr(0, text.find("dra"));
  text = Put(text, {"c1", "agent", "the final answer"});
  EXPECT_TRUE(text.ends_with("\n\n" + behind)) << "bytes behind it are unchanged";
  EXPECT_EQ(text.substr(0, text.find("<!-- persisting:block:agent")),
            before.substr(0, before.find("<!-- persisting:block:agent")));
  EXPECT_EQ(text,
            "---\nformat: persisting\n---\n\n"
            "<!-- persisting:block:user {\"type\":\"text\",\"length\":5,\"source\":\"user\","
            "\"call_id\":\"c1\"} -->\n\nhello\n\n"
            "<!-- persisting:block:agent {\"type\":\"text\",\"length\":16,\"source\":\"agent\","
            "\"call_id\":\"c1\"} -->\n\nthe final answer\n\n" +
                behind);
}

TEST(AgenticMdLiveView, RewritingTheSameAddsNoBlankLines_b1_b4_b19) {
  const std::string once = Put(Put("", {"c", "user", "q"}), {"c", "agent", "a\n"});
  EXPECT_EQ(Put(Put(once, {"c", "user", "q"}), {"c", "agent", "a\n"}), once);
  BlockDocument document;
  ASSERT_FALSE(ParseBlocks(once, 128, &document));
  ASSERT_EQ(document.blocks.size(), 2u);
  EXPECT_EQ(document.blocks[1].body, "a\n");
}

TEST(AgenticMdLiveView, OtherHeaderMembersStay) {
  EXPECT_EQ(
      Put("<!-- persisting:block:agent {\"call_id\":\"c\",\"timestamp\":7,\"length\":1} -->\n\nx",
          {"c", "agent", "yz"}),
      "<!-- persisting:block:agent {\"type\":\"text\",\"length\":2,\"source\":\"agent\","
      "\"call_id\":\"c\",\"timestamp\":7} -->\n\nyz\n\n");
}

TEST(AgenticMdLiveView, RefusesWhatItCannotPlace_b10) {
  EXPECT_EQ(Put("notes\n", {"c", "user", "q"}),
            "! expected <!-- persisting:block:{speaker} {json} --> at offset 0");
  EXPECT_EQ(Put("", {"", "user", "q"}), "! a live block needs a call_id");
  EXPECT_EQ(Put("", {"c", "tool", "q"}), "! live block source must be user, agent or system");
  EXPECT_EQ(Put("", {"c", "user", "\xff"}), "! a live block must be UTF-8");
  EXPECT_EQ(Put("---\n", {"c", "user", "q"}), "! frontmatter: unclosed YAML frontmatter");
}

TEST(AgenticMdFileName, StemsAreSafe) {
  EXPECT_EQ(FileStem("  a/b c:é.Z-9_ "), "a_b_c__.Z-9_");
  EXPECT_EQ(FileStem(" \n"), "session");
  EXPECT_EQ(FileStem(std::string(300, 'x')), std::string(128, 'x'));
  EXPECT_TRUE(LooksLikeTrajectory("agent-1"));
  EXPECT_TRUE(LooksLikeTrajectory("run-1"));
  EXPECT_TRUE(LooksLikeTrajectory("0123-567"));
  EXPECT_FALSE(LooksLikeTrajectory("a-b"));
  EXPECT_FALSE(LooksLikeTrajectory("README_LONG"));
}

}  // namespace
}  // namespace pchronicle::model::agenticmd
