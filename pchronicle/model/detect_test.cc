#include "pchronicle/model/detect.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace pchronicle::model {
namespace {

using Kind = Detection::Kind;

Detection DetectText(std::string text, std::string_view file = "a.json",
                     const DetectOptions& options = {}) {
  const json::MemoryInput input(std::move(text));
  auto detection = Detect(input, file, options);
  EXPECT_TRUE(detection.ok()) << detection.status().ToString();
  return detection.ok() ? *detection : Detection();
}

/// `atif`, `empty`, or the reason.
std::string Say(const Detection& detection) {
  switch (detection.kind) {
    case Kind::kFormat:
      return std::string(HubFormatName(*detection.format));
    case Kind::kEmpty:
      return "empty";
    case Kind::kIgnored:
      return detection.reason;
    case Kind::kError:
      return "error: " + detection.error.message();
  }
  return "";
}
std::string Say(std::string text, std::string_view file = "a.json") {
  return Say(DetectText(std::move(text), file));
}

constexpr std::string_view kAtif =
    R"({"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a"},"steps":[]})";
constexpr std::string_view kRow =
    R"({"session_id":"s","step_id":1,"messages":[{"role":"user","content":"x"}],"response":{}})";

TEST(Detect, KnowsTheFormatsWeRead_CAT31) {
  EXPECT_EQ(Say(std::string(kAtif)), "atif");
  EXPECT_EQ(Say(fmt::format("[{}]", kAtif)), "atif");
  EXPECT_EQ(Say(R"({"steps":[{"step_id":1}],"agent":{"name":"x"}})"), "atif");
  EXPECT_EQ(Say(R"({"session_id":"s","step_id":1,"agent_name":"n"})"), "atif");
  EXPECT_EQ(Say(R"({"schema_version":"storyline/v1","turns":[]})"), "storyline");
  EXPECT_EQ(
      Say(R"({"task_id":"t","attempts":{"1":{"trajectory":[{"a":1}]},"2":{"trajectory":[]}}})"),
      "actf");
  EXPECT_EQ(Say(R"({"task_id":"t","attempts":{"1":{"trajectory":{"schema_version":"ACTF_1"}}}})"),
            "actf");
  EXPECT_EQ(Say(R"({"attempts":{"1":{"trajectory":[{"a":1}]}},"task_id":"t"})"), "actf")
      << "member order is free";
  EXPECT_EQ(Say(std::string(kRow)), "openai-msg");
  EXPECT_EQ(Say(R"({"session_steps":[]})"), "openai-msg");
  EXPECT_EQ(Say(R"({"messages":[{"role":"user","content":"x"}]})"), "hf-chat");
  EXPECT_EQ(Say(R"({"conversations":[{"from":"human","value":"x"}]})"), "hf-chat");
  EXPECT_EQ(Say(R"({"messages":"[{\"role\": \"user\"}]"})"), "hf-chat") << "BR-37";
}

TEST(Detect, NeedsEveryAttemptToHoldATrajectory) {
  EXPECT_EQ(Say(R"({"task_id":"t","attempts":{"1":{"trajectory":[{"a":1}]},"2":{"x":1}}})"),
            "not a trajectory (members: task_id, attempts)");
  EXPECT_EQ(Say(R"({"task_id":"t","attempts":{}})"),
            "not a trajectory (members: task_id, attempts)");
}

TEST(Detect, NamesLogsThatAreNotReadYet_SRC31_SRC39) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"uuid":"u","message":{"role":"user"},"type":"user"})", "claude-code"},
      {R"({"message":{"usage":{}},"sessionId":"s"})", "claude-code"},
      {R"({"loglines":[]})", "claude-code"},
      {R"({"payload":{},"type":"response_item"})", "codex"},
      {R"({"record_type":"state"})", "codex"},
      {R"({"session":{},"items":[{"type":"message"}]})", "codex"},
      {R"({"version":2,"status":"success","eval":{}})", "inspect"},
      {R"([{"task_id":1,"reward":1.0,"traj":[]}])", "tau-bench"},
      {R"({"info":{},"tasks":[],"simulations":[]})", "tau-bench"},
      {R"({"sessionId":"s","projectHash":"h","messages":[]})", "gemini-cli"},
      {R"({"type":"session","id":"i","cwd":"/"})", "pi"},
      {R"({"history":[{"x":1}],"instance_id":"i"})", "openhands"},
      {R"([{"id":1,"source":"agent","action":"run"}])", "openhands"},
      {R"({"trajectory":[{"action":"a","observation":"o","response":"r"}]})", "swe-agent"},
      {R"({"trajectory_format":"mini-swe-agent-1"})", "swe-agent"},
      {R"({"resourceSpans":[]})", "otlp"},
  };
  for (const auto& [text, name] : cases) {
    EXPECT_EQ(Say(text), fmt::format("not read yet: {}", name)) << text;
    EXPECT_EQ(Say(fmt::format("{}\n", text), "a.jsonl"), fmt::format("not read yet: {}", name))
        << text;
  }
  EXPECT_EQ(Say(R"([{"role":"user","content":"x"}])", "x.traj.json"), "not read yet: swe-agent");
}

