#include "pchronicle/cli/show_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "pchronicle/base/terminal_text.h"
#include "pchronicle/base/timestamp.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/message_text.h"
#include "pchronicle/model/observation.h"

namespace pchronicle::cli {
namespace {

// A value longer than this part of the budget is cut, so that one huge value cannot hide all other
// steps.
constexpr uint64_t kValueShare = 5;
constexpr uint64_t kSmallestValue = 200;
constexpr uint64_t kUnlimited = UINT64_MAX;
constexpr size_t kMaxHeaderText = 400;

class Text {
 public:
  Text(bool escape, uint64_t max_value) : escape_(escape), max_value_(max_value) {}

  /// One line; data in it must have gone through OneLine.
  void Line(std::string_view line) {
    out_ += line;
    out_ += '\n';
  }
  /// Data that must stay on a line.
  std::string OneLine(std::string_view text) const {
    std::string line;
    for (const char c : text) {
      line += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
    }
    return escape_ ? EscapeLine(line) : line;
  }
  /// A value of any length, each line indented; cut with a mark when it is too long.
  void Value(std::string_view text, std::string_view indent) {
    const std::string_view shown = CutCharacters(text, max_value_);
    Indented(escape_ ? EscapeText(shown) : std::string(shown), indent);
    if (shown.size() < text.size()) {
      Line(fmt::format("{}… cut: {} of {} characters", indent, max_value_, CountCharacters(text)));
    }
  }
  const std::string& str() const { return out_; }

