#include <fmt/format.h>

#include <utility>

#include "tests/same_answer/dice.h"
#include "tests/same_answer/documents.h"
#include "tests/same_answer/made_values.h"

namespace pchronicle::same_answer {
namespace {

/// One conversation as it is written, and the turns it stands for (HF-02 to HF-05).
class Talk {
 public:
  explicit Talk(MadeRun& run) : run_(run) {}

  void AddSomething() {
    switch (Number(0, 6)) {
      case 0:
        AddPlain("system", {"system", "developer"});
        break;
      case 1:
      case 2:
        AddPlain("user", {"user", "human"});
        break;
      case 3:
        AddPlain("critic", {"critic"});
        break;
      case 4:
        AddShareGptCall();
        break;
      default:
        AddAgent();
        break;
    }
  }
  std::vector<std::string> Take() { return std::exchange(messages_, {}); }

 private:
  std::string Role(std::initializer_list<std::string> names, Members& message) {
    std::string role = Dice::OneOf<std::string>(names);
    message.AddString(Dice::OneOf<std::string_view>({"role", "from"}), role);
    return role;
  }
  MadeTurn& NewTurn(std::string source, std::string text) {
    MadeTurn turn;
    turn.step_id = static_cast<int64_t>(run_.turns.size()) + 1;
    turn.source = std::move(source);
    turn.message_text = std::move(text);
    return run_.turns.emplace_back(std::move(turn));
  }
  void Finish(Members& message) {
    message.AddOdd();
    messages_.push_back(message.Text());
  }

  void AddPlain(const std::string& source, std::initializer_list<std::string> names) {
    Members message;
    Role(names, message);
    if (Chance(20)) {
      // Parts of text are joined by one blank line.
      std::string text, parts;
      for (int i = Number(1, 3); i > 0; --i) {
        const Written part = RandomText(4);
        text += (text.empty() ? "" : "\n\n") + part.plain;
        Members member;
        member.Add("type", Dice::OneOf<std::string>({R"("text")", R"("text")", R"("\u0074ext")"}));
        member.Add(Dice::OneOf<std::string_view>({"text", "value"}), part.json);
        parts += (parts.empty() ? "" : ",") + member.Text();
      }
      message.Add("content", "[" + parts + "]");
      NewTurn(source, text);
    } else {
      const Written text = RandomText(6);
      message.Add(Dice::OneOf<std::string_view>({"content", "value", "text"}), text.json);
      NewTurn(source, text.plain);
    }
    Finish(message);
  }

  void AddAgent() {
    Members message;
    Role({"assistant", "gpt", "model", "ai"}, message);
    const Written text = RandomString(6);
    message.Add("content", text.json);
    MadeTurn& turn = NewTurn("agent", text.plain);
    if (Chance(20)) {
      const Written reasoning = RandomText(3);
      turn.reasoning = reasoning.plain;
      message.Add(Dice::OneOf<std::string_view>({"reasoning_content", "reasoning", "thinking"}),
                  reasoning.json);
    }
    std::vector<std::string> calls, answers;
    for (int i = Chance(40) ? Number(0, 2) : -1; i >= 0; --i) {
      calls.push_back(Call(turn, calls.size()));
    }
    if (!calls.empty()) {
      message.Add("tool_calls", Array(calls));
    }
    Finish(message);
    for (const MadeCall& call : turn.calls) {
      Members answer;
      answer.AddString("role", "tool");
      if (call.id.starts_with("c")) {
        answer.AddString("tool_call_id", call.id);
      }
      answer.Add("content", RandomString(4).json);
      if (Chance(80)) {
        Finish(answer);
      }
    }
  }

  std::string Call(MadeTurn& turn, size_t index) {
    const Written arguments = Arguments();
    MadeCall& call = turn.calls.emplace_back();
    turn.had_calls = true;
    call.name = Dice::OneOf<std::string>({"f", "g"});
    call.arguments = arguments.plain;
    Members function, member;
    function.AddString("name", call.name);
    if (Chance(50)) {
      function.Add("arguments", arguments.json);
    } else {
      call.arguments = arguments.plain;
      function.Add("arguments", Quoted(arguments.json));
    }
    if (Chance(70)) {
      call.id = fmt::format("c{}", next_id_++);
      member.AddString("id", call.id);
    } else {
      call.id = fmt::format("m{}/{}", messages_.size(), index);
    }
    member.AddString("type", "function");
    member.Add("function", function.Text());
    return member.Text();
  }