TEST(Detect, NamesAtofStreams) {
  EXPECT_EQ(Say(R"({"kind":"x","atof_version":"1"})"
                "\n",
                "a.jsonl"),
            "not read yet: ATOF event stream");
}

TEST(Detect, ContentBeatsName_SRC42_BR58) {
  EXPECT_EQ(Say(std::string(kAtif), "rollout-1.json"), "atif");
  EXPECT_EQ(Say(std::string(kAtif), "x.actf.json"), "atif");
  EXPECT_EQ(Say(std::string(kAtif), "package.json"), "atif");
  EXPECT_EQ(Say(R"({"a":1})", "trajectory.json"), "not a trajectory (members: a)");
  EXPECT_EQ(Say(std::string("\x89PNG\r\n\x1a\n\0\0", 10), "a.json"), "not JSON: PNG image");
  EXPECT_EQ(Say("PK\x03\x04zip", "a.json"), "not JSON: zip archive");
  EXPECT_EQ(Say("hello world", "a.json"), "not JSON: text");
  EXPECT_EQ(Say(std::string("\x01\x02\x05\x06 binary"), "a.json"), "not JSON: binary data");
}

TEST(Detect, ChatRowsMayBeWrapped_HF11) {
  const std::string rows = R"([{"messages":[{"role":"user","content":"x"}]}])";
  EXPECT_EQ(Say(R"({"data":)" + rows + "}"), "hf-chat");
  EXPECT_EQ(Say(R"({"version":"1","train":)" + rows + R"(,"n":2})"), "hf-chat");
  EXPECT_EQ(Say(R"({"a":)" + rows + R"(,"b":[]})"), "not a trajectory (members: a, b)");
}

TEST(Detect, AgenticMdIsReadOnlyUnderItsOwnName) {
  const std::string text = "---\nsession: s\nformat: persisting:1.0\n---\nhello\n";
  EXPECT_EQ(Say(text, "a.md"), "agenticmd");
  EXPECT_EQ(Say(text, "a.json"), "not read yet: agenticmd");
  EXPECT_EQ(Say("# title\n<!-- persisting:block -->\n", "a.md"), "agenticmd");
  EXPECT_EQ(Say("---\ntitle: x\n---\n", "a.md"), "not JSON: text");
}

TEST(Detect, MarkersInsideTextDecideNothing) {
  EXPECT_EQ(Say(R"({"text":"\"schema_version\":\"ATIF-v1.4\" <!-- persisting:block"})"),
            "instruction rows");
  EXPECT_EQ(Say(R"({"note":"\"schema_version\":\"ATIF-v1.4\"","n":1})"),
            "not a trajectory (members: note, n)");
  EXPECT_EQ(Say(R"({"inner":{"schema_version":"ATIF-v1.4","steps":[],"agent":{}}})"),
            "not a trajectory (members: inner)");
}

TEST(Detect, EmptyInputsAreEmpty_BR09) {
  for (const char* text :
       {"", "   \n\t ", "\xef\xbb\xbf", "\xef\xbb\xbf \n", "{}", "[]", "null", " [ ] ", "\n\n"}) {
    EXPECT_EQ(Say(text), "empty") << '"' << text << '"';
  }
  EXPECT_EQ(Say(std::string(2 << 20, ' ')), "empty");
  for (const char* text : {"", "\n\n", "{}\n", "\r\n"}) {
    EXPECT_EQ(Say(text, "a.jsonl"), "empty") << '"' << text << '"';
  }
}

TEST(Detect, OtherJsonIsIgnoredWithItsMembers_D13) {
  EXPECT_EQ(Say(R"("x")"), "not a trajectory (a string)");
  EXPECT_EQ(Say("5"), "not a trajectory (a number)");
  EXPECT_EQ(Say("[[]]"), "not a trajectory (an array of arrays)");
  EXPECT_EQ(Say("[1]"), "not a trajectory (an array of numbers)");
  EXPECT_EQ(Say(R"([{"a":1}])"), "not a trajectory (array of objects with members: a)");
  EXPECT_EQ(Say(R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1})"),
            "not a trajectory (members: a, b, c, d, e, f, ...)");
  EXPECT_EQ(Say(R"({"name":"x"})", "sub/package.json"), "not a trajectory: package.json");
  EXPECT_EQ(Say(R"({"instruction":"a","input":"b","output":"c"})"), "instruction rows");
}

