#include "pchronicle/cli/guide.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

namespace pchronicle::cli {
namespace {

constexpr const char* kWorkspaceName = "<temporary-workspace>";

// Puts one section together; the first command that fails ends it.
class Section {
 public:
  Section(const GuidePlace& place, const CommandRunner& run) : place_(place), run_(run) {}

  void Heading(const std::string& text) { Text("## " + text); }
  void Text(const std::string& text) { out_ += text + "\n\n"; }

  /// Runs a command and shows it with its output.
  void Command(const std::vector<std::string>& words) {
    if (!status_.ok()) {
      return;
    }
    auto output = run_(words);
    if (!output.ok()) {
      status_ = output.status().WithContext(Shown(words));
      return;
    }
    out_ += fmt::format("```console\n$ {}\n{}", Shown(words), Hidden(*output));
    out_ += output->empty() || output->back() == '\n' ? "```\n\n" : "\n```\n\n";
  }
  void Query(const std::string& sql) {
    Command({"query", Dataset(), "--sql", sql, "--format", "table"});
  }
  /// Runs a command for its effect and gives its output.
  std::string Quietly(const std::vector<std::string>& words) {
    auto output = run_(words);
    if (!output.ok() && status_.ok()) {
      status_ = output.status().WithContext(Shown(words));
    }
    return output.ok() ? *output : "";
  }
  void Fail(Status status) { status_ = status_.ok() ? std::move(status) : status_; }

  std::string Dataset() const { return place_.dataset.value_or(place_.workspace + "/samples"); }
  std::string Sample(const std::string& name) const {
    return place_.workspace + "/samples/" + name;
  }
  std::string InWorkspace(const std::string& name) const { return place_.workspace + "/" + name; }
  bool own_dataset() const { return place_.dataset.has_value(); }

  Result<std::string> Take() {
    if (!status_.ok()) {
      return status_;
    }
    return std::move(out_);
  }

 private:
  std::string Hidden(std::string text) const {
    for (size_t at = 0; (at = text.find(place_.workspace, at)) != std::string::npos;) {
      text.replace(at, place_.workspace.size(), kWorkspaceName);
    }
    return text;
  }
  std::string Shown(const std::vector<std::string>& words) const {
    std::string line = "pchronicle";
    for (const std::string& word : words) {
      const bool plain =
          !word.empty() && word.find_first_of(" \t\n'\"\\$`()*;<>|&") == std::string::npos;
      const std::string hidden = Hidden(word);
      line += plain                                  ? " " + hidden
              : word.find('\'') == std::string::npos ? " '" + hidden + "'"
                                                     : " \"" + hidden + "\"";
    }
    return line;
  }

