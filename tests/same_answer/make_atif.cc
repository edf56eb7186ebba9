#include <fmt/format.h>

#include <utility>

#include "tests/same_answer/dice.h"
#include "tests/same_answer/documents.h"
#include "tests/same_answer/made_values.h"

namespace pchronicle::same_answer {
namespace {

std::string AtifStep(MadeTurn& turn, int64_t number) {
  turn.step_id = number;
  turn.source = Dice::OneOf<std::string>({"user", "agent", "agent", "system"});
  const Written message = RandomString(8);
  turn.message_text = message.plain;
  Members step;
  step.Add("step_id", std::to_string(number));
  step.AddTwice("source", "\"system\"", fmt::format("\"{}\"", turn.source));
  step.AddTwice("message", RandomString(3).json, message.json);
  if (turn.source == "agent") {
    if (Chance(30)) {
      const Written reasoning = RandomString(5);
      turn.reasoning = reasoning.plain;
      step.Add("reasoning_content", reasoning.json);
    }
    std::vector<std::string> calls, results;
    for (int i = Number(0, 3); i > 0; --i) {
      const Written arguments = Arguments();
      MadeCall& call = turn.calls.emplace_back();
      call.id = fmt::format("c{}_{}", number, i);
      call.name = Dice::OneOf<std::string>({"bash", "read", "a\xc3\xa9"});
      call.arguments = arguments.plain;
      Members member;
      member.AddString("tool_call_id", call.id);
      member.AddString("function_name", call.name);
      member.Add("arguments", arguments.json);
      member.AddOdd();
      calls.push_back(member.Text());
      Members result;
      result.AddString("source_call_id", call.id);
      result.Add("content", RandomString(6).json);
      results.push_back(result.Text());
    }
    if (!calls.empty() || Chance(10)) {
      turn.had_calls = true;
      step.Add("tool_calls", Array(calls));
    }
    if (!results.empty() && Chance(70)) {
      step.Add("observation", fmt::format("{{\"results\":{}}}", Array(results)));
    }
    if (Chance(20)) {
      step.Add("metrics", R"({"prompt_tokens":11,"completion_tokens":7,"cost_usd":0.25})");
    }
  }
  step.AddOdd();
  return step.Text();
}

std::string AtifDocument(MadeRun& run, std::string session) {
  run.session_id = std::move(session);
  Members document;
  document.AddString("schema_version", "ATIF-v1.4");
  document.AddString("session_id", run.session_id);
  document.Add("agent", R"({"name":"coder","version":"2","model_name":"m-1"})");
  std::vector<std::string> steps;
  for (int i = 1, most = Number(1, 6); i <= most; ++i) {
    steps.push_back(AtifStep(run.turns.emplace_back(), i));
  }
  document.Add("steps", Array(steps));
  if (Chance(20)) {
    document.Add("notes", RandomString(5).json);
  }
  document.AddOdd();
  return document.Text(Chance(50));
}

}  // namespace

MadeText MakeAtif() {
  MadeText made;
  made.format = model::Format::kAtif;
  std::vector<std::string> records;
  for (int i = Number(1, 4); i > 0; --i) {
    records.push_back(AtifDocument(made.runs.emplace_back(), fmt::format("session-{}", i)));
  }
  Pack(records, "run.atif", made);
  return made;
}

}  // namespace pchronicle::same_answer
