#include "pchronicle/model/atif/step_writer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pchronicle/base/timestamp.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/object_writer.h"

namespace pchronicle::model::atif {
namespace {

void Count(bool lost, const char* field, EncodeReport& report) {
  if (lost) {
    ++report.lossy[field];
  }
}

std::optional<int64_t> Milliseconds(const json::Raw& raw) {
  int64_t integer = 0;
  if (json::ToInt64(raw, &integer)) {
    return integer;
  }
  double number = 0;
  if (json::ToDouble(raw, &number) && std::abs(number) < 9.2e18) {
    return static_cast<int64_t>(number);
  }
  return std::nullopt;
}

/// Appends a member to the text of an object.
void AppendMember(std::string_view key, int64_t value, std::string& object) {
  object.pop_back();
  object += object.size() == 1 ? "" : ",";
  object += fmt::format("\"{}\":{}}}", key, value);
}

std::string MinifiedText(const json::Raw& raw) {
  Arena scratch(1024);
  return std::string(json::CellText(raw, json::Surrogates::kKeep, scratch));
}

/// `metrics` with the lifted milliseconds, where it does not say the same already; empty: no
/// member.
std::string MetricsJson(const Turn& turn) {
  if (turn.metrics.has_value() && turn.metrics.kind != json::Kind::kObject) {
    return MinifiedText(turn.metrics);
  }
  std::string out = "{}";
  constexpr std::string_view kLatencyKeys[] = {"latency_ms", "elapsed_ms", "duration_ms"};
  json::Raw latency[3];
  bool has_ttft = false;
  if (turn.metrics.has_value()) {
    out = MinifiedText(turn.metrics);
    json::Cursor cursor(out);
    cursor.BeginObject();
    for (std::string_view key; cursor.NextKey(&key);) {
      has_ttft = has_ttft || key == "ttft_ms";
      const auto* known = std::find(std::begin(kLatencyKeys), std::end(kLatencyKeys), key);
      if (known == std::end(kLatencyKeys)) {
        cursor.Skip();
      } else {
        cursor.Capture(&latency[known - std::begin(kLatencyKeys)]);
      }
    }
  }
  const auto* first = std::find_if(std::begin(latency), std::end(latency),
                                   [](const json::Raw& raw) { return raw.present(); });
  const bool lifts_the_same =
      first != std::end(latency) && turn.latency_ms && Milliseconds(*first) == turn.latency_ms;
  if (turn.latency_ms && !latency[0].present() && !lifts_the_same) {
    AppendMember("latency_ms", *turn.latency_ms, out);
  }
  if (turn.ttft_ms && !has_ttft) {
    AppendMember("ttft_ms", *turn.ttft_ms, out);
  }
  return out == "{}" ? "" : out;
}

/// `extra` of a call with its duration; empty: no member.
std::string CallExtraJson(const ToolCall& call, EncodeReport& report) {
  if (!call.duration_ms) {
    return call.extra.has_value() ? MinifiedText(call.extra) : "";
  }
  if (!call.extra.has_value()) {
    return fmt::format("{{\"duration_ms\":{}}}", *call.duration_ms);
  }
  if (call.extra.kind != json::Kind::kObject) {
    Count(true, "tool_calls.duration_ms", report);
    return MinifiedText(call.extra);
  }
  std::string out;
  ObjectWriter writer(out);
  bool same = false;
  const std::string text = MinifiedText(call.extra);
  json::Cursor cursor(text);
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    const bool is_duration = key == "duration_ms";
    if (!is_duration) {
      writer.QuotedKey(key);
    }
    json::Raw value;
    if (!cursor.Capture(&value)) {
      break;
    }
    int64_t written = 0;
    if (is_duration) {
      same = json::ToInt64(value, &written) && written == *call.duration_ms;
    } else {
      out += value.text;
    }
  }
  if (same) {
    return text;
  }
  writer.Int("duration_ms", call.duration_ms);
  writer.Close();
  return out;
}

bool HasResultsArray(const json::Raw& observation) {
  if (observation.kind != json::Kind::kObject) {
    return false;
  }
  bool found = false;
  json::Cursor cursor(observation.text);
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    if (key == "results") {
      found = cursor.Peek() == json::Kind::kArray;
    }
    cursor.Skip();
  }
  return found;
}