  /// A message that is a call: it joins the agent turn just before it, or makes one (HF-04).
  void AddShareGptCall() {
    const bool joins = !run_.turns.empty() && run_.turns.back().source == "agent" &&
                       run_.turns.back().calls.empty();
    MadeTurn& turn = joins ? run_.turns.back() : NewTurn("agent", "");
    const Written arguments = Arguments();
    MadeCall& call = turn.calls.emplace_back();
    turn.had_calls = true;
    call.id = fmt::format("m{}/0", messages_.size());
    call.name = "w";
    call.arguments = arguments.plain;
    Members function, message;
    function.AddString("name", call.name);
    function.Add("arguments", arguments.json);
    message.AddString("from", "function_call");
    message.Add("value", Quoted(function.Text()));
    Finish(message);
    if (Chance(70)) {
      Members answer;
      answer.AddString("from", "observation");
      answer.Add("value", RandomString(4).json);
      Finish(answer);
    }
  }

  MadeRun& run_;
  std::vector<std::string> messages_;
  int next_id_ = 0;
};

/// The first of these that is a string and not empty names the row (HF-01).
void AddIds(Members& row, std::string& id, int number) {
  std::string_view key;
  if (Chance(60)) {
    id = fmt::format("chat-{}", number);
    key = Dice::OneOf<std::string_view>(
        {"trajectory_id", "traj_id", "conversation_id", "id", "instance_id"});
    row.AddString(key, id);
    row.AddString("uuid", "not this one");
  }
  if (key != "trajectory_id" && Chance(15)) {
    row.Add("trajectory_id", Dice::OneOf<std::string>({R"("")", "7", "null", "{}"}));
  }
}

std::string ChatRow(int number, std::vector<MadeRun>& runs) {
  std::string id = fmt::format("chat-{}", number);  // of the file's name
  Members row;
  AddIds(row, id, number + 100);
  MadeRun run;
  Talk talk(run);
  if (Chance(20)) {
    const Written system = RandomText(3);
    row.Add("system", system.json);
    MadeTurn turn;
    turn.step_id = 1;
    turn.source = "system";
    turn.message_text = system.plain;
    run.turns.push_back(std::move(turn));
  }
  const bool has_system = !run.turns.empty();
  for (int i = Number(has_system ? 1 : 0, 5); i > 0; --i) {
    talk.AddSomething();
  }
  const std::string messages = Array(talk.Take());
  size_t systems = 0;
  for (const MadeTurn& turn : run.turns) {
    systems += turn.source == "system" ? 1 : 0;
  }
  if (has_system && systems > 1) {
    // A list that has a system message of its own does without that of the row.
    run.turns.erase(run.turns.begin());
    for (MadeTurn& turn : run.turns) {
      --turn.step_id;
    }
  }
  row.Add(Dice::OneOf<std::string_view>({"messages", "conversations", "trajectory"}),
          Chance(20) ? Quoted(messages) : messages);
  if (Chance(15)) {
    for (const bool chosen : {true, false}) {
      MadeRun side = run;
      const Written answer = RandomText(3);
      Members message;
      message.AddString("from", "gpt");
      message.Add("value", answer.json);
      row.Add(chosen ? "chosen" : "rejected",
              Chance(50) ? message.Text() : Array({message.Text()}));
      side.session_id = id + (chosen ? "#chosen" : "#rejected");
      MadeTurn turn;
      turn.step_id = static_cast<int64_t>(side.turns.size()) + 1;
      turn.source = "agent";
      turn.message_text = answer.plain;
      side.turns.push_back(std::move(turn));
      runs.push_back(std::move(side));
    }
  } else {
    run.session_id = id;
    runs.push_back(std::move(run));
  }
  row.AddOdd();
  return row.Text();
}

}  // namespace

MadeText MakeChat() {
  MadeText made;
  made.format = model::Format::kHfChat;
  std::vector<std::string> records;
  for (int r = 0, count = Number(1, 4); r < count; ++r) {
    records.push_back(ChatRow(r, made.runs));
  }
  if (Chance(15)) {
    // One member holds the rows (HF-11).
    made.container = json::Container::kDocument;
    made.name = "chat.json";
    made.text = fmt::format(R"({{"version":1,"data":{}}})", Array(records));
  } else {
    Pack(records, "chat", made);
  }
  return made;
}

}  // namespace pchronicle::same_answer
