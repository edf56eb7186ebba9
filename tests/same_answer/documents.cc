#include "tests/same_answer/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/same_answer/dice.h"

namespace pchronicle::same_answer {
namespace {

bool Chance(int percent) { return Dice::Chance(percent); }
int Number(int least, int most) { return static_cast<int>(Dice::Number(least, most)); }

std::string Blanks() {
  if (!Chance(15)) {
    return "";
  }
  return Dice::OneOf<std::string>({" ", "  ", "\t", " \t ", std::string(70, ' ')});
}

/// A character and ways to write it in a JSON string.
struct Character {
  const char* plain;
  std::vector<const char*> written;
};

const std::vector<Character>& Characters() {
  static const std::vector<Character> all = {
      {"a", {"a", "\\u0061"}},
      {"words ", {"words "}},
      {"\"", {"\\\"", "\\u0022"}},
      {"\\", {"\\\\", "\\u005c"}},
      {"\n", {"\\n", "\\u000a", "\\u000A"}},
      {"/", {"/", "\\/"}},
      {"{", {"{"}},
      {"]", {"]"}},
      {",", {","}},
      {":", {":"}},
      {"\xc3\xa9", {"\xc3\xa9", "\\u00e9"}},
      {"\xe6\x97\xa5", {"\xe6\x97\xa5", "\\u65e5"}},
      {"\xf0\x9f\x98\x80", {"\xf0\x9f\x98\x80", "\\ud83d\\ude00"}},
      {"\t", {"\\t"}},
  };
  return all;
}

/// A random string: what it says, and one way to write it.
struct Written {
  std::string plain;
  std::string json;
};

Written RandomString(int most) {
  Written string;
  string.json = "\"";
  for (int i = Number(0, most); i > 0; --i) {
    const Character& c =
        Characters()[static_cast<size_t>(Number(0, static_cast<int>(Characters().size()) - 1))];
    string.plain += c.plain;
    string.json +=
        c.written[static_cast<size_t>(Number(0, static_cast<int>(c.written.size()) - 1))];
  }
  if (Chance(5)) {
    const std::string padding(static_cast<size_t>(Number(100, 5000)), 'x');
    string.plain += padding;
    string.json += padding;
  }
  string.json += "\"";
  return string;
}

/// A key as it is, or with an escape in it.
std::string Key(std::string_view key) {
  if (key.empty() || !Chance(6)) {
    return fmt::format("\"{}\"", key);
  }
  const size_t at = static_cast<size_t>(Number(0, static_cast<int>(key.size()) - 1));
  return fmt::format("\"{}\\u{:04x}{}\"", key.substr(0, at), static_cast<unsigned>(key[at]),
                     key.substr(at + 1));
}

/// A value, minified and with blanks.
Written RandomValue(int depth) {
  const int kind = Number(0, depth > 0 ? 9 : 6);
  if (kind <= 4) {
    const std::string token = Dice::OneOf<std::string>(
        {"null", "true", "false", "0", "-1.50", "1e3", "12345678901234567890", "[]", "{}"});
    return {token, token};
  }
  if (kind <= 6) {
    const std::string text = RandomString(6).json;
    return {text, text};
  }
  const bool object = kind == 7;
  Written value{object ? "{" : "[", object ? "{" : "["};
  for (int i = Number(0, 3); i > 0; --i) {
    if (object) {
      // Names that mean something elsewhere, and the same one twice.
      const std::string key =
          Dice::OneOf<std::string>({"\"steps\"", "\"message\"", "\"k\"", "\"k\"", "\"K\"", "\"\"",
                                    "\"a\\\"b\"", "\"session_id\"", "\"\\u0061\""});
      value.plain += key + ":";
      value.json += Blanks() + key + Blanks() + ":";
    }
    const Written inner = RandomValue(depth - 1);
    value.plain += inner.plain + (i > 1 ? "," : "");
    value.json += Blanks() + inner.json + Blanks() + (i > 1 ? "," : "");
  }
  value.plain += object ? "}" : "]";
  value.json += object ? "}" : "]";
  return value;
}

Written DeepValue() {
  const size_t depth = static_cast<size_t>(Number(5, 60));
  const std::string text = std::string(depth, '[') + "\"]\"" + std::string(depth, ']');
  return {text, text};
}

/// Members of an object in any order, but those of one name keep theirs.
class Members {
 public:
  void Add(std::string_view key, std::string value) {
    members_.push_back({std::string(key), Key(key), std::move(value)});
  }
  void AddString(std::string_view key, std::string_view plain) {
    Add(key, fmt::format("\"{}\"", plain));
  }
  /// The last of two counts (`duplicate_key`).
  void AddTwice(std::string_view key, std::string first, std::string last) {
    if (Chance(4)) {
      Add(key, std::move(first));
    }
    Add(key, std::move(last));
  }
  void AddOdd() {
    for (int i = Number(0, 2); i > 0; --i) {
      const std::string key =
          Dice::OneOf<std::string>({"vendor", "x", "Steps", "we ird", "SESSION_ID", "vendor"});
      Add(key, Chance(10) ? DeepValue().json : RandomValue(3).json);
    }
  }
  std::string Text(bool shuffle = true) {
    if (shuffle) {
      Shuffle();
    }
    std::string text = "{";
    for (size_t i = 0; i < members_.size(); ++i) {
      text += Blanks() + members_[i].written + Blanks() + ":" + Blanks() + members_[i].value +
              Blanks() + (i + 1 < members_.size() ? "," : "");
    }
    return text + "}";
  }