TEST(Detect, HarborFilesAreKnown_HAR01) {
  EXPECT_EQ(DetectText(R"({"task_name":"t","trial_name":"n"})", "result.json").harbor,
            Detection::Harbor::kTrialResult);
  EXPECT_EQ(Say(R"({"task_name":"t","verifier_result":null})", "result.json"),
            "harbor trial result");
  EXPECT_EQ(Say(R"({"n_total_trials":4,"stats":{}})", "result.json"), "harbor job result");
  EXPECT_EQ(Say(R"({"job_name":"j","jobs_dir":"d"})", "config.json"), "harbor job config");
  EXPECT_EQ(Say(R"({"trial_name":"j","trials_dir":"d"})", "x/config.json"), "harbor trial config");
  EXPECT_EQ(Say(R"({"reward":1})", "t/verifier/reward.json"), "not a trajectory: harbor reward");
  EXPECT_EQ(Say(R"({"results":{}})", "t/verifier/ctrf.json"),
            "not a trajectory: ctrf.json test report");
}

TEST(Detect, Utf16IsAnErrorByName_BR16) {
  EXPECT_EQ(Say(std::string("\xff\xfe{\0}\0", 6)), "error: UTF-16 text; convert it to UTF-8");
  EXPECT_EQ(Say(std::string("{\0}\0", 4)), "error: UTF-16 text; convert it to UTF-8");
  EXPECT_EQ(Say("\xef\xbb\xbf" + std::string(kAtif)), "atif");
  EXPECT_EQ(Say("\xef\xbb\xbf" + std::string(kAtif) + "\r\n", "a.jsonl"), "atif");
}

TEST(Detect, DamageBeforeAnyFormatIsIgnoredWithItsPlace) {
  EXPECT_EQ(Say("{\n  // comment\n  \"a\": 1\n}", "tsconfig.json"),
            "malformed JSON at line 2, byte 4; no format recognised before it");
  EXPECT_EQ(Say(R"({"schema_version":"ATIF-v1.4","x":})"), "atif") << "its reader names the place";
  EXPECT_EQ(Say(R"({"steps":[],"agent":{},"x":})"), "atif");
  EXPECT_EQ(Say(R"({"x":})", "trajectory.json"), "atif") << "the name decides";
  EXPECT_EQ(Say("oops", "session_steps.json"), "openai-msg");
}

TEST(Detect, BadFirstLinesDecideNothing_BR10) {
  const std::string good(kAtif);
  EXPECT_EQ(Say("{\"cut\n" + good + "\n", "a.jsonl"), "atif");
  EXPECT_EQ(Say("garbage\n" + good + "\n", "a.ndjson"), "atif");
  EXPECT_EQ(Say("\n\n" + good, "a.jsonl"), "atif");
  EXPECT_EQ(Say(good.substr(0, good.size() - 3), "a.jsonl"), "atif")
      << "a cut only line is still known (BR-11)";
  EXPECT_EQ(DetectText(good + "\n", "a.jsonl").container, json::Container::kLines);
}

TEST(Detect, LineFilesThatHoldDocumentsAreReadAsSuch) {
  const std::string pretty =
      "{\n \"session_id\": \"s\",\n \"agent\": {\"name\": \"a\"},\n \"steps\": [\n  1,\n  2\n "
      "]\n}\n";
  const Detection whole = DetectText(pretty, "a.jsonl");
  EXPECT_EQ(Say(whole), "atif");
  EXPECT_EQ(whole.container, json::Container::kDocument);
  const Detection list = DetectText(fmt::format("[{},{}]\n", kAtif, kAtif), "a.jsonl");
  EXPECT_EQ(Say(list), "atif");
  EXPECT_EQ(list.container, json::Container::kDocument);
}

TEST(Detect, MixedFormatsAreAnError) {
  EXPECT_EQ(Say(fmt::format("{}\n\n{}\n", kAtif, kRow), "a.jsonl"),
            "error: mixed formats in one file: atif at line 1, openai-msg at line 3");
}

