#include <fmt/format.h>

#include <utility>

#include "tests/same_answer/dice.h"
#include "tests/same_answer/documents.h"
#include "tests/same_answer/made_values.h"

namespace pchronicle::same_answer {
MadeText MakeStoryline() {
  MadeText made;
  made.format = model::Format::kStoryline;
  std::vector<std::string> records;
  for (int r = Number(1, 3); r > 0; --r) {
    MadeRun& run = made.runs.emplace_back();
    run.session_id = fmt::format("wire-{}", r);
    std::vector<std::string> turns;
    for (int i = 1, most = Number(0, 5); i <= most; ++i) {
      MadeTurn& turn = run.turns.emplace_back();
      turn.step_id = i;
      turn.source = Dice::OneOf<std::string>({"user", "agent"});
      const Written message = RandomString(6);
      turn.message_text = message.plain;
      Members member;
      member.Add("id", std::to_string(i));
      member.AddString("src", turn.source);
      member.Add("msg", message.json);
      if (turn.source == "agent" && Chance(50)) {
        const Written arguments = Arguments();
        turn.calls.push_back({fmt::format("t{}", i), "f", arguments.plain});
        turn.had_calls = true;
        member.Add("tool_calls",
                   fmt::format(R"([{{"tcid":"t{}","fn":"f","args":{}}}])", i, arguments.json));
      }
      if (turn.source == "agent" && Chance(30)) {
        const Written reasoning = RandomString(4);
        turn.reasoning = reasoning.plain;
        member.Add("reason", reasoning.json);
      }
      turns.push_back(member.Text());
    }
    Members story;
    story.AddString("schema_version", "storyline/v1");
    story.AddString("session", run.session_id);
    story.Add("agent", R"({"id":"bot"})");
    story.Add("turns", Array(turns));
    records.push_back(story.Text());
  }
  Pack(records, "runs.storyline", made);
  return made;
}

}  // namespace pchronicle::same_answer
