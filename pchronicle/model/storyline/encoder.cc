#include "pchronicle/model/storyline/encoder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "pchronicle/json/cursor.h"
#include "pchronicle/json/writer.h"
#include "pchronicle/model/object_writer.h"
#include "pchronicle/model/residual_insert.h"
#include "pchronicle/model/residuals.h"

namespace pchronicle::model {
namespace {

/// Source name of residuals that belong to the wire itself (lone surrogates of decoded texts).
constexpr std::string_view kOwnSource = "storyline";

using Members = std::vector<std::pair<std::string, json::Raw>>;

/// Members of an object in order; of equal keys the last value.
Members MembersOf(const json::Raw& object) {
  Members members;
  json::Cursor cursor(object.text);
  cursor.BeginObject();
  for (std::string_view view; cursor.NextKey(&view);) {
    const std::string key(view);
    json::Raw value;
    if (!cursor.Capture(&value)) {
      break;
    }
    const auto same = std::find_if(members.begin(), members.end(),
                                   [&](const auto& member) { return member.first == key; });
    if (same != members.end()) {
      same->second = value;
    } else {
      members.emplace_back(key, value);
    }
  }
  return members;
}

bool IsEmptyObject(const json::Raw& raw) {
  return raw.kind == json::Kind::kObject && MembersOf(raw).empty();
}

bool IsTypedResultKey(std::string_view key) {
  constexpr std::string_view kKeys[] = {"correct",   "final_answer", "ground_truth", "score",
                                        "max_score", "artifacts",    "status",       "error"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

/// Closed objects with plain members (env, llm, response): null members and an empty `state` are
/// not written.
std::string ClosedJson(const json::Raw& object) {
  std::string out;
  ObjectWriter writer(out);
  for (const auto& [key, value] : MembersOf(object)) {
    if (key != "state" || !IsEmptyObject(value)) {
      writer.Cell(key, value);
    }
  }
  writer.Close();
  return out;
}

std::string ResultJson(const json::Raw& object) {
  std::string out;
  ObjectWriter writer(out);
  for (const auto& [key, value] : MembersOf(object)) {
    if (IsTypedResultKey(key)) {
      if (value.text != "\"\"" && !IsEmptyObject(value)) {
        writer.Cell(key, value);
      }
      continue;
    }
    writer.QuotedKey(key);
    Arena scratch(256);
    writer.out() += json::CellText(value, json::Surrogates::kKeep, scratch);
  }
  writer.Close();
  return out;
}

std::string TaskJson(const json::Raw& task) {
  if (task.kind != json::Kind::kObject) {
    return "";
  }
  std::string out;
  ObjectWriter writer(out);
  for (const auto& [key, value] : MembersOf(task)) {
    if (!value.has_value()) {
      continue;
    }
    const std::string member = key == "result" ? ResultJson(value) : ClosedJson(value);
    if (member != "{}") {
      writer.Json(key, member);
    }
  }
  writer.Close();
  return out == "{}" ? "" : out;
}

/// Empty keys are left out, except for the explicit clear, which has nothing else (formats.md 2.7).
std::string PromptJson(const json::Raw& prompt) {
  if (prompt.kind != json::Kind::kObject) {
    return "";
  }
  const Members members = MembersOf(prompt);
  const bool all_empty = std::all_of(members.begin(), members.end(), [](const auto& member) {
    return !member.second.has_value() || member.second.text == "\"\"";
  });
  if (all_empty) {
    return R"({"system":"","user":""})";
  }
  std::string out;
  ObjectWriter writer(out);
  for (const auto& [key, value] : members) {
    if (value.text != "\"\"") {
      writer.Cell(key, value);
    }
  }
  writer.Close();
  return out;
}

void WriteOrigin(const Document& document, ObjectWriter& root) {
  if (!document.origin_format) {
    return;
  }
  root.Key("origin");
  ObjectWriter origin(root.out());
  origin.String("format", *document.origin_format);
  origin.String("schema_version", document.origin_schema_version);
  origin.String("document_id", document.origin_document_id);
  origin.Close();
}

void WriteAgent(const Document& document, ObjectWriter& root) {
  root.Key("agent");
  ObjectWriter agent(root.out());
  agent.String("id", document.agent_id);
  agent.String("name", document.agent_name);
  agent.String("ver", document.agent_version);
  agent.String("model", document.agent_model);
  agent.Cell("tools", document.agent_tools);
  agent.Cell("extra", document.agent_extra);
  agent.Close();
}

void WriteParent(const Document& document, ObjectWriter& root) {
  if (!document.parent) {
    return;
  }
  root.Key("parent");
  ObjectWriter parent(root.out());
  parent.String("psid", document.parent->document_id);
  parent.String("scid", document.parent->call_id);
  parent.Int("ptid", document.parent->turn_id);
  if (document.parent->relation != "spawn") {
    parent.String("rel", document.parent->relation);
  }
  parent.Close();
}

void WriteChildren(const Document& document, ObjectWriter& root) {
  if (!document.children) {
    return;
  }
  root.Key("children");
  std::string& out = root.out();
  out += '[';
  for (size_t i = 0; i < document.children->size(); ++i) {
    out += i == 0 ? "" : ",";
    json::AppendQuoted((*document.children)[i], out);
  }
  out += ']';
}

void WriteCalls(const Turn& turn, ObjectWriter& owner) {
  if (!turn.had_tool_calls) {
    return;
  }
  owner.Key("tool_calls");
  std::string& out = owner.out();
  out += '[';
  for (const ToolCall& call : turn.calls) {
    out += &call == turn.calls.data() ? "" : ",";
    ObjectWriter writer(out);
    writer.String("tcid", call.id);
    writer.String("fn", call.function);
    writer.RequiredCell("args", call.arguments);
    writer.Cell("result", call.result);
    writer.Int("duration_ms", call.duration_ms);
    writer.Cell("extra", call.extra);
    writer.String("kind", call.kind);
    if (call.response.kind == json::Kind::kObject) {
      writer.Json("response", ClosedJson(call.response));
    }
    writer.Close();
  }
  out += ']';
}

void WriteTurn(const Turn& turn, std::string& out) {
  ObjectWriter writer(out);
  writer.Int("id", turn.id);
  writer.Time("ts", turn.timestamp);
  writer.String("src", turn.source);
  writer.String("kind", turn.kind);
  writer.RequiredCell("msg", turn.message);
  writer.String("reason", turn.reasoning);
  writer.Cell("effort", turn.effort);
  WriteCalls(turn, writer);
  writer.Cell("observation", turn.observation);
  writer.Cell("metrics", turn.metrics);
  writer.String("model", turn.model);
  writer.Int("nllm", turn.llm_calls);
  writer.Bool("copied", turn.copied);
  writer.Int("latency_ms", turn.latency_ms);
  writer.Int("ttft_ms", turn.ttft_ms);
  writer.Time("finished_at", turn.finished_at);
  if (turn.env.kind == json::Kind::kObject) {
    writer.Json("env", ClosedJson(turn.env));
  }
  writer.Json("prompt", PromptJson(turn.prompt));
  writer.Cell("extra", turn.extra);
  writer.Close();
}

/// The wire has no slot for an id that D8 suffixed, so it goes out as the trajectory id.
Text TrajectoryOf(const Document& document, EncodeReport& report) {
  const std::string_view own = document.trajectory_id.value_or(document.session_id);
  if (document.document_id.empty() || document.document_id == own) {
    return document.trajectory_id;
  }
  ++report.lossy["renamed_document_id"];
  return document.document_id;
}

std::string EncodeOne(const Storyline& storyline, EncodeReport& report) {
  const Document& document = storyline.document;
  std::string out;
  ObjectWriter root(out);
  root.String("schema_version", std::string_view("storyline/v1"));
  WriteOrigin(document, root);
  root.String("run", document.run_id);
  root.String("trajectory", TrajectoryOf(document, report));
  root.String("attempt_id", document.attempt_id);
  root.String("session", document.session_id);
  WriteAgent(document, root);
  WriteParent(document, root);
  WriteChildren(document, root);
  root.String("notes", document.notes);
  root.Json("task", TaskJson(document.task));
  root.Json("prompt", PromptJson(document.prompt));
  root.Time("started_at", document.started_at);
  root.Time("finished_at", document.finished_at);
  root.Cell("final_metrics", document.final_metrics);
  root.String("continued_trajectory_ref", document.continued_ref);
  root.Cell("extra", document.extra);
  root.Cell("meta", document.meta);
  std::vector<UnknownSource> foreign;
  std::copy_if(document.unknown.begin(), document.unknown.end(), std::back_inserter(foreign),
               [](const UnknownSource& source) { return source.format != kOwnSource; });
  root.Json("unknown_fields", UnknownFieldsJson(foreign));
  root.Json("unknown_key_counts", UnknownKeyCountsJson(CountUnknownKeys(foreign)));
  root.Key("turns");
  out += '[';
  for (const Turn& turn : storyline.turns) {
    out += &turn == storyline.turns.data() ? "" : ",";
    WriteTurn(turn, out);
  }
  out += ']';
  root.Close();
  return out;
}

Result<std::string> RestoreOwn(std::string text, const Document& document, EncodeReport& report) {
  std::vector<PlacedField> fields;
  for (const UnknownSource& source : document.unknown) {
    if (source.format == kOwnSource) {
      for (const UnknownField& field : source.fields) {
        fields.push_back({std::string(field.pointer), field.value.text});
      }
    }
  }
  std::vector<std::string> dangling;
  Result<std::string> restored = InsertFields(std::move(text), std::move(fields), {}, &dangling);
  if (!dangling.empty()) {
    report.lossy["unknown_fields"] += dangling.size();
  }
  return restored;
}

}  // namespace

Result<std::string> EncodeStoryline(std::span<const Storyline> storylines,
                                    const EncodeOptions& options, EncodeReport* report) {
  if (storylines.empty()) {
    return Status::Unsupported("Storyline document cannot be empty");
  }
  EncodeReport counted;
  std::string out = storylines.size() == 1 ? "" : "[";
  for (const Storyline& storyline : storylines) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string text, RestoreOwn(EncodeOne(storyline, counted),
                                                                   storyline.document, counted));
    out += &storyline == storylines.data() ? "" : ",";
    out += text;
  }
  out += storylines.size() == 1 ? "" : "]";
  if (options.strict && !counted.lossy.empty()) {
    return Status::InvalidArgument("lossy_export fields={}", LossyFields(counted));
  }
  AddReport(counted, report);
  return options.pretty ? json::Pretty(out) + "\n" : out;
}

}  // namespace pchronicle::model