 private:
  void Indented(std::string_view text, std::string_view indent) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      out_ += line.empty() ? std::string_view() : indent;
      out_ += line;
      out_ += '\n';
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  const bool escape_;
  const uint64_t max_value_;
  std::string out_;
};

// A value as a person reads it: text of strings and parts, else its JSON.
std::string ReadableValue(const json::Raw& value) {
  Arena arena(1024);
  if (const auto text = model::MessageText(value, arena)) {
    return std::string(*text);
  }
  return value.has_value() ? std::string(json::CellText(value, json::Surrogates::kReplace, arena))
                           : "";
}

std::string Instant(const model::Timestamp& timestamp) {
  if (timestamp.nanoseconds) {
    return FormatTimestamp(*timestamp.nanoseconds);
  }
  Arena arena(256);
  return timestamp.scalar.is_string() ? std::string(json::DecodeString(timestamp.scalar, arena))
                                      : std::string(timestamp.scalar.text);
}

// Arguments: members of an object one by one, anything else as it is.
void AppendArguments(const json::Raw& arguments, Text* text) {
  if (arguments.kind != json::Kind::kObject) {
    if (arguments.has_value()) {
      text->Value(ReadableValue(arguments), "    ");
    }
    return;
  }
  json::Cursor cursor(arguments.text);
  if (!cursor.BeginObject()) {
    return;
  }
  for (std::string_view key; cursor.NextKey(&key);) {
    const std::string name(key);
    json::Raw member;
    if (!cursor.Capture(&member)) {
      return;
    }
    const std::string value = ReadableValue(member);
    if (member.is_string() && value.find('\n') != std::string::npos) {
      text->Line(fmt::format("    {}:", text->OneLine(name)));
      text->Value(value, "      ");
    } else {
      text->Value(fmt::format("{}: {}", name, member.kind == json::Kind::kNull ? "null" : value),
                  "    ");
    }
  }
}

void AppendResult(const model::ResultView& result, Text* text) {
  std::string head = "  result";
  if (result.is_inline) {
    head += " (inline)";
  }
  if (result.link != model::ResultLink::kId) {
    head += fmt::format(" (link: {})", model::ResultLinkName(result.link));
    if (result.call_id) {
      head += fmt::format(" for {}", text->OneLine(*result.call_id));
    }
  }
  if (result.is_error == true) {
    head += " error";
  }
  if (result.exit_code) {
    head += fmt::format(" exit code {}", *result.exit_code);
  }
  text->Line(head + ":");
  text->Value(ReadableValue(result.content), "    ");
  if (result.subagent_refs.has_value()) {
    text->Value("subagent: " + ReadableValue(result.subagent_refs), "    ");
  }
}

void AppendCalls(const model::Turn& turn, Text* text) {
  Arena arena(1024);
  model::ObservationParser observation;
  observation.Parse(turn, arena);
  const auto results_of = [&](std::optional<uint32_t> call) {
    for (const model::ResultView& result : observation.results()) {
      const bool linked = result.link != model::ResultLink::kNone;
      if (call ? linked && result.call == *call : !linked) {
        AppendResult(result, text);
      }
    }
  };
  for (uint32_t i = 0; i < turn.calls.size(); ++i) {
    const model::ToolCall& call = turn.calls[i];
    std::string head =
        fmt::format("  call {} ({})", text->OneLine(call.function), text->OneLine(call.id));
    if (call.duration_ms) {
      head += fmt::format(" {} ms", *call.duration_ms);
    }
    const model::CallFacts facts = observation.Facts(call, i);
    if (facts.is_error == true) {
      head += " error";
    }
    if (facts.exit_code) {
      head += fmt::format(" exit code {}", *facts.exit_code);
    }
    text->Line(head + ":");
    AppendArguments(call.arguments, text);
    results_of(i);
  }
  results_of(std::nullopt);
}

std::string RenderStep(const model::Turn& turn, bool escape, uint64_t max_value) {
  Text text(escape, max_value);
  std::string head =
      fmt::format("[{}] step {}  {}", turn.ordinal, turn.id, text.OneLine(turn.source));
  const std::string time = Instant(turn.timestamp);
  if (!time.empty()) {
    head += "  " + text.OneLine(time);
  }
  if (turn.model) {
    head += "  model " + text.OneLine(*turn.model);
  }
  if (turn.copied == true) {
    head += "  (copied context)";
  }
  text.Line(head);
  text.Value(ReadableValue(turn.message), "  ");
  if (turn.reasoning && !turn.reasoning->empty()) {
    text.Line("  reasoning:");
    text.Value(*turn.reasoning, "    ");
  }
  AppendCalls(turn, &text);
  text.Line("");
  return text.str();
}

// Appends the steps that fit; gives the closing line that says what is missing, empty when nothing
// is.
std::string AppendSteps(const app::ShownRun& run, const ShowTextOptions& options,
                        std::string* out) {
  const std::vector<model::Turn>& turns = run.storyline.turns;
  const uint64_t total = turns.size();
  if (options.from_step >= total) {
    *out += total == 0 ? "no steps\n"
                       : fmt::format("no step at {}: the run has steps 0-{}\n", options.from_step,
                                     total - 1);
    return "";
  }
  const uint64_t wanted = std::min(options.steps.value_or(total), total - options.from_step);
  const uint64_t budget = options.max_chars == 0 ? kUnlimited : options.max_chars;
  const uint64_t max_value = options.max_chars == 0
                                 ? kUnlimited
                                 : std::max(kSmallestValue, options.max_chars / kValueShare);
  uint64_t used = 0;
  uint64_t shown = 0;
  for (; shown < wanted; ++shown) {
    const model::Turn& turn = turns[options.from_step + shown];
    std::string step = RenderStep(turn, options.escape, max_value);
    uint64_t size = CountCharacters(step);
    // The first step always shows, with its values cut further until it fits, so that every call
    // moves on.
    for (uint64_t value = max_value; shown == 0 && size > budget && value > 1;) {
      value = std::min(value / 2, budget);
      step = RenderStep(turn, options.escape, value);
      size = CountCharacters(step);
    }
    if (shown > 0 && size > budget - std::min(used, budget)) {
      break;
    }
    used += size;
    *out += step;
  }
  const uint64_t next = options.from_step + shown;
  return next == total ? ""
                       : fmt::format("cut: steps {}-{} of {} shown, see --from-step {}\n",
                                     options.from_step, next - 1, total, next);
}

class Header {
 public:
  explicit Header(Text* text) : text_(text) {}
  void Add(std::string_view name, std::string_view value) {
    if (!value.empty()) {
      text_->Line(fmt::format("{:<10} {}", name, CutHeader(text_->OneLine(value))));
    }
  }
  void AddOptional(std::string_view name, const std::optional<std::string>& value) {
    Add(name, std::string_view(value ? *value : ""));
  }

