#include "pchronicle/model/atif/encoder.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "pchronicle/model/decode.h"

namespace pchronicle::model {
namespace {

std::vector<Storyline> Read(Format format, const std::string& text) {
  const json::MemoryInput input(text);
  Result<std::vector<Storyline>> stories = Decode(format, input, {});
  EXPECT_TRUE(stories.ok()) << stories.status().ToString() << "\n" << text;
  return stories.ok() ? std::move(stories).value() : std::vector<Storyline>();
}

std::string Write(const std::vector<Storyline>& stories, EncodeOptions options = {.pretty = false},
                  EncodeReport* report = nullptr) {
  const Result<std::string> out = EncodeAtif(stories, options, report);
  return out.ok() ? *out : "error: " + out.status().message();
}

std::string Wire(const std::string& members, const std::string& turns) {
  return R"({"schema_version":"storyline/v1","session":"s","agent":{"id":"a"})" + members +
         ",\"turns\":[" + turns + "]}";
}

constexpr char kHead[] = R"("schema_version":"ATIF-v1.7","session_id":"s")";
constexpr char kAgent[] = R"("agent":{"name":"a","version":"1"})";

std::string Atif(const std::string& steps, const std::string& tail = "") {
  return std::string("{") + kHead + "," + kAgent + ",\"steps\":[" + steps + "]" + tail + "}";
}

TEST(AtifEncoder, CountsWhatItCannotCarry) {
  const auto stories = Read(
      Format::kStoryline,
      Wire(
          R"(,"run":"r","parent":{"psid":"p","rel":"fork"},"task":{"llm":{"k":1}},"meta":{},"started_at":1)",
          R"({"id":0,"src":"user","kind":"context","msg":"","env":{"name":"e"},"finished_at":3},)"
          R"({"id":1,"src":"agent","kind":"autonomous","msg":"","tool_calls":[{"tcid":"c","fn":"f","args":1,"kind":"k","response":{"exit_code":1}}]})"));
  EncodeReport report;
  const std::string out = Write(stories, {.pretty = false}, &report);
  const std::map<std::string, uint64_t> expected = {{"run", 1},
                                                    {"parent.psid", 1},
                                                    {"parent.rel", 1},
                                                    {"task", 1},
                                                    {"meta", 1},
                                                    {"started_at", 1},
                                                    {"turns.kind", 1},
                                                    {"turns.env", 1},
                                                    {"turns.finished_at", 1},
                                                    {"tool_calls.kind", 1},
                                                    {"tool_calls.response", 1}};
  EXPECT_EQ(report.lossy, expected) << out;
  EXPECT_EQ(report.notes.count("step_id"), 1u);
  EXPECT_EQ(Write(stories, {.strict = true, .pretty = false}),
            "error: step_id must start from 1, got 0");
  EXPECT_EQ(Write(Read(Format::kStoryline, Wire(R"(,"run":"r","meta":1)", "")),
                  {.strict = true, .pretty = false}),
            "error: lossy_export fields=meta,run");
}

TEST(AtifEncoder, MetricsGainOnlyWhatTheyDoNotSay_G24) {
  const auto metrics = [](const std::string& turn) {
    return Write(
        Read(Format::kStoryline, Wire("", R"({"id":1,"src":"agent","msg":"")" + turn + "}")));
  };
  EXPECT_NE(metrics(R"(,"latency_ms":5,"metrics":{"elapsed_ms":5.7})")
                .find(R"("metrics":{"elapsed_ms":5.7}})"),
            std::string::npos);
  EXPECT_NE(metrics(R"(,"latency_ms":5,"metrics":{"elapsed_ms":6})")
                .find(R"("metrics":{"elapsed_ms":6,"latency_ms":5}})"),
            std::string::npos);
  EXPECT_NE(metrics(R"(,"latency_ms":5,"metrics":"odd")").find(R"("metrics":"odd"})"),
            std::string::npos);
  EXPECT_NE(metrics(R"(,"ttft_ms":5)").find(R"("metrics":{"ttft_ms":5}})"), std::string::npos);
  EXPECT_EQ(metrics(R"(,"metrics":{})").find("metrics"), std::string::npos);
}

TEST(AtifEncoder, ADeepTreeIsRefusedAndAWideOneIsNot) {
  std::string chain = "[";
  std::string wide = Wire(R"(,"trajectory":"top","children":[)", "");
  for (int i = 0; i < 70; ++i) {
    chain += (i == 0 ? "" : ",") + Wire(fmt::format(R"(,"trajectory":"t{}","children":[{}])", i,
                                                    i < 69 ? fmt::format("\"t{}\"", i + 1) : ""),
                                        "");
  }
  EXPECT_EQ(Write(Read(Format::kStoryline, chain + "]")),
            "error: Storyline child graph is deeper than 56 levels at 't57'");
}

TEST(AtifEncoder, AResidualFollowsItsDocument) {
  auto stories = Read(
      Format::kAtif,
      Atif(
          "",
          R"(,"trajectory_id":"top","subagent_trajectories":[{"schema_version":"ATIF-v1.7","trajectory_id":"k0",)" +
              std::string(kAgent) +
              R"(,"steps":[]},{"schema_version":"ATIF-v1.7","trajectory_id":"k1",)" + kAgent +
              R"(,"steps":[{"step_id":1,"source":"user","message":"m","w":1}]}])"));
  ASSERT_EQ(stories.size(), 3u);
  std::vector<Storyline> alone;
  alone.push_back(std::move(stories[2]));
  EXPECT_NE(Write(alone).find(R"("message":"m","w":1)"), std::string::npos) << Write(alone);
}

TEST(AtifEncoder, LoneSurrogatesOfDecodedTextsComeBack_G98) {
  const std::string text =
      Atif(R"({"step_id":1,"source":"agent","message":"m","reasoning_content":"r\ud800"})");
  EXPECT_EQ(Write(Read(Format::kAtif, text)), text);
}

TEST(AtifEncoder, OneSourceTwiceIsRefused) {
  const std::string one = Atif("", ",\"w\":1");
  EXPECT_TRUE(Write(Read(Format::kAtif, "[" + one + "," + one + "]")).starts_with("error: "));
}

// -- Round trips of generated documents: what an exporter wrote comes back byte for byte --

template <typename... Texts>
std::string OneOf(Texts... texts) {
  return *rc::gen::element<std::string>(std::string(texts)...);
}
std::string Optional(const char* key, const std::string& value) {
  return *rc::gen::arbitrary<bool>() ? std::string(",\"") + key + "\":" + value : "";
}
std::string AnyValue() {
  return OneOf("0", "-1.50", "9007199254740993", "\"t\"", "[]", "{}", R"({"a":[null,1e2]})",
               R"(["\ud800"])");
}

std::string Step(int id) {
  return "{\"step_id\":" + std::to_string(id) +
         Optional("timestamp", OneOf("\"2026-01-02T03:04:05+01:00\"", "\"2026/01/02 03:04:05\"")) +
         ",\"source\":" + OneOf("\"user\"", "\"agent\"", "\"environment\"") +
         Optional("model_name", "\"m\"") +
         ",\"message\":" + OneOf("null", "\"x\"", R"([{"type":"text","text":"p"}])") +
         Optional("reasoning_effort", AnyValue()) +
         Optional("reasoning_content", OneOf("\"\"", "\"w\\ud800\"")) +
         Optional(
             "tool_calls",
             OneOf(
                 "[]",
                 fmt::format(
                     R"([{{"tool_call_id":"c{}","function_name":"f","arguments":{},"result":1,"extra":{{"duration_ms":4}}}}])",
                     id, "null"))) +
         Optional(
             "observation",
             OneOf(R"({"results":[]})",
                   R"({"results":[{"source_call_id":"c1","content":"r"},{"content":null}]})")) +
         Optional("metrics", OneOf(R"({"prompt_tokens":3,"latency_ms":9.5})",
                                   R"({"elapsed_ms":"n"})", "\"odd\"")) +
         Optional("llm_call_count", "0") + Optional("is_copied_context", "true") +
         Optional("extra", AnyValue()) + Optional("w", AnyValue()) + "}";
}

std::string Tree(const std::string& id, int depth) {
  std::string text = std::string("{") + kHead + ",\"trajectory_id\":\"" + id +
                     "\",\"agent\":{\"name\":\"a\",\"version\":\"1\"" +
                     Optional("model_name", "\"m\"") + Optional("tool_definitions", AnyValue()) +
                     Optional("extra", AnyValue()) + Optional("w", "1") + "},\"steps\":[";
  const int steps = *rc::gen::inRange(0, 3);
  for (int i = 1; i <= steps; ++i) {
    text += (i == 1 ? "" : ",") + Step(i);
  }
  text += "]" + Optional("notes", "\"n\"") + Optional("final_metrics", AnyValue()) +
          Optional("continued_trajectory_ref", "\"x.json\"") + Optional("extra", AnyValue());
  if (depth > 0 && *rc::gen::arbitrary<bool>()) {
    text += ",\"subagent_trajectories\":[";
    const int children = *rc::gen::inRange(0, 3);
    for (int i = 0; i < children; ++i) {
      text += (i == 0 ? "" : ",") + Tree(id + "." + std::to_string(i), depth - 1);
    }
    text += "]";
  }
  return text + Optional("w", AnyValue()) + "}";
}

TEST(AtifRoundTrip, WhatAnExportWritesComesBackByteForByte_Guarantee2) {
  EXPECT_TRUE(rc::check("encode(decode(x)) == x", [] {
    const std::string text = Tree("t", 2);
    const json::MemoryInput input(text);
    const Result<std::vector<Storyline>> stories = Decode(Format::kAtif, input, {});
    if (!stories.ok()) {
      RC_FAIL(stories.status().ToString() + "\n" + text);
    }
    const Result<std::string> out =
        EncodeAtif(*stories, {.strict = true, .pretty = false}, nullptr);
    if (!out.ok()) {
      RC_FAIL(out.status().ToString() + "\n" + text);
    }
    RC_ASSERT(*out == text);
  }));
}

}  // namespace
}  // namespace pchronicle::model
