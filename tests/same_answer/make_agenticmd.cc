#include <fmt/format.h>

#include "tests/same_answer/dice.h"
#include "tests/same_answer/documents.h"
#include "tests/same_answer/made_values.h"

namespace pchronicle::same_answer {
namespace {

/// Text of a body: anything when its length is declared, else words that end no line.
std::string Body(bool has_length) {
  if (!has_length) {
    return "words " + RandomText(4).plain + " end";
  }
  std::string body = RandomString(8).plain;
  if (Chance(10)) {
    body += "\n<!-- persisting:block:user -->\n\n";
  }
  return body;
}

struct Header {
  std::string source;   // what a reader makes of it
  std::string speaker;  // of the marker
  Members members;
};

/// Who speaks, in one of the ways of formats.md 6.2; the JSON wins over the speaker.
Header RandomHeader() {
  Header header;
  header.source = Dice::OneOf<std::string>({"user", "agent", "system"});
  header.speaker = Dice::OneOf<std::string>({"user", "assistant", "agent", "narrator", ""});
  const bool says_so = header.speaker == header.source ||
                       (header.speaker == "assistant" && header.source == "agent");
  if (!says_so || Chance(30)) {
    if (Chance(50)) {
      header.members.AddString("source", header.source);
    } else {
      header.members.AddString(
          "role", header.source == "agent" && Chance(50) ? "assistant" : header.source);
    }
  }
  return header;
}

std::string Block(Header& header, const std::string& body, bool has_length) {
  if (has_length) {
    header.members.Add("length", std::to_string(body.size()));
  }
  return fmt::format("<!-- persisting:block{}{} {} -->\n\n{}\n\n",
                     header.speaker.empty() ? "" : ":", header.speaker, header.members.Text(),
                     body);
}

/// A file of somebody else: what its blocks say (6.3, level 2).
void MakeLenient(MadeText& made, MadeRun& run) {
  run.session_id = "notes";  // of the file's name
  if (Chance(60)) {
    run.session_id = Dice::OneOf<std::string>({"s1", "a b", "caf\xc3\xa9"});
    made.text = fmt::format("---\nformat: persisting\n{}: {}\nvendor:\n  - 1\n  - x: y\n---\n\n",
                            Dice::OneOf<std::string>({"session_id", "session"}), run.session_id);
  }
  if (Chance(10)) {
    const std::string text = Body(false);
    run.turns.push_back({1, "system", text, std::nullopt, {}, false});
    made.text += text + "\n\n";
    return;
  }
  const bool numbered = Chance(40);
  for (int i = 1, most = Number(1, 5); i <= most; ++i) {
    Header header = RandomHeader();
    const bool has_length = Chance(60);
    const std::string body = Body(has_length);
    MadeTurn& turn = run.turns.emplace_back();
    turn.step_id = numbered ? 10 * i : i;
    turn.source = header.source;
    turn.message_text = body;
    if (numbered) {
      header.members.Add(Dice::OneOf<std::string>({"step_id", "seq"}), std::to_string(10 * i));
    }
    header.members.AddOdd();
    made.text += Block(header, body, has_length);
  }
}

/// A Storyline as it is exported (6.3, level 1): the outer header does not count.
void MakeAuthoritative(MadeText& made, MadeRun& run) {
  run.session_id = "wire";
  made.text =
      "---\nformat: persisting\nstoryline: {\"schema_version\": \"storyline/v1\", \"session\": "
      "\"wire\", \"agent\": {\"id\": \"bot\"}}\nvendor: 1\n---\n\n";
  for (int i = 1, most = Number(1, 5); i <= most; ++i) {
    MadeTurn& turn = run.turns.emplace_back();
    turn.step_id = i;
    turn.source = Dice::OneOf<std::string>({"user", "agent", "system"});
    Members story;
    story.Add("id", std::to_string(i));
    story.AddString("src", turn.source);
    if (turn.source == "agent" && Chance(50)) {
      const Written arguments = Arguments();
      turn.calls.push_back({fmt::format("t{}", i), "f", arguments.plain});
      turn.had_calls = true;
      story.Add("tool_calls",
                fmt::format(R"([{{"tcid":"t{}","fn":"f","args":{}}}])", i, arguments.json));
    }
    if (turn.source == "agent" && Chance(30)) {
      const Written reasoning = RandomString(4);
      turn.reasoning = reasoning.plain;
      story.Add("reason", reasoning.json);
    }
    Header header = RandomHeader();
    header.members.Add("storyline", story.Text());
    std::string body = Body(true);
    turn.message_text = body;
    if (Chance(30)) {
      header.members.AddString("message_encoding", "json");
      body = " " + Quoted(body) + "\n";
    }
    header.members.AddOdd();
    made.text += Block(header, body, true);
  }
}

}  // namespace

MadeText MakeAgenticMd() {
  MadeText made;
  made.format = model::Format::kAgenticMd;
  made.name = "notes.md";
  MadeRun& run = made.runs.emplace_back();
  if (Chance(50)) {
    MakeLenient(made, run);
  } else {
    MakeAuthoritative(made, run);
  }
  return made;
}

}  // namespace pchronicle::same_answer