 private:
  static std::string CutHeader(const std::string& value) {
    const std::string_view cut = CutCharacters(value, kMaxHeaderText);
    return cut.size() == value.size() ? value : fmt::format("{}…", cut);
  }
  Text* text_;
};

std::string TotalsText(const model::Totals& totals) {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  if (totals.prompt_tokens) {
    add(fmt::format("{} prompt", *totals.prompt_tokens));
  }
  if (totals.completion_tokens) {
    add(fmt::format("{} completion", *totals.completion_tokens));
  }
  if (totals.cached_tokens) {
    add(fmt::format("{} cached", *totals.cached_tokens));
  }
  if (totals.cost_usd) {
    add(fmt::format("{} usd", *totals.cost_usd));
  }
  return out;
}

std::string StatusText(const app::ShownRun& run) {
  std::string out = run.status;
  if (run.success) {
    out += *run.success ? ", success" : ", no success";
  }
  if (run.score) {
    out += fmt::format(", score {}", *run.score);
  }
  if (run.outcome_source) {
    out += fmt::format(" (from {})", *run.outcome_source);
  }
  return out;
}

std::string AddressText(const app::RunAddress& address) {
  return fmt::format("{} document {}", address.file, address.document_id);
}

void AppendHeader(const app::ShownRun& run, bool escape, std::string* out) {
  constexpr size_t kMaxChildren = 50;
  Text text(escape, kUnlimited);
  Header header(&text);
  const model::Document& document = run.storyline.document;
  const auto copy = [](const model::Text& value) {
    return value ? std::optional<std::string>(*value) : std::nullopt;
  };
  header.Add("source", run.address.file);
  header.Add("format", document.origin_schema_version
                           ? fmt::format("{} ({})", run.format, *document.origin_schema_version)
                           : run.format);
  header.Add("document", document.document_id);
  header.Add("session", document.session_id);
  header.AddOptional("run", copy(document.run_id));
  header.AddOptional("attempt", copy(document.attempt_id));
  header.Add("agent",
             fmt::format("{}{}{}", document.agent_name.value_or(document.agent_id),
                         document.agent_version ? " " : "", document.agent_version.value_or("")));
  header.AddOptional("model", copy(document.agent_model));
  header.Add("status", StatusText(run));
  header.AddOptional("ended", run.termination_reason);
  header.AddOptional("error", run.error_kind && run.error_message
                                  ? std::optional(*run.error_kind + ": " + *run.error_message)
                              : run.error_kind ? run.error_kind
                                               : run.error_message);
  header.Add("started", Instant(document.started_at));
  header.Add("finished", Instant(document.finished_at));
  if (run.duration_ms) {
    header.Add("duration", fmt::format("{} ms", *run.duration_ms));
  }
  const int64_t copied = run.copied_step_count.value_or(0);
  header.Add("steps", copied == 0 ? fmt::format("{}", run.storyline.turns.size())
                                  : fmt::format("{}, {} of them copied context",
                                                run.storyline.turns.size(), copied));
  if (run.tool_call_count.value_or(0) > 0) {
    header.Add("calls", fmt::format("{}, {} with errors, {} results without a call id",
                                    *run.tool_call_count, run.tool_error_count.value_or(0),
                                    run.unlinked_result_count.value_or(0)));
  }
  header.Add("own", TotalsText(run.own));
  header.Add("with all", TotalsText(run.total));
  header.Add("reported", TotalsText(run.reported));
  header.AddOptional("note", run.totals_note);
  if (run.parent) {
    header.Add("parent", AddressText(*run.parent));
  }
  for (size_t i = 0; i < std::min(run.children.size(), kMaxChildren); ++i) {
    header.Add("child", AddressText(run.children[i]));
  }
  if (run.children.size() > kMaxChildren) {
    header.Add("child", fmt::format("… and {} more", run.children.size() - kMaxChildren));
  }
  header.AddOptional("continued", run.continued_by);
  header.AddOptional("task", run.task_text);
  text.Line("");
  *out += text.str();
}

// `[{"code":..,"pointer":..,"count":..,"example":..}]`, one line each.
void AppendDiagnostics(const app::ShownRun& run, bool escape, std::string* out) {
  Text text(escape, kUnlimited);
  json::Cursor cursor(run.diagnostics);
  if (!cursor.BeginArray()) {
    return;
  }
  while (cursor.NextElement() && cursor.BeginObject()) {
    std::string code, pointer, example, count;
    for (std::string_view key; cursor.NextKey(&key);) {
      std::string* target = key == "code"      ? &code
                            : key == "pointer" ? &pointer
                            : key == "example" ? &example
                            : key == "count"   ? &count
                                               : nullptr;
      json::Raw value;
      if (!cursor.Capture(&value)) {
        return;
      }
      if (target != nullptr) {
        *target = ReadableValue(value);
      }
    }
    std::string line = fmt::format("  {} x{}", code, count);
    line += pointer.empty() ? "" : " first at " + text.OneLine(pointer);
    line += example.empty() ? "" : ": " + text.OneLine(example);
    text.Line(line);
  }
  if (!text.str().empty()) {
    *out += "diagnostics\n" + text.str();
  }
}

}  // namespace

std::string RenderRun(const app::ShownRun& run, const ShowTextOptions& options) {
  std::string out;
  AppendHeader(run, options.escape, &out);
  const std::string cut = AppendSteps(run, options, &out);
  AppendDiagnostics(run, options.escape, &out);
  return out + cut;
}

}  // namespace pchronicle::cli