  const GuidePlace& place_;
  const CommandRunner& run_;
  std::string out_;
  Status status_;
};

void Concepts(Section& s) {
  s.Heading("Concepts");
  s.Text(
      "- A **Dataset** is a path: a folder or a file with trajectories. Nothing is imported "
      "first.\n"
      "- A **Source** is one file in it. Every command sees a **Snapshot**: the Sources and their "
      "versions, frozen.\n"
      "- A **run** is one document: an agent's steps in order. Its address is `_file_` and "
      "`document_id`.\n"
      "- SQL sees the relations `sources`, `runs`, `steps`, `tool_calls`, `observation_results`, "
      "`trajectories`, `run_tree`.");
  s.Text(
      "> What cannot be read is named with line, byte and JSON pointer. Nothing vanishes in "
      "silence.");
  s.Command({"ls", s.Sample("atif"), "--format", "table"});
}

void Inspect(Section& s) {
  s.Heading("Inspect");
  s.Text("What is in here? `ls` lists every file, `--check` reads each one and says what it is.");
  s.Command({"ls", s.Dataset(), "--check", "--format", "table"});
  s.Text("How is it, as a whole?");
  s.Command({"stats", s.Dataset(), "--format", "table"});
  if (!s.own_dataset()) {
    s.Text("One run as readable text:");
    s.Command({"show", s.Dataset(), "support-001"});
  } else {
    s.Text("`pchronicle show DATASET RUN` prints one run as readable text.");
  }
}

void Analyze(Section& s) {
  s.Heading("Analyze");
  s.Text("Four built-in reports:");
  for (const char* report : {"overview", "agents", "models", "tools"}) {
    s.Command({"stats", report, s.Dataset(), "--format", "table"});
  }
}

void Query(Section& s) {
  s.Heading("Query");
  s.Text("The schema of a relation:");
  s.Query("DESCRIBE tool_calls");
  s.Text("Steps by who spoke:");
  s.Query("SELECT source, count(*) AS steps FROM steps GROUP BY source ORDER BY steps DESC");
  s.Text("Tools, with errors where the source states them:");
  s.Query(
      "SELECT function_name, count(*) AS calls, count(*) FILTER (is_error) AS errors FROM "
      "tool_calls GROUP BY 1 ORDER BY 2 DESC, 1");
  if (!s.own_dataset()) {
    s.Text("Three formats in one statement. Each `--mount` is a schema:");
    s.Command({"query", "--mount", "a=" + s.Sample("atif"), "--mount", "b=" + s.Sample("actf"),
               "--mount", "c=" + s.Sample("openai"), "--sql",
               "SELECT 'atif' AS kind, count(*) AS steps FROM a.steps UNION ALL SELECT 'actf', "
               "count(*) FROM b.steps "
               "UNION ALL SELECT 'openai', count(*) FROM c.steps ORDER BY kind",
               "--format", "table"});
  }
}

void Formats(Section& s) {
  s.Heading("Formats");
  s.Text(
      "Formats are told from content, file by file; one Dataset can mix them:\n\n"
      "- `atif`: ATIF v1.0 to v1.8, as object, array or JSON Lines, with subagents\n"
      "- `actf`: benchmark tasks with attempts\n"
      "- `openai_msg`: OpenAI messages, rows or session envelopes\n"
      "- `storyline`: the hub format, lossless for all of them\n"
      "- `hf-chat`: chat data sets (read only)");
  s.Command({"query", s.InWorkspace("samples"), "--check", "--sql",
             "SELECT _file_, format, content_status, runs FROM sources", "--format", "table"});
}

void Find(Section& s) {
  s.Heading("Find");
  s.Text(
      "A step by its text, in upper or lower case. An expression has AND, OR, NOT and parentheses; "
      "`pchronicle find --help` lists the fields.");
  s.Command({"find", s.Dataset(), "--match",
             s.own_dataset() ? "NOT \"no such text\"" : "quota AND NOT #user(quota)",
             "--max-results", "3", "--format", "table"});
  if (!s.own_dataset()) {
    s.Text("Runs by a value of their JSON, and a step by its address:");
    s.Command(
        {"find", s.Dataset(), "--match", "$.total_prompt_tokens >= 100", "--format", "table"});
    s.Command({"find", s.Dataset(), "--session-id", "support-001", "--step-id", "2"});
  }
  s.Text("A whole run: `pchronicle show DATASET ID`. ID may be a document, session or run id.");
}

void Exchange(Section& s) {
  s.Heading("Exchange");
  s.Text(
      "A default Dataset, so that commands need no path (here in a configuration file of its "
      "own):");
  s.Command({"dataset", "pin", "default", s.InWorkspace("library")});
  s.Text("Import copies the files byte for byte, after reading all of them:");
  s.Command({"import", "--from", s.Sample("atif"), "--to", s.InWorkspace("library/tickets")});
  s.Command({"ls", "--format", "table"});
  s.Text("A strict export gives the very bytes back, or fails:");
  s.Command({"export", "--from", s.InWorkspace("library/tickets"), "--to",
             s.InWorkspace("copy.json"), "--output-format", "atif", "--strict"});
  const std::string original = s.Quietly(
      {"export", "--from", s.Sample("atif"), "--to", "-", "--output-format", "atif", "--strict"});
  const std::string copy = s.Quietly({"export", "--from", s.InWorkspace("copy.json"), "--to", "-",
                                      "--output-format", "atif", "--strict"});
  if (original != copy) {
    s.Fail(Status::Internal("the exported copy differs from its source"));
  }
  s.Text("The copy was compared with its source: equal, byte for byte.");
  s.Text("Any format becomes any other; what the target cannot hold is named on stderr:");
  s.Command({"export", "--from", s.Sample("openai"), "--to", "-", "--output-format", "atif",
             "--session-id", "chat-1"});
}

void Serve(Section& s) {
  s.Heading("Serve");
  s.Text(
      "The web explorer is not part of this version. Until it comes, `pchronicle show` and "
      "`pchronicle query` read the same data, and\n"
      "`--format jsonl` or `csv` feeds other tools:");
  s.Command({"query", s.InWorkspace("samples"), "--sql",
             "SELECT session_id, step_count, tool_names FROM trajectories", "--format", "jsonl"});
}

using SectionFunction = void (*)(Section&);
struct SectionEntry {
  std::string name;
  SectionFunction write;
  bool takes_dataset;
};

const std::vector<SectionEntry>& Entries() {
  static const std::vector<SectionEntry> entries = {
      {"concepts", Concepts, false}, {"inspect", Inspect, true},  {"analyze", Analyze, true},
      {"query", Query, true},        {"formats", Formats, false}, {"find", Find, true},
      {"exchange", Exchange, false}, {"serve", Serve, false}};
  return entries;
}

const SectionEntry* FindEntry(const std::string& name) {
  for (const SectionEntry& entry : Entries()) {
    if (entry.name == name) {
      return &entry;
    }
  }
  return nullptr;
}

// `**bold**` and `code` of one line of text.
std::string RenderInline(const std::string& line, bool color) {
  std::string out;
  bool bold = false;
  bool code = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line.compare(i, 2, "**") == 0 && !code) {
      bold = !bold;
      out += color ? (bold ? "\x1b[1m" : "\x1b[22m") : "";
      ++i;
    } else if (line[i] == '`') {
      code = !code;
      out += color ? (code ? "\x1b[36m" : "\x1b[39m") : "";
    } else {
      out += line[i];
    }
  }
  return out;
}

}  // namespace

