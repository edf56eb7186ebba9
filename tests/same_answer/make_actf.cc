#include <fmt/format.h>

#include <algorithm>

#include "tests/same_answer/dice.h"
#include "tests/same_answer/documents.h"
#include "tests/same_answer/made_values.h"

namespace pchronicle::same_answer {
namespace {

/// A tool in one of the shapes of formats.md 5.1 and 5.2.
std::string ActfTool(MadeCall& call, int64_t step, int64_t index) {
  Members tool;
  call.id = fmt::format("c{}", index);
  if (Chance(20)) {
    call.id = fmt::format("step-{}-tool-{}", step, index);
    if (Chance(50)) {
      tool.AddString("id", " ");
    }
  } else {
    tool.AddString("id", call.id);
  }
  const Written arguments = Arguments();
  call.arguments = arguments.plain;
  call.name = Dice::OneOf<std::string>({"Bash", "Read", "a\xc3\xa9"});
  switch (Number(0, 3)) {
    case 0:
      tool.AddString("type", "tool_use");
      tool.AddString("name", call.name);
      tool.Add("input", arguments.json);
      break;
    case 1:
      tool.AddString("name", call.name);
      tool.Add("arguments", arguments.json);
      break;
    case 2: {
      Members function;
      function.AddString("name", call.name);
      function.Add("arguments", arguments.json);
      tool.AddString("type", "function");
      tool.Add("function", function.Text());
      break;
    }
    default: {
      const std::string command = RandomString(5).json;
      call.name = "command_execution";
      call.arguments = fmt::format("{{\"command\":{}}}", command);
      tool.AddString("type", call.name);
      tool.Add("command", command);
      tool.Add("exit_code", "0");
      break;
    }
  }
  tool.AddOdd();
  return tool.Text();
}

std::string ActfStep(MadeTurn& turn, int64_t number) {
  turn.step_id = number;
  turn.source = "agent";
  std::vector<std::string> tools, results;
  for (int i = Chance(50) ? Number(1, 3) : 0; i > 0; --i) {
    MadeCall& call = turn.calls.emplace_back();
    tools.push_back(ActfTool(call, number, static_cast<int64_t>(tools.size())));
    results.push_back(
        fmt::format(R"({{"tool_use_id":"{}","content":{}}})", call.id, RandomString(5).json));
  }
  turn.had_calls = !tools.empty();
  Members said;
  const Written content = RandomString(5);
  if (Chance(85)) {
    turn.message_text = content.plain;
    said.AddTwice("content", RandomString(2).json, content.json);
  } else if (Chance(50)) {
    said.Add("content", "null");
  }
  if (Chance(30)) {
    const Written reasoning = RandomString(3);
    if (!reasoning.plain.empty()) {
      turn.reasoning = reasoning.plain;
    }
    said.Add("reasoning_content", reasoning.json);
  }
  const int place = Number(0, 2);
  if (!tools.empty() && place != 0) {
    said.Add("tool_calls", Array(tools));
  }
  said.AddOdd();
  Members step;
  step.Add("step_id", std::to_string(number));
  step.Add("assistant_content", said.Text());
  step.Add("metric", Chance(50) ? "{}" : R"({"llm_infer_ms":12,"stop_reason":"end","x":[1]})");
  step.AddString("started_at", "2026-01-01 00:00:00+00:00");
  step.AddString("finished_at", "2026-01-01 00:00:01+00:00");
  if (Chance(40)) {
    step.Add("user_content", RandomString(4).json);
  }
  if (Chance(20)) {
    step.Add("system_prompt", RandomString(4).json);
  }
  if (place != 1) {
    step.Add("tools", Array(tools));
  }
  if (!results.empty() && Chance(70)) {
    step.Add("observation", Array(results));
  }
  step.AddOdd();
  return step.Text();
}

std::string ActfAttempt(MadeRun& run) {
  std::vector<std::string> steps;
  int64_t number = 0;
  for (int i = Number(1, 4); i > 0; --i) {
    number += Number(1, 2);
    steps.push_back(ActfStep(run.turns.emplace_back(), number));
  }
  Members trajectory;
  trajectory.AddString("schema_version", "ACTF_v1.0");
  trajectory.Add("steps", Array(steps));
  trajectory.AddString("started_at", "2026-01-01 00:00:00+00:00");
  trajectory.AddString("finished_at", "2026-01-01 00:00:09+00:00");
  trajectory.AddOdd();
  Members attempt;
  attempt.Add("correct", Dice::OneOf<std::string>({"true", "false"}));
  attempt.AddString("status", "completed");
  attempt.Add("trajectory", trajectory.Text());
  if (Chance(30)) {
    attempt.Add("score", "0.5");
    attempt.Add("final_answer", RandomString(4).json);
  }
  attempt.AddOdd();
  return attempt.Text();
}

std::string ActfRecord(const std::string& task, std::vector<MadeRun>& runs) {
  std::vector<std::string> names = {"1", "10", "2", "3", "b", "a~/"};
  names.resize(static_cast<size_t>(Number(1, static_cast<int>(names.size()))));
  std::vector<MadeRun> attempts(names.size());
  Members map;
  for (size_t i = 0; i < names.size(); ++i) {
    attempts[i].session_id =
        names.size() == 1 ? task : fmt::format("{}#attempt-{}", task, names[i]);
    map.Add(names[i], ActfAttempt(attempts[i]));
  }
  // Documents come in the order of their keys (formats.md 5.1), wherever they stand.
  std::sort(attempts.begin(), attempts.end(),
            [](const MadeRun& a, const MadeRun& b) { return a.session_id < b.session_id; });
  std::move(attempts.begin(), attempts.end(), std::back_inserter(runs));
  Members record;
  record.AddString("task_id", task);
  record.AddString("category", "c");
  record.Add("k", "3");
  record.Add("correct", "false");
  record.Add("attempts_tried", std::to_string(names.size()));
  record.Add("attempts", map.Text());
  record.AddOdd();
  return record.Text();
}

}  // namespace

MadeText MakeActf() {
  MadeText made;
  made.format = model::Format::kActf;
  std::vector<std::string> records;
  for (int r = Number(1, 3); r > 0; --r) {
    records.push_back(ActfRecord(fmt::format("task-{}", r), made.runs));
  }
  Pack(records, "runs.actf", made);
  return made;
}

}  // namespace pchronicle::same_answer
