#include "pchronicle/model/detect_rules.h"

#include <algorithm>
#include <array>

namespace pchronicle::model {
namespace {

using json::Kind;

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return lower;
}

bool HasAny(const Shape& c, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&c](std::string_view name) { return c.Has(name); });
}

Match Read(Format format) {
  return {HubFormatName(format), format, Detection::Harbor::kNone, true};
}
Match Named(std::string_view name) { return {name, std::nullopt, Detection::Harbor::kNone, true}; }

std::optional<Match> Harbor(const Shape& c, std::string_view base) {
  const auto match = [](std::string_view name, Detection::Harbor harbor) {
    return Match{name, std::nullopt, harbor, false};
  };
  if (c["task_name"].Is(Kind::kString) &&
      HasAny(c, {"trial_name", "agent_info", "verifier_result"})) {
    return match("harbor trial result", Detection::Harbor::kTrialResult);
  }
  if (c.Has("n_total_trials") && c["stats"].Is(Kind::kObject)) {
    return match("harbor job result", Detection::Harbor::kOther);
  }
  if (base == "config.json") {
    if (c.Has("trial_name") && HasAny(c, {"trials_dir", "task", "agent"})) {
      return match("harbor trial config", Detection::Harbor::kOther);
    }
    if (c.Has("job_name") &&
        HasAny(c, {"jobs_dir", "n_attempts", "agents", "datasets", "orchestrator"})) {
      return match("harbor job config", Detection::Harbor::kOther);
    }
  }
  return std::nullopt;
}

/// A list of `{role, ...}` or `{from, ...}` objects.
bool IsChat(const Shape& list) {
  return (list.Is(Kind::kArray) || list.Is(Kind::kString)) &&
         HasAny(list.first(), {"role", "from"});
}

bool IsOpenHandsEvent(const Shape& c) {
  return HasAny(c, {"action", "observation"}) && c.Has("source") && HasAny(c, {"id", "timestamp"});
}

/// SRC-31, SRC-32.
std::optional<Match> ClaudeOrCodex(const Shape& c) {
  const std::string& type = c["type"].text;
  if ((type == "user" || type == "assistant") && c["message"].Is(Kind::kObject) &&
      HasAny(c, {"sessionId", "uuid", "parentUuid", "cwd", "timestamp"})) {
    return Named("claude-code");
  }
  if ((c.Has("sessionId") && !c.Has("type") && c["message"].Has("usage")) ||
      c["loglines"].Is(Kind::kArray)) {
    return Named("claude-code");
  }
  constexpr std::array<std::string_view, 5> kTypes = {"session_meta", "response_item",
                                                      "turn_context", "event_msg", "compacted"};
  if (c["payload"].Is(Kind::kObject) &&
      std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end()) {
    return Named("codex");
  }
  if (c["record_type"].text == "state" ||
      (c["session"].Is(Kind::kObject) && c["items"].Is(Kind::kArray) &&
       c["items"].first().Has("type"))) {
    return Named("codex");
  }
  return std::nullopt;
}

/// SRC-33 to SRC-39 in their order.
std::optional<Match> SessionLogs(const Shape& c, bool in_array, std::string_view lower_base) {
  if (c.Has("version") && c.Has("status") && c["eval"].Is(Kind::kObject)) {
    return Named("inspect");
  }
  if ((c.Has("task_id") && c.Has("reward") && c["traj"].Is(Kind::kArray)) ||
      (c.Has("info") && c.Has("tasks") && HasAny(c, {"simulations", "timestamp"})) ||
      (c.Has("termination_reason") && c.Has("task_id") &&
       HasAny(c, {"reward_info", "ticks", "messages"}))) {
    return Named("tau-bench");
  }
  if (c["sessionId"].Is(Kind::kString) && c["projectHash"].Is(Kind::kString)) {
    return Named("gemini-cli");
  }
  if (c["type"].text == "session" && c.Has("id") && c.Has("cwd")) {
    return Named("pi");
  }
  const Shape& history = c["history"];
  const Shape& trajectory = c["trajectory"];
  if ((history.Is(Kind::kArray) && HasAny(c, {"instance_id", "issue"})) || IsOpenHandsEvent(c) ||
      (trajectory.Is(Kind::kArray) && IsOpenHandsEvent(trajectory.first()))) {
    return Named("openhands");
  }
  const Shape& step = trajectory.first();
  const Shape& message = history.first();
  if ((trajectory.Is(Kind::kArray) && step.Has("action") && step.Has("observation") &&
       step.Has("response")) ||
      (history.Is(Kind::kArray) && message.Has("role") &&
       HasAny(message, {"agent", "message_type", "thought"})) ||
      c["trajectory_format"].text.starts_with("mini-swe-agent") ||
      (in_array && lower_base.ends_with(".traj.json") && c.Has("role") && c.Has("content"))) {
    return Named("swe-agent");
  }
  if (HasAny(c, {"resourceSpans", "resource_spans"})) {
    return Named("otlp");
  }
  return std::nullopt;
}

