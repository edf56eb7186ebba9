#include <fmt/format.h>

#include <utility>

#include "tests/same_answer/dice.h"
#include "tests/same_answer/documents.h"
#include "tests/same_answer/made_values.h"

namespace pchronicle::same_answer {
namespace {

std::string ChatMessage(std::string_view role, const std::string& content) {
  Members message;
  message.AddString("role", role);
  message.Add("content", content);
  return message.Text();
}

/// Objects that hold the rows in `session_steps` (formats.md 4.1).
std::vector<std::string> InEnvelopes(const std::vector<std::string>& rows) {
  std::vector<std::string> envelopes;
  for (size_t i = 0; i < rows.size();) {
    std::vector<std::string> some;
    for (int count = Number(1, 3); count > 0 && i < rows.size(); --count) {
      some.push_back(rows[i++]);
    }
    Members envelope;
    envelope.Add("session_steps", Array(some));
    envelope.AddOdd();
    envelopes.push_back(envelope.Text());
  }
  return envelopes;
}

}  // namespace

// Each row repeats the history (formats.md 4.4): context, then request and response of each row.
MadeText MakeOpenAi() {
  MadeText made;
  made.format = model::Format::kOpenAiMessages;
  struct Session {
    std::vector<std::string> history;
    int64_t rows = 0;
    int64_t context = 0;
  };
  const int count = Number(1, 3);
  std::vector<Session> sessions(static_cast<size_t>(count));
  std::vector<int> first_seen;
  std::vector<std::string> records;
  std::vector<MadeRun> runs(static_cast<size_t>(count));
  for (int rows = Number(count, 8); rows > 0; --rows) {
    const int s = Number(0, count - 1);
    Session& session = sessions[static_cast<size_t>(s)];
    MadeRun& run = runs[static_cast<size_t>(s)];
    if (session.rows == 0) {
      first_seen.push_back(s);
      run.session_id = fmt::format("s{}", s);
      if (Chance(50)) {
        const Written system = RandomString(5);
        session.history.push_back(ChatMessage("system", system.json));
        run.turns.push_back({1, "system", system.plain, std::nullopt, {}, false});
        session.context = 1;
      }
    }
    const int64_t step = ++session.rows;
    const Written question = RandomString(6);
    Written answer = RandomString(6);
    if (answer.plain.empty()) {
      answer = {"ok", "\"ok\""};  // without content an earlier answer would be taken
    }
    session.history.push_back(ChatMessage("user", question.json));
    run.turns.push_back(
        {session.context + 2 * step - 1, "user", question.plain, std::nullopt, {}, false});
    MadeTurn turn{session.context + 2 * step, "agent", answer.plain, std::nullopt, {}, false};
    Members response;
    response.AddString("role", "assistant");
    response.Add("content", answer.json);
    std::vector<std::string> calls;
    for (int i = Number(0, 2); i > 0; --i) {
      const Written arguments = Arguments();
      MadeCall& call = turn.calls.emplace_back();
      call.id = fmt::format("call_{}_{}_{}", s, step, i);
      call.name = "tool";
      call.arguments = arguments.plain;
      calls.push_back(fmt::format(
          R"({{"id":"{}","type":"function","function":{{"name":"tool","arguments":{}}}}})", call.id,
          arguments.json));
    }
    if (!calls.empty()) {
      turn.had_calls = true;
      response.Add("tool_calls", Array(calls));
    }
    const std::string output = response.Text();
    Members row;
    row.AddString("session_id", run.session_id);
    row.Add("step_id", std::to_string(step));
    row.Add("messages", Array(session.history));
    row.Add("response", output);
    row.AddOdd();
    records.push_back(row.Text());
    session.history.push_back(output);
    for (const MadeCall& call : turn.calls) {
      session.history.push_back(
          fmt::format(R"({{"role":"tool","tool_call_id":"{}","content":"done"}})", call.id));
    }
    run.turns.push_back(std::move(turn));
  }
  for (const int s : first_seen) {
    made.runs.push_back(std::move(runs[static_cast<size_t>(s)]));
  }
  if (records.size() == 1) {
    records.push_back(records.front().substr(0, 0) +
                      "{\"session_id\":\"last\",\"step_id\":1,"
                      "\"messages\":[{\"role\":\"user\",\"content\":"
                      "\"q\"}],\"response\":{\"content\":\"a\"}}");
    made.runs.push_back(
        {"last",
         {{1, "user", "q", std::nullopt, {}, false}, {2, "agent", "a", std::nullopt, {}, false}}});
  }
  const bool wrap = Chance(25);
  Pack(wrap ? InEnvelopes(records) : records, "session_steps", made, !wrap);
  return made;
}

}  // namespace pchronicle::same_answer