void WriteCalls(const Turn& turn, ObjectWriter& step, EncodeReport& report) {
  if (!turn.had_tool_calls) {
    return;
  }
  step.Key("tool_calls");
  std::string& out = step.out();
  out += '[';
  for (const ToolCall& call : turn.calls) {
    out += &call == turn.calls.data() ? "" : ",";
    ObjectWriter writer(out);
    writer.String("tool_call_id", call.id);
    writer.String("function_name", call.function);
    writer.RequiredCell("arguments", call.arguments);
    writer.Cell("result", call.result);
    writer.Json("extra", CallExtraJson(call, report));
    writer.Close();
    Count(call.kind.has_value(), "tool_calls.kind", report);
    Count(call.response.has_value(), "tool_calls.response", report);
  }
  out += ']';
}

/// ATIF wants text: an epoch number goes out as the canonical text of its instant.
void WriteTimestamp(const Timestamp& timestamp, ObjectWriter& step) {
  if (timestamp.scalar.is_string()) {
    step.Cell("timestamp", timestamp.scalar);
  } else if (timestamp.nanoseconds) {
    step.String("timestamp", std::string_view(FormatTimestamp(*timestamp.nanoseconds)));
  }
}

/// The kind that reading the step back gives.
std::string_view DerivedKind(const Turn& turn) {
  Turn plain;
  plain.source = turn.source;
  plain.call_count = turn.calls.size();
  return EffectiveKind(plain);
}

/// A part array or object that somewhere has a member `type` with the value "audio".
bool HasAudioPart(json::Cursor& cursor) {
  bool found = false;
  switch (cursor.Peek()) {
    case json::Kind::kArray:
      cursor.BeginArray();
      while (cursor.NextElement()) {
        found = HasAudioPart(cursor) || found;
      }
      return found;
    case json::Kind::kObject:
      cursor.BeginObject();
      for (std::string_view key; cursor.NextKey(&key);) {
        if (key == "type") {
          json::Raw type;
          found = (cursor.Capture(&type) && type.text == "\"audio\"") || found;
        } else if (key == "content" || key == "results") {
          found = HasAudioPart(cursor) || found;
        } else {
          cursor.Skip();
        }
      }
      return found;
    default:
      cursor.Skip();
      return false;
  }
}

bool MentionsAudio(const json::Raw& raw) {
  const bool container = raw.kind == json::Kind::kArray || raw.kind == json::Kind::kObject;
  if (!container || raw.text.find("\"audio\"") == std::string_view::npos) {
    return false;
  }
  json::Cursor cursor(raw.text);
  return HasAudioPart(cursor);
}

}  // namespace

std::string_view VersionFor(const Storyline& storyline) {
  if (storyline.document.origin_format == "atif" && storyline.document.origin_schema_version) {
    return *storyline.document.origin_schema_version;
  }
  const bool audio =
      std::any_of(storyline.turns.begin(), storyline.turns.end(), [](const Turn& turn) {
        return (turn.message.kind == json::Kind::kArray && MentionsAudio(turn.message)) ||
               MentionsAudio(turn.observation);
      });
  return audio ? "ATIF-v1.8" : "ATIF-v1.7";
}

Status WriteStep(const Turn& turn, bool from_atif, std::string& out, EncodeReport& report) {
  if (turn.observation.has_value() && !from_atif && !HasResultsArray(turn.observation)) {
    return Status::InvalidArgument("decode ATIF step[{}].observation from Storyline", turn.ordinal);
  }
  ObjectWriter step(out);
  step.Int("step_id", turn.id);
  WriteTimestamp(turn.timestamp, step);
  step.String("source", turn.source);
  step.String("model_name", turn.model);
  step.RequiredCell("message", turn.message);
  step.Cell("reasoning_effort", turn.effort);
  step.String("reasoning_content", turn.reasoning);
  WriteCalls(turn, step, report);
  step.Cell("observation", turn.observation);
  step.Json("metrics", MetricsJson(turn));
  step.Int("llm_call_count", turn.llm_calls);
  step.Bool("is_copied_context", turn.copied);
  step.Cell("extra", turn.extra);
  step.Close();
  Count(turn.kind && *turn.kind != DerivedKind(turn), "turns.kind", report);
  Count(turn.env.has_value(), "turns.env", report);
  Count(turn.prompt.has_value(), "turns.prompt", report);
  Count(turn.finished_at.scalar.present() || turn.finished_at.nanoseconds, "turns.finished_at",
        report);
  return Status::Ok();
}

}  // namespace pchronicle::model::atif