std::optional<Match> Chat(const Shape& c) {
  for (const std::string_view name :
       {"messages", "conversations", "chosen_messages", "trajectory"}) {
    if (IsChat(c[name])) {
      return Read(Format::kHfChat);
    }
  }
  return std::nullopt;
}

/// One list member of chat rows (HF-11).
bool WrapsChatRows(const Shape& c) {
  const Shape* list = nullptr;
  for (const auto& [name, member] : c.members) {
    if (member.Is(Kind::kArray)) {
      if (list != nullptr) {
        return false;
      }
      list = &member;
    }
  }
  return list != nullptr && !list->first().Has("step_id") &&
         HasAny(list->first(), {"messages", "conversations", "chosen_messages"});
}

/// Only strings, and the names of instruction-tuning rows (HF-11).
bool IsInstructionRow(const Shape& c) {
  const bool named = (c.Has("instruction") && c.Has("output")) ||
                     (c.Has("prompt") && c.Has("completion")) ||
                     (c.members.size() == 1 && c.Has("text"));
  return named && std::all_of(c.members.begin(), c.members.end(),
                              [](const auto& member) { return member.value.Is(Kind::kString); });
}

}  // namespace

std::optional<Match> ClassifyByVersion(const Shape& c) {
  const std::string& version = c["schema_version"].text;
  if (version.starts_with("ATIF")) {
    return Read(Format::kAtif);
  }
  if (version.starts_with("storyline/")) {
    return Read(Format::kStoryline);
  }
  return std::nullopt;
}

std::optional<Match> Classify(const Shape& c, bool in_array, std::string_view file) {
  if (!c.Is(Kind::kObject)) {
    return std::nullopt;
  }
  if (const auto match = ClassifyByVersion(c)) {
    return match;
  }
  if (c["atof_version"].Is(Kind::kString)) {
    return Named("ATOF event stream");
  }
  const std::string base = Lower(BaseName(file));
  if (const auto match = Harbor(c, base)) {
    return match;
  }
  if (const auto match = ClaudeOrCodex(c)) {
    return match;
  }
  if (c.Has("task_id") && c["attempts"].every_attempt) {
    return Read(Format::kActf);
  }
  if (const auto match = SessionLogs(c, in_array, base)) {
    return match;
  }
  const bool is_row = c.Has("session_id") && c.Has("step_id");
  if ((is_row && HasAny(c, {"messages", "messages_json", "response", "response_json"})) ||
      (!in_array && c.Has("session_steps"))) {
    return Read(Format::kOpenAiMessages);
  }
  if ((c.Has("steps") && c.Has("agent")) || (is_row && c.Has("agent_name"))) {
    return Read(Format::kAtif);
  }
  if (const auto match = Chat(c)) {
    return match;
  }
  if (!in_array && WrapsChatRows(c)) {
    return Read(Format::kHfChat);
  }
  if (IsInstructionRow(c)) {
    return Match{"instruction rows", std::nullopt, Detection::Harbor::kNone, false};
  }
  return std::nullopt;
}

std::optional<Format> FormatByName(std::string_view file) {
  const std::string base = Lower(BaseName(file));
  if (base == "session_steps.json") {
    return Format::kOpenAiMessages;
  }
  if (base == "storyline.json" || base.ends_with(".storyline.json") ||
      base.ends_with(".storyline.jsonl")) {
    return Format::kStoryline;
  }
  if (base.ends_with(".actf.json") || base.ends_with(".actf.jsonl")) {
    return Format::kActf;
  }
  if (base.ends_with(".atif.json") || base.ends_with(".atif.jsonl") ||
      (base.starts_with("trajectory") && base.ends_with(".json"))) {
    return Format::kAtif;
  }
  return std::nullopt;
}