TEST(Detect, BeyondTheWindowTheFirstTestThatHoldsDecides) {
  DetectOptions options;
  options.window_bytes = 1000;
  const std::string filler = fmt::format(R"("filler":"{}")", std::string(5000, 'x'));
  EXPECT_EQ(Say(DetectText("{" + filler + R"(,"steps":[],"agent":{},"junk":!)", "a.json", options)),
            "atif");
  EXPECT_EQ(Say(DetectText("{" + filler + R"(,"x":1,"y":2})", "a.json", options)),
            "not a trajectory (members: filler, x, y)");
}

TEST(Detect, HoldsNoMoreThanItMay_LIM02) {
  DetectOptions options;
  options.max_detection_bytes = 100'000;
  const json::MemoryInput skipped(
      fmt::format(R"({{"big":"{}","steps":[],"agent":{{}}}})", std::string(1 << 20, 'x')));
  const auto detection = Detect(skipped, "a.json", options);
  ASSERT_TRUE(detection.ok()) << "skipped values cost nothing";
  EXPECT_EQ(Say(*detection), "atif");
  const json::MemoryInput held(
      fmt::format(R"({{"schema_version":"{}"}})", std::string(1 << 20, 'x')));
  const auto refused = Detect(held, "a.json", options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().message(),
            "format detection input a.json is 1048597 bytes, exceeding max_detection_bytes 100000");
}

TEST(Detect, HostileTextsNeverCrash) {
  for (const char* text :
       {"{", "[", "{\"", "[{", "{\"a\":", "[[[[", "{\"attempts\":{", "{\"messages\":[",
        "{\"a\":1,}", "{\"attempts\":{\"1\":{\"trajectory\":{", "]", "}", "\"", "-",
        "{\"\\ud800\":1}"}) {
    for (const char* file : {"a.json", "a.jsonl", "trajectory.json"}) {
      const json::MemoryInput input{std::string(text)};
      EXPECT_TRUE(Detect(input, file).ok()) << text;
    }
  }
  EXPECT_NE(Say(std::string(100'000, '[')), "");
  std::string wide = "{";
  for (int i = 0; i < 100'000; ++i) {
    wide += fmt::format(R"("k{}":1,)", i);
  }
  EXPECT_EQ(Say(wide + R"("steps":[],"agent":{}})"), "atif")
      << "wide objects keep their last members";
}

std::string Shared() {
  const char* from_environment = std::getenv("PCHRONICLE_SHARED");
  return from_environment != nullptr ? from_environment
                                     : std::string(PCHRONICLE_SOURCE_DIR) + "/../shared";
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Detect, RealFilesAreWhatTheirNamesSay) {
  const std::filesystem::path folder = Shared() + "/fixtures/real";
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << folder << " is absent";
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".md")) {
      continue;
    }
    const std::string said = Say(ReadFile(entry.path()), name);
    if (name.starts_with("atif-")) {
      EXPECT_EQ(said, "atif") << name;
    } else if (name.starts_with("actf-")) {
      EXPECT_EQ(said, "actf") << name;
    } else if (name.starts_with("openai-dl-")) {
      EXPECT_EQ(said, "openai-msg") << name;
    } else if (name.starts_with("openai-")) {
      EXPECT_EQ(said, "hf-chat") << name;
    } else {
      EXPECT_TRUE(said.starts_with("not read yet: ")) << name << ": " << said;
    }
  }
}

TEST(Detect, RealSessionLogsAreNamed_SRC31_SRC40) {
  const std::filesystem::path folder = Shared() + "/fixtures/real-sources";
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << folder << " is absent";
  }
  const std::pair<std::string_view, std::string_view> prefixes[] = {
      {"cc-", "claude-code"}, {"cdx-", "codex"},     {"gem-", "gemini-cli"},
      {"ins-", "inspect"},    {"oh-", "openhands"},  {"otl-", "otlp"},
      {"pi-", "pi"},          {"swe-", "swe-agent"}, {"tau-", "tau-bench"}};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string relative = std::filesystem::relative(entry.path(), folder).string();
    if (!entry.is_regular_file() ||
        !(relative.ends_with(".json") || relative.ends_with(".jsonl")) ||
        relative.ends_with(".meta.json")) {
      continue;
    }
    const std::string said = Say(ReadFile(entry.path()), relative);
    for (const auto& [prefix, name] : prefixes) {
      if (relative.starts_with(prefix)) {
        EXPECT_EQ(said, fmt::format("not read yet: {}", name)) << relative;
      }
    }
    if (relative.starts_with("hf-")) {
      EXPECT_EQ(said, "hf-chat") << relative;
    }
    if (relative.starts_with("other-")) {
      EXPECT_FALSE(said.starts_with("not read yet: ")) << relative << ": " << said;
    }
  }
}

}  // namespace
}  // namespace pchronicle::model
