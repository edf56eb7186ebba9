#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "pchronicle/model/decode.h"
#include "pchronicle/model/encode.h"

namespace pchronicle::model {
namespace {

template <typename... Texts>
std::string OneOf(Texts... texts) {
  return *rc::gen::element<std::string>(std::string(texts)...);
}

std::string Optional(const char* key, const std::string& value) {
  return *rc::gen::arbitrary<bool>() ? std::string(",\"") + key + "\":" + value : "";
}

std::string AnyValue() {
  return OneOf("0", "-1.50", "1e999", "123456789012345678901234567890", "true", "\"\"",
               R"("a\u0000é😀\n")", "[]", "{}", R"({"k":[1,null,{"k":2}],"k2":"\ud800","k":3})",
               R"([{"type":"text","text":"t"}])", R"({"null":"~","a: b":["- c",[[]],"0x1F"]})",
               R"("<!-- persisting:block -->")");
}

std::string Text() {
  return OneOf("\"x\"", R"("é \" \\ /")", R"("a\u0001b\u2028")", "\"日本\"", "\"true\"", "\"---\"",
               R"("\ud83d lone")", "\"7\"");
}

/// Bodies that look like the grammar around them.
std::string Message() {
  return OneOf("null", "\"\"", "\"hi\"", R"("\n\nlead and trail\n\n")", R"("\r\n")",
               R"("<!-- persisting:block:user {\"length\":3} -->\n\nabc")", R"("---\na: 1\n---\n")",
               "\"é日😀\"", R"("\u0000")", R"("\ud83d")", "[]", R"({"a":[1.0,{"b":"\ud83d"}]})",
               "7", "1e999", "false", R"([{"type":"text","text":"t\n"}])");
}

std::string TurnText(int id) {
  return "{\"id\":" + std::to_string(id) + Optional("ts", OneOf("\"2026-01-02T03:04:05Z\"", "-3")) +
         ",\"src\":" + OneOf("\"user\"", "\"agent\"", "\"tool use\"", "\"system\"") +
         Optional("kind", Text()) + ",\"msg\":" + Message() + Optional("reason", Text()) +
         Optional("tool_calls", OneOf("[]", "[{\"tcid\":\"c" + std::to_string(id) +
                                                R"(","fn":"f","args":"-->"}])")) +
         Optional("observation", AnyValue()) + Optional("metrics", AnyValue()) +
         Optional("model", Text()) + Optional("copied", "false") + Optional("extra", AnyValue()) +
         "}";
}

std::string DocumentText() {
  std::string text =
      "{\"schema_version\":\"storyline/v1\"" +
      Optional("origin", R"({"format":"atif","schema_version":"ATIF-v1.2"})") +
      Optional("run", Text()) + Optional("trajectory", "\"t\"") + ",\"session\":" + Text() +
      ",\"agent\":{\"id\":" + Text() + Optional("ver", OneOf("\"1.0\"", "\"2026-01-02\"")) +
      Optional("tools", AnyValue()) + "}" + Optional("children", OneOf("[]", "[\"a\"]")) +
      Optional("notes", Text()) + Optional("task", R"({"llm":{"k":3}})") +
      Optional("started_at", "1700000000.125") + Optional("final_metrics", AnyValue()) +
      Optional("extra", AnyValue()) + Optional("meta", AnyValue());
  if (*rc::gen::arbitrary<bool>()) {
    text +=
        R"(,"unknown_fields":{"sources":{"atif":{"source_document_id":"h","fields":{"/steps/0/w":null,"/steps/7/a~1b":)" +
        AnyValue() + R"(}}}},"unknown_key_counts":{"atif":{"/steps/*/a~1b":1,"/steps/*/w":1}})";
  }
  text += ",\"turns\":[";
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ",") + TurnText(i * 3 - 1);
  }
  return text + "]}";
}

Result<std::string> Convert(Format from, Format to, const std::string& text) {
  const json::MemoryInput input(text);
  WalkOptions options;
  options.strict = from == Format::kAgenticMd;
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<Storyline> stories, Decode(from, input, options));
  return Encode(to, stories, {.pretty = false});
}

TEST(AgenticMdRoundTrip, AnyStorylineComesBackByteForByte_a3) {
  EXPECT_TRUE(rc::check("decode(encode(x)) == x", [] {
    const std::string text = DocumentText();
    const Result<std::string> wire = Convert(Format::kStoryline, Format::kStoryline, text);
    RC_ASSERT(wire.ok());
    const Result<std::string> markdown = Convert(Format::kStoryline, Format::kAgenticMd, text);
    if (!markdown.ok()) {
      RC_FAIL(markdown.status().ToString() + "\n" + text);
    }
    const Result<std::string> back = Convert(Format::kAgenticMd, Format::kStoryline, *markdown);
    if (!back.ok()) {
      RC_FAIL(back.status().ToString() + "\n" + *markdown);
    }
    RC_ASSERT(*back == *wire);
    const Result<std::string> again = Convert(Format::kAgenticMd, Format::kAgenticMd, *markdown);
    RC_ASSERT(again.ok());
    RC_ASSERT(*again == *markdown);
  }));
}

TEST(AgenticMdRoundTrip, DamagedTextIsRefusedOrSettles_Guarantee3) {
  EXPECT_TRUE(rc::check("idempotent after cuts", [] {
    std::string text = *Convert(Format::kStoryline, Format::kAgenticMd, DocumentText());
    text.erase(*rc::gen::inRange<size_t>(0, text.size()), *rc::gen::inRange<size_t>(0, 6));
    const json::MemoryInput input(text);
    const Result<std::vector<Storyline>> stories = Decode(Format::kAgenticMd, input, {});
    if (!stories.ok()) {
      return;
    }
    const Result<std::string> once = Encode(Format::kAgenticMd, *stories);
    RC_ASSERT(once.ok());
    const Result<std::string> twice = Convert(Format::kAgenticMd, Format::kAgenticMd, *once);
    RC_ASSERT(twice.ok());
    RC_ASSERT(*twice == *once);
  }));
}

}  // namespace
}  // namespace pchronicle::model
