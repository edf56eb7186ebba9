#include "pchronicle/cli/show_text.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "pchronicle/base/terminal_text.h"
#include "pchronicle/model/decode.h"

namespace pchronicle::cli {
namespace {

app::ShownRun MakeRun(const std::string& steps) {
  const json::MemoryInput input(fmt::format(
      R"({{"schema_version":"ATIF-v1.5","session_id":"s","agent":{{"name":"a","version":"1"}},"steps":[{}]}})",
      steps));
  auto decoded = model::Decode(model::Format::kAtif, input, {});
  EXPECT_TRUE(decoded.ok()) << decoded.status().ToString();
  app::ShownRun run;
  run.address = {"f.json", "s"};
  run.format = "atif";
  run.status = "unknown";
  run.diagnostics = "[]";
  run.storyline = std::move(decoded->front());
  return run;
}

std::string Step(int id, const std::string& message) {
  return fmt::format(R"({{"step_id":{},"source":"agent","message":"{}"}})", id, message);
}

std::string Body(const std::string& text) { return text.substr(text.find("\n\n") + 2); }

TEST(ShowText, BudgetHoldsAndEveryCallMovesOn_BR61) {
  std::string steps;
  for (int i = 1; i <= 30; ++i) {
    steps += (i == 1 ? "" : ",") + Step(i, std::string(static_cast<size_t>(i * 37), 'x'));
  }
  const app::ShownRun run = MakeRun(steps);
  for (const uint64_t budget : {60U, 200U, 1000U, 4000U, 100000U}) {
    uint64_t next = 0;
    int calls = 0;
    while (next < 30) {
      const std::string text = RenderRun(run, {next, std::nullopt, budget, false});
      const size_t cut = text.rfind("cut: steps ");
      const std::string body = Body(text.substr(0, cut));
      EXPECT_LE(CountCharacters(body), budget + 60) << budget;
      if (cut == std::string::npos) {
        break;
      }
      const size_t at = text.rfind("--from-step ");
      const uint64_t following = std::stoull(text.substr(at + 12));
      ASSERT_GT(following, next);
      next = following;
      ASSERT_LT(++calls, 40);
    }
  }
}

TEST(ShowText, ZeroIsNoLimit_BR61) {
  const app::ShownRun run = MakeRun(Step(1, std::string(50000, 'y')));
  const std::string text = RenderRun(run, {0, std::nullopt, 0, false});
  EXPECT_EQ(text.find("cut:"), std::string::npos);
  EXPECT_NE(text.find(std::string(50000, 'y')), std::string::npos);
}

TEST(ShowText, ALongValueSaysHowMuchThereIs_BR61) {
  const app::ShownRun run = MakeRun(Step(1, std::string(18311, 'z')));
  const std::string text = RenderRun(run, {0, std::nullopt, 20000, false});
  EXPECT_NE(text.find("… cut: 4000 of 18311 characters\n"), std::string::npos);
}

TEST(ShowText, ResultsWithoutAnIdAreShownAsSuch_BR01) {
  const app::ShownRun run = MakeRun(
      R"({"step_id":1,"source":"agent","message":"m","tool_calls":[)"
      R"({"tool_call_id":"c1","function_name":"f","arguments":{"a":"1\n2"}},)"
      R"({"tool_call_id":"c2","function_name":"g","arguments":[1]}],)"
      R"("observation":{"results":[{"source_call_id":"c1","content":"one"},{"content":"loose"}]}})");
  const std::string text = RenderRun(run, {});
  EXPECT_NE(text.find("  call f (c1):\n    a:\n      1\n      2\n  result:\n    one\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  call g (c2):\n    [1]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  result (link: none):\n    loose\n"), std::string::npos) << text;
}

TEST(ShowText, DiagnosticsStandAtTheEnd) {
  app::ShownRun run = MakeRun(Step(1, "m"));
  run.diagnostics =
      R"([{"code":"bad_value","pointer":"/steps/0/metrics","count":2,"example":"abc"}])";
  const std::string text = RenderRun(run, {});
  EXPECT_EQ(text.substr(text.find("diagnostics")),
            "diagnostics\n  bad_value x2 first at /steps/0/metrics: abc\n");
}

TEST(ShowText, AStepBeyondTheEndSaysWhatThereIs) {
  EXPECT_NE(RenderRun(MakeRun(Step(1, "m")), {5, std::nullopt, 0, false})
                .find("no step at 5: the run has steps 0-0\n"),
            std::string::npos);
  EXPECT_NE(RenderRun(MakeRun(""), {}).find("no steps\n"), std::string::npos);
}

}  // namespace
}  // namespace pchronicle::cli