const std::vector<std::string>& GuideSections() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const SectionEntry& entry : Entries()) {
      all.push_back(entry.name);
    }
    return all;
  }();
  return names;
}

bool SectionTakesDataset(const std::string& section) {
  const SectionEntry* entry = FindEntry(section);
  return entry != nullptr && entry->takes_dataset;
}

Result<std::string> GuideSection(const std::string& section, const GuidePlace& place,
                                 const CommandRunner& run) {
  const SectionEntry* entry = FindEntry(section);
  if (entry == nullptr) {
    return Status::InvalidArgument("unknown section '{}'", section);
  }
  Section out(place, run);
  entry->write(out);
  return out.Take();
}

std::string RenderMarkdown(const std::string& markdown, bool color) {
  std::istringstream lines(markdown);
  std::string out;
  bool code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("```", 0) == 0) {
      code = !code;
    } else if (code) {
      out += color && line.rfind("$ ", 0) == 0 ? fmt::format("    \x1b[1m{}\x1b[0m\n", line)
                                               : fmt::format("    {}\n", line);
    } else if (line.rfind("## ", 0) == 0) {
      const std::string title = line.substr(3);
      out += color ? fmt::format("\x1b[1;4m{}\x1b[0m\n", title)
                   : fmt::format("{}\n{}\n", title, std::string(title.size(), '='));
    } else if (line.rfind("- ", 0) == 0) {
      out += "  • " + RenderInline(line.substr(2), color) + "\n";
    } else if (line.rfind("> ", 0) == 0) {
      out += "  │ " + RenderInline(line.substr(2), color) + "\n";
    } else {
      out += RenderInline(line, color) + "\n";
    }
  }
  return out;
}

}  // namespace pchronicle::cli