std::string_view KnownByName(std::string_view file) {
  const std::string base = Lower(BaseName(file));
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"package.json", "package.json"},
      {"package-lock.json", "package-lock.json"},
      {"tsconfig.json", "tsconfig.json"},
      {"composer.json", "composer.json"},
      {"ctrf.json", "ctrf.json test report"},
      {"report.json", "evaluation report"},
      {"preds.json", "SWE-bench predictions"},
      {"all_preds.jsonl", "SWE-bench predictions"},
      {"history.jsonl", "prompt history"},
      {"session_index.jsonl", "session index"},
      {"logs.json", "prompt log"},
  };
  for (const auto& [name, kind] : kNames) {
    if (base == name) {
      return kind;
    }
  }
  if (base == "reward.json" && file.ends_with("verifier/reward.json")) {
    return "harbor reward";
  }
  if (base.starts_with("checkpoint-") && base.ends_with(".json")) {
    return "session checkpoint";
  }
  const std::string lower = Lower(file);
  if (lower.find("/todos/") != std::string::npos || lower.starts_with("todos/")) {
    return "to-do list";
  }
  if (lower.find("/file-history/") != std::string::npos || lower.starts_with("file-history/")) {
    return "file history";
  }
  return {};
}

std::string NotATrajectory(const Shape& c, bool in_array) {
  if (!c.Is(Kind::kObject)) {
    constexpr std::string_view kKinds[] = {"nothing",  "null",     "a boolean", "a number",
                                           "a string", "an array", "an object"};
    const std::string_view kind = kKinds[static_cast<size_t>(c.kind)];
    return in_array ? fmt::format("not a trajectory (an array of {})",
                                  kind.substr(kind.find(' ') + 1) == kind
                                      ? std::string(kind)
                                      : std::string(kind.substr(kind.find(' ') + 1)) + "s")
                    : fmt::format("not a trajectory ({})", kind);
  }
  std::string names;
  constexpr size_t kShown = 6;
  for (size_t i = 0; i < std::min(c.members.size(), kShown); ++i) {
    const std::string& name = c.members[i].name;
    size_t cut = std::min<size_t>(name.size(), 40);
    while (cut < name.size() && cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xc0) == 0x80) {
      --cut;  // never in the middle of a character
    }
    names += i == 0 ? "" : ", ";
    names.append(name, 0, cut);
  }
  if (c.members.size() > kShown) {
    names += ", ...";
  }
  return fmt::format("not a trajectory ({}members: {})", in_array ? "array of objects with " : "",
                     names);
}

std::string_view BinaryKind(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, std::string_view> kMarks[] = {
      {"\x89PNG\r\n\x1a\n"sv, "PNG image"},
      {"\xff\xd8\xff"sv, "JPEG image"},
      {"GIF87a"sv, "GIF image"},
      {"GIF89a"sv, "GIF image"},
      {"%PDF-"sv, "PDF document"},
      {"PK\x03\x04"sv, "zip archive"},
      {"PK\x05\x06"sv, "zip archive"},
      {"\x1f\x8b"sv, "gzip data"},
      {"\x28\xb5\x2f\xfd"sv, "zstd data"},
      {"BZh"sv, "bzip2 data"},
      {"\xfd"
       "7zXZ\0"sv,
       "xz data"},
      {"7z\xbc\xaf\x27\x1c"sv, "7-Zip archive"},
      {"PAR1"sv, "Parquet table"},
      {"ARROW1\0\0"sv, "Arrow file"},
      {"SQLite format 3\0"sv, "SQLite database"},
      {"\x7f"
       "ELF"sv,
       "ELF program"},
      {"RIFF"sv, "RIFF media"},
      {"OggS"sv, "Ogg media"},
      {"ID3"sv, "MP3 audio"},
      {"VTXF"sv, "Vortex file"},
      {"\xca\xfe\xba\xbe"sv, "class file"},
      {"\x80\x04\x95"sv, "Python pickle"},
      {"\x93NUMPY"sv, "NumPy array"},
  };
  for (const auto& [mark, kind] : kMarks) {
    if (head.starts_with(mark)) {
      return kind;
    }
  }
  return {};
}

}  // namespace pchronicle::model
