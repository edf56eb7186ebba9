#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "pchronicle/model/decode.h"
#include "pchronicle/model/encode.h"

namespace pchronicle::model {
namespace {

// Generated documents hold everything the wire can say, in the writer's order, so that decode and
// encode must give the very bytes back.

template <typename... Texts>
std::string OneOf(Texts... texts) {
  return *rc::gen::element<std::string>(std::string(texts)...);
}

std::string AnyValue() {
  return OneOf("0", "-1.50", "1e3", "123456789012345678901234567890", "true", "\"\"",
               R"("a\u0000é😀\n")", "[]", "{}", R"({"k":[1,null,{"k":2}],"k2":"\ud800"})",
               R"([{"type":"text","text":"t"}])");
}

std::string Text() { return OneOf("\"x\"", R"("é \" \\ /")", R"("a\u0001b")", "\"日本\""); }

std::string Optional(const char* key, const std::string& value) {
  return *rc::gen::arbitrary<bool>() ? std::string(",\"") + key + "\":" + value : "";
}

std::string Time() {
  return OneOf("\"2026-01-02T03:04:05Z\"", "1700000000.125", "\"2026-01-02 03:04:05+02:00\"",
               "\"1700000000\"", "-3");
}

std::string Prompt() {
  return OneOf(R"({"system":"s"})", R"({"user":"u"})", R"({"system":"s","user":"u"})",
               R"({"system":"","user":""})");
}

std::string Call(int turn, int index) {
  return "{\"tcid\":\"c" + std::to_string(turn) + "." + std::to_string(index) +
         "\",\"fn\":" + Text() + ",\"args\":" + OneOf("null", "{}", "\"{\\\"a\\\":1}\"", "[1]") +
         Optional("result", AnyValue()) + Optional("duration_ms", OneOf("0", "-5", "77")) +
         Optional("extra", AnyValue()) + Optional("kind", Text()) +
         Optional("response", OneOf(R"({"status":"ok"})", R"({"exit_code":-1})",
                                    R"({"status":"","exit_code":0})")) +
         "}";
}

std::string Calls(int turn) {
  std::string calls = "[";
  const int count = *rc::gen::inRange(0, 3);
  for (int i = 0; i < count; ++i) {
    calls += (i == 0 ? "" : ",") + Call(turn, i);
  }
  return calls + "]";
}

std::string TurnText(int id) {
  return "{\"id\":" + std::to_string(id) + Optional("ts", Time()) +
         ",\"src\":" + OneOf("\"user\"", "\"agent\"", "\"tool\"") + Optional("kind", Text()) +
         ",\"msg\":" + OneOf("null", "\"hi\"", "[]", R"({"a":1})") +
         Optional("reason", OneOf("\"\"", "\"why\"")) + Optional("effort", AnyValue()) +
         Optional("tool_calls", Calls(id)) + Optional("observation", AnyValue()) +
         Optional("metrics", AnyValue()) + Optional("model", Text()) +
         Optional("nllm", OneOf("0", "2")) + Optional("copied", "false") +
         Optional("latency_ms", "0") + Optional("ttft_ms", "-9") + Optional("finished_at", Time()) +
         Optional("env", OneOf("{}", R"({"name":"n","state":{"z":null}})")) +
         Optional("prompt", Prompt()) + Optional("extra", AnyValue()) + "}";
}

std::string DocumentText(const std::string& name) {
  std::string text =
      "{\"schema_version\":\"storyline/v1\"" +
      Optional("origin", R"({"format":"atif","schema_version":"ATIF-v1.2"})") +
      Optional("run", Text()) + ",\"trajectory\":\"" + name + "\"" +
      Optional("attempt_id", Text()) + ",\"session\":" + Text() + ",\"agent\":{\"id\":" + Text() +
      Optional("name", Text()) + Optional("ver", Text()) + Optional("model", Text()) +
      Optional("tools", AnyValue()) + Optional("extra", AnyValue()) + "}" +
      Optional("parent",
               OneOf(R"({"psid":"p"})", R"({"psid":"p","scid":"c","ptid":-1,"rel":"fork"})")) +
      Optional("children", OneOf("[]", R"(["a","b"])")) + Optional("notes", Text()) +
      Optional("task", OneOf(R"({"llm":{"k":3}})",
                             R"({"env":{"name":"n"},"result":{"correct":false,"zz":null}})")) +
      Optional("prompt", R"({"user":"u"})") + Optional("started_at", Time()) +
      Optional("finished_at", Time()) + Optional("final_metrics", AnyValue()) +
      Optional("continued_trajectory_ref", Text()) + Optional("extra", AnyValue()) +
      Optional("meta", AnyValue());
  if (*rc::gen::arbitrary<bool>()) {
    text +=
        ",\"unknown_fields\":{\"sources\":{\"actf\":{\"source_document_id\":\"t\",\"fields\":{\"/"
        "attempts/1/w\":" +
        AnyValue() +
        "}},\"atif\":{\"source_document_id\":\"h\",\"fields\":{\"/steps/0/w\":null,\"/steps/7/"
        "w\":" +
        AnyValue() +
        "}}}},\"unknown_key_counts\":{\"actf\":{\"/attempts/1/w\":1},\"atif\":{\"/steps/*/w\":2}}";
  }
  text += ",\"turns\":[";
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ",") + TurnText(i * 3 - 1);
  }
  return text + "]}";
}

Result<std::string> RoundTrip(const std::string& text) {
  const json::MemoryInput input(text);
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<Storyline> stories,
                              Decode(Format::kStoryline, input, {}));
  return Encode(Format::kStoryline, stories, {.pretty = false});
}

TEST(StorylineRoundTrip, CanonicalDocumentsComeBackByteForByte) {
  EXPECT_TRUE(rc::check("encode(decode(x)) == x", [] {
    const int count = *rc::gen::inRange(1, 4);
    std::string text = count == 1 ? "" : "[";
    for (int i = 0; i < count; ++i) {
      text += (i == 0 ? "" : ",") + DocumentText("d" + std::to_string(i));
    }
    text += count == 1 ? "" : "]";
    const Result<std::string> out = RoundTrip(text);
    if (!out.ok()) {
      RC_FAIL(out.status().ToString() + "\n" + text);
    }
    RC_ASSERT(*out == text);
  }));
}

TEST(StorylineRoundTrip, ReadingAndWritingAgainChangesNothing_Guarantee3) {
  EXPECT_TRUE(rc::check("idempotent after cuts and swaps", [] {
    std::string text = DocumentText("d");
    // Damaged or reordered text must be refused or settle after one trip.
    const size_t at = *rc::gen::inRange<size_t>(0, text.size());
    const size_t length = *rc::gen::inRange<size_t>(0, 6);
    text.erase(at, length);
    const Result<std::string> once = RoundTrip(text);
    if (once.ok()) {
      const Result<std::string> twice = RoundTrip(*once);
      RC_ASSERT(twice.ok());
      RC_ASSERT(*twice == *once);
    }
  }));
}

}  // namespace
}  // namespace pchronicle::model