 private:
  struct Member {
    std::string name, written, value;
  };
  void Shuffle() {
    for (int i = Number(0, 6); i > 0 && members_.size() > 1; --i) {
      const auto at = static_cast<size_t>(Number(0, static_cast<int>(members_.size()) - 2));
      if (members_[at].name != members_[at + 1].name) {
        std::swap(members_[at], members_[at + 1]);
      }
    }
  }
  std::vector<Member> members_;
};

std::string Array(const std::vector<std::string>& items) {
  std::string text = "[";
  for (size_t i = 0; i < items.size(); ++i) {
    text += Blanks() + items[i] + Blanks() + (i + 1 < items.size() ? "," : "");
  }
  return text + "]";
}

/// Records as lines, as an array, or as the one document.
void Pack(std::vector<std::string> records, std::string_view stem, MadeText& made) {
  const int form = Number(0, records.size() == 1 ? 2 : 1);
  made.container = form == 0 ? json::Container::kLines : json::Container::kDocument;
  made.name = fmt::format("{}.{}", stem, form == 0 ? "jsonl" : "json");
  if (form == 0) {
    for (const std::string& record : records) {
      made.text += record + (Chance(20) ? "\r\n" : "\n") + (Chance(10) ? "\n" : "");
    }
  } else if (form == 1) {
    made.text = Array(records);
  } else {
    made.text = records.front();
  }
  if (Chance(10)) {
    made.text.insert(0, "\xef\xbb\xbf");
  }
}

/// Arguments are an object mostly.
Written Arguments() {
  Written value = RandomValue(3);
  while (value.plain.empty() || value.plain[0] != '{') {
    value = {"{\"q\":" + value.plain + "}", "{ \"q\" :" + value.json + "}"};
  }
  return value;
}

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
  Pack(std::move(records), "run.atif", made);
  return made;
}

namespace {

std::string ChatMessage(std::string_view role, const std::string& content) {
  Members message;
  message.AddString("role", role);
  message.Add("content", content);
  return message.Text();
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
  Pack(std::move(records), "session_steps", made);
  return made;
}

MadeText MakeActf() {
  MadeText made;
  made.format = model::Format::kActf;
  made.knows_rows = false;
  std::vector<std::string> records;
  for (int r = Number(1, 3); r > 0; --r) {
    Members record;
    record.AddString("task_id", fmt::format("task-{}", r));
    record.AddString("category", "c");
    record.Add("k", "3");
    record.Add("correct", "false");
    std::string attempts = "{";
    const int count = Number(1, 3);
    record.Add("attempts_tried", std::to_string(count));
    for (int a = count; a >= 1; --a) {  // read in the order of their numbers
      std::vector<std::string> steps;
      for (int i = 1, most = Number(1, 4); i <= most; ++i) {
        Members step;
        step.Add("step_id", std::to_string(i));
        step.Add("assistant_content", fmt::format("{{\"content\":{}}}", RandomString(5).json));
        step.Add("metric", "{}");
        step.AddString("started_at", "2026-01-01 00:00:00+00:00");
        step.AddString("finished_at", "2026-01-01 00:00:01+00:00");
        if (i == 1) {
          step.Add("user_content", RandomString(4).json);
        }
        if (Chance(50)) {
          step.Add("tools",
                   fmt::format(R"([{{"type":"tool_use","id":"c{}","name":"Bash","input":{}}}])", i,
                               Arguments().json));
          step.Add("observation", fmt::format(R"([{{"tool_use_id":"c{}","content":{}}}])", i,
                                              RandomString(5).json));
        }
        step.AddOdd();
        steps.push_back(step.Text());
      }
      Members trajectory;
      trajectory.AddString("schema_version", "ACTF_v1.0");
      trajectory.Add("steps", Array(steps));
      trajectory.AddString("started_at", "2026-01-01 00:00:00+00:00");
      trajectory.AddString("finished_at", "2026-01-01 00:00:09+00:00");
      attempts += fmt::format(
          "{}\"{}\":{{\"correct\":true,\"trajectory\":{},\"status\":"
          "\"completed\"}}",
          attempts.size() > 1 ? "," : "", a, trajectory.Text());
    }
    record.Add("attempts", attempts + "}");
    record.AddOdd();
    records.push_back(record.Text());
  }
  Pack(std::move(records), "runs.actf", made);
  return made;
}

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
  Pack(std::move(records), "runs.storyline", made);
  return made;
}

MadeText MakeChat() {
  MadeText made;
  made.format = model::Format::kHfChat;
  made.knows_rows = false;
  std::vector<std::string> records;
  for (int r = Number(1, 4); r > 0; --r) {
    Members row;
    if (Chance(50)) {
      row.AddString("id", fmt::format("chat-{}", r));
    }
    std::vector<std::string> messages;
    for (int i = Number(1, 5); i > 0; --i) {
      messages.push_back(ChatMessage(i % 2 == 0 ? "user" : "assistant", RandomString(6).json));
    }
    row.Add("messages", Array(messages));
    row.AddOdd();
    records.push_back(row.Text());
  }
  Pack(std::move(records), "chat", made);
  return made;
}

MadeText MakeAgenticMd() {
  MadeText made;
  made.format = model::Format::kAgenticMd;
  made.knows_rows = false;
  made.name = "notes.md";
  made.text = Dice::OneOf<std::string>({"# Title\n\n", "---\nsession: s1\n---\n\n", ""});
  for (int i = Number(1, 5); i > 0; --i) {
    made.text += Dice::OneOf<std::string>(
        {"## User\n\nhello {there}\n\n", "## Assistant\n\nan answer\n\n", "plain text\n\n"});
    made.text += RandomString(10).plain + "\n\n";
  }
  return made;
}

MadeText MakeAny() {
  switch (Number(0, 8)) {
    case 0:
    case 1:
    case 2:
      return MakeAtif();
    case 3:
    case 4:
      return MakeOpenAi();
    case 5:
      return MakeActf();
    case 6:
      return MakeStoryline();
    case 7:
      return MakeChat();
    default:
      return MakeAgenticMd();
  }
}

}  // namespace pchronicle::same_answer
