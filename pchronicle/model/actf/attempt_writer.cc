#include "pchronicle/model/actf/attempt_writer.h"

#include <optional>
#include <utility>

#include "pchronicle/base/timestamp.h"
#include "pchronicle/model/actf/record_head.h"
#include "pchronicle/model/compose.h"
#include "pchronicle/model/message_text.h"
#include "pchronicle/model/raw_walk.h"
#include "pchronicle/model/text_is.h"

namespace pchronicle::model::actf {
namespace {

using json::Kind;

constexpr std::string_view kEpoch = "\"1970-01-01 00:00:00+00:00\"";
constexpr std::string_view kCommandType = "command_execution";

std::string Quoted(std::string_view characters) {
  std::string text;
  json::AppendQuoted(characters, text);
  return text;
}

json::Raw FirstOf(std::initializer_list<json::Raw> candidates) {
  for (const json::Raw& raw : candidates) {
    if (raw.has_value()) {
      return raw;
    }
  }
  return {};
}

}  // namespace

std::string TimeText(const Timestamp& time) {
  if (time.scalar.is_string() &&
      !IsBlank(time.scalar.text.substr(1, time.scalar.text.size() - 2))) {
    return std::string(time.scalar.text);
  }
  if (!time.nanoseconds) {
    return {};
  }
  std::string text = FormatTimestamp(*time.nanoseconds);
  if (const size_t separator = text.find('T'); separator != std::string::npos) {
    text[separator] = ' ';
  }
  if (text.ends_with('Z')) {
    text.replace(text.size() - 1, 1, "+00:00");
  }
  return Quoted(text);
}

Status AttemptWriter::Write(const Storyline& storyline, const std::string& pointer,
                            FieldSlots& slots, std::string& out) {
  const Document& document = storyline.document;
  arena_.Reset();
  CountLossy(storyline);
  const json::Raw result = FindMember(document.task, "result");
  const json::Raw& metrics = document.final_metrics;
  const auto cell = [&](const json::Raw& raw, std::string_view otherwise) {
    return raw.has_value() ? Cell(raw) : otherwise;
  };
  SlottedObject attempt(out, slots, pointer);
  const json::Raw correct =
      FirstOf({FindMember(result, "correct"), FindMember(metrics, "correct")});
  attempt.Add("correct", correct.kind == Kind::kBool ? correct.text : "false");
  attempt.Add("final_answer", cell(FindMember(result, "final_answer"), "null"));
  attempt.Add("ground_truth", cell(FindMember(result, "ground_truth"), "\"\""));
  attempt.BeginMember("trajectory");
  PCHRONICLE_RETURN_IF_ERROR(WriteTrajectory(storyline, pointer + "/trajectory", slots, out));
  attempt.Add("status", cell(FirstOf({FindMember(result, "status"), FindMember(metrics, "status")}),
                             same_format_ ? "\"\"" : "\"completed\""));
  attempt.Add("score", cell(FindMember(result, "score"), "null"));
  attempt.Add("error", cell(FindMember(result, "error"), "\"\""));
  attempt.Add("artifacts", cell(FindMember(result, "artifacts"), "{}"));
  attempt.Add("extra", cell(document.extra, "{}"));
  attempt.Add("analysis_result", cell(FindMember(metrics, "analysis_result"), "{}"));
  attempt.Add("meta", cell(document.meta, "{}"));
  if (const json::Raw max_score = FindMember(result, "max_score"); max_score.has_value()) {
    attempt.Add("max_score", Cell(max_score));
  }
  return attempt.Finish();
}

Status AttemptWriter::WriteTrajectory(const Storyline& storyline, const std::string& pointer,
                                      FieldSlots& slots, std::string& out) {
  const Document& document = storyline.document;
  if (storyline.turns.empty()) {
    return Status::InvalidArgument("ACTF trajectory steps must not be empty");
  }
  std::vector<int64_t> ids;
  PCHRONICLE_RETURN_IF_ERROR(ChooseIds(storyline, &ids));
  SlottedObject trajectory(out, slots, pointer);
  trajectory.Add("schema_version", "\"ACTF_v1.0\"");
  trajectory.BeginMember("steps");
  out += '[';
  for (size_t i = 0; i < storyline.turns.size(); ++i) {
    out += i == 0 ? "" : ",";
    PCHRONICLE_RETURN_IF_ERROR(WriteStep(document, storyline.turns[i], ids[i],
                                         pointer + "/steps/" + std::to_string(i), slots, out));
  }
  out += ']';
  std::string started = TimeText(document.started_at);
  started = started.empty() ? TimeText(storyline.turns.front().timestamp) : started;
  std::string finished = TimeText(document.finished_at);
  finished = finished.empty() ? TimeText(storyline.turns.back().finished_at) : finished;
  finished = finished.empty() ? TimeText(storyline.turns.back().timestamp) : finished;
  trajectory.Add("started_at", started.empty() ? kEpoch : started);
  trajectory.Add("finished_at", finished.empty() ? kEpoch : finished);
  return trajectory.Finish();
}

/// Ids must be at least 1 and increase. What ACTF itself gave us goes back as it was (only strict
/// validation refuses it); documents of other formats are renumbered.
Status AttemptWriter::ChooseIds(const Storyline& storyline, std::vector<int64_t>* ids) {
  bool valid = true;
  int64_t previous = 0;
  for (const Turn& turn : storyline.turns) {
    if (turn.id <= previous) {
      if (options_.strict) {
        return Status::InvalidArgument("ACTF step_id {} is not strictly increasing", turn.id);
      }
      valid = false;
    }
    previous = turn.id;
    ids->push_back(turn.id);
  }
  if (!valid && !same_format_) {
    for (size_t i = 0; i < ids->size(); ++i) {
      (*ids)[i] = static_cast<int64_t>(i) + 1;
    }
    Lossy("turns.id", ids->size());
    report_.notes["step_id"] = "turn ids were renumbered from 1";
  }
  return Status::Ok();
}

Status AttemptWriter::WriteStep(const Document& document, const Turn& turn, int64_t step_id,
                                const std::string& pointer, FieldSlots& slots, std::string& out) {
  std::string tools;
  PCHRONICLE_RETURN_IF_ERROR(WriteTools(turn, pointer, slots, tools));
  std::string observation;
  PCHRONICLE_RETURN_IF_ERROR(WriteObservation(turn, pointer + "/observation", slots, observation));

  SlottedObject step(out, slots, pointer);
  step.Add("step_id", std::to_string(step_id));
  step.BeginMember("assistant_content");
  {
    SlottedObject content(out, slots, pointer + "/assistant_content");
    content.Add("content", Content(turn));
    content.Add("reasoning_content", Quoted(turn.reasoning.value_or(std::string_view())));
    content.Add("tool_calls", tools);
    PCHRONICLE_RETURN_IF_ERROR(content.Finish());
  }
  step.Add("metric", Metric(turn));
  // A turn's own prompt replaces the whole pair (formats.md 2.7).
  const json::Raw& prompt = turn.prompt.has_value() ? turn.prompt : document.prompt;
  for (const auto& [member, side] :
       {std::pair{"system_prompt", "system"}, std::pair{"user_content", "user"}}) {
    const json::Raw text = FindMember(prompt, side);
    step.Add(member, text.is_string() ? Cell(text) : "\"\"");
  }
  step.Add("tools", tools);
  step.Add("observation", observation);
  const std::string started = TimeText(turn.timestamp);
  std::string finished = TimeText(turn.finished_at);
  finished = finished.empty() ? started : finished;
  step.Add("started_at", started.empty() ? kEpoch : started);
  step.Add("finished_at", finished.empty() ? kEpoch : finished);
  return step.Finish();
}

std::string AttemptWriter::Content(const Turn& turn) {
  if (turn.message.is_string()) {
    return std::string(Cell(turn.message));
  }
  if (!turn.message.has_value()) {
    return "\"\"";
  }
  Lossy("turns.msg");
  const std::optional<std::string_view> text = MessageText(turn.message, arena_);
  return Quoted(text.value_or(std::string_view()));
}

std::string AttemptWriter::Metric(const Turn& turn) {
  const json::Raw& metrics = turn.metrics;
  if (metrics.has_value() && metrics.kind != Kind::kObject) {
    if (same_format_) {
      return std::string(Cell(metrics));
    }
    Lossy("turns.metrics");
  }
  std::string text;
  const auto add = [&text](std::string_view quoted_key, std::string_view value) {
    text += text.empty() ? '{' : ',';
    text += quoted_key;
    text += ':';
    text += value;
  };
  for (RawMembers members(metrics); members.Next();) {
    add(members.quoted_key(), Cell(members.value()));
  }
  const auto otherwise = [&](std::string_view key, std::initializer_list<std::string_view> names,
                             std::string_view last) {
    if (FindMember(metrics, key).present()) {
      return;
    }
    std::string_view value = last;
    for (const std::string_view name : names) {
      if (const json::Raw found = FindMember(metrics, name); found.has_value()) {
        value = Cell(found);
        break;
      }
    }
    add(Quoted(key), value);
  };
  const std::string latency = turn.latency_ms ? std::to_string(*turn.latency_ms) : "null";
  otherwise("prompt_tokens_len", {"prompt_tokens"}, "0");
  otherwise("completion_tokens_len", {"completion_tokens"}, "0");
  otherwise("llm_infer_ms", {"total_latency_ms", "latency_ms"}, latency);
  otherwise("env_action_ms", {}, "null");
  otherwise("stop_reason", {"finish_reason"}, "null");
  return text + '}';
}

Status AttemptWriter::WriteTools(const Turn& turn, const std::string& pointer, FieldSlots& slots,
                                 std::string& out) {
  out += '[';
  for (size_t i = 0; i < turn.calls.size(); ++i) {
    const std::string index = std::to_string(i);
    out += i == 0 ? "" : ",";
    PCHRONICLE_RETURN_IF_ERROR(WriteTool(turn.calls[i], pointer + "/tools/" + index,
                                         pointer + "/assistant_content/tool_calls/" + index, slots,
                                         out));
  }
  out += ']';
  return Status::Ok();
}

/// `tools` and `assistant_content.tool_calls` are the same array, so a residual of either is
/// written to both.
Status AttemptWriter::WriteTool(const ToolCall& call, const std::string& pointer,
                                const std::string& twin, FieldSlots& slots, std::string& out) {
  SlottedObject tool(out, slots, pointer);
  tool.AddPlace(slots, twin);
  const std::string_view type = call.kind && !call.kind->empty()
                                    ? *call.kind
                                    : (call.function == kCommandType ? kCommandType : "tool_use");
  const bool is_command = type == kCommandType;
  const json::Raw command = FindMember(call.arguments, "command");
  size_t members = 0;
  for (RawMembers each(call.arguments); each.Next();) {
    ++members;
  }
  const bool command_says_all = is_command && command.has_value() && members == 1;
  tool.Add("id", Quoted(call.id));
  tool.Add("type", Quoted(type));
  if (!is_command || call.function != type) {
    tool.Add("name", Quoted(call.function));
  }
  if (command_says_all) {
    tool.Add("command", Cell(command));
  } else {
    tool.Add("input", call.arguments.present() ? Cell(call.arguments) : "null");
  }
  if (call.result.has_value()) {
    if (is_command || same_format_) {
      tool.Add("aggregated_output", Cell(call.result));
    } else {
      Lossy("tool_calls.result");
    }
  }
  if (const json::Raw status = FindMember(call.response, "status"); status.has_value()) {
    tool.Add("status", Cell(status));
  }
  if (const json::Raw exit_code = FindMember(call.response, "exit_code"); exit_code.has_value()) {
    tool.Add("exit_code", Cell(exit_code));
  }
  return tool.Finish();
}

Status AttemptWriter::WriteObservation(const Turn& turn, const std::string& pointer,
                                       FieldSlots& slots, std::string& out) {
  if (!turn.observation.has_value()) {
    out += "[]";
    return Status::Ok();
  }
  const json::Raw results = FindMember(turn.observation, "results");
  out += '[';
  if (results.kind != Kind::kArray) {
    // An observation of another shape becomes the content of one result.
    Lossy("turns.observation");
    out += "{\"content\":";
    out += Cell(turn.observation);
    out += "}]";
    return Status::Ok();
  }
  for (RawMembers members(turn.observation); members.Next();) {
    if (!members.KeyIs("results")) {
      Lossy("turns.observation");
      break;
    }
  }
  size_t index = 0;
  for (RawElements elements(results); elements.Next(); ++index) {
    out += index == 0 ? "" : ",";
    if (elements.value().kind == Kind::kObject) {
      PCHRONICLE_RETURN_IF_ERROR(
          WriteResult(elements.value(), pointer + "/" + std::to_string(index), slots, out));
    } else {
      out += Cell(elements.value());
    }
  }
  out += ']';
  return Status::Ok();
}

/// The link goes back to the member that held it, the content to `aggregated_output` where it came
/// from there.
Status AttemptWriter::WriteResult(const json::Raw& result, const std::string& pointer,
                                  FieldSlots& slots, std::string& out) {
  const json::Raw link = FindMember(result, "source_call_id");
  const bool linked = link.is_string();
  const bool has_use_id = FindMember(result, "tool_use_id").present();
  const bool has_id = FindMember(result, "id").present();
  const json::Raw type = FindMember(result, "type");
  const json::Raw content = FindMember(result, "content");
  const json::Raw output = FindMember(result, "aggregated_output");
  const bool is_command = TextIs(type, kCommandType);
  const bool moves = content.present() && (output.has_value() || (is_command && !same_format_));

  std::vector<FieldSlots::Slot>* place = slots.Find(pointer);
  std::string text;
  const auto add = [&text](std::string_view quoted_key, std::string_view value) {
    text += text.empty() ? '{' : ',';
    text += quoted_key;
    text += ':';
    text += value;
  };
  for (RawMembers members(result); members.Next();) {
    if (linked && members.KeyIs("source_call_id")) {
      continue;
    }
    if (moves && members.KeyIs("content")) {
      continue;
    }
    const bool holds_link = linked && ((has_use_id && members.KeyIs("tool_use_id")) ||
                                       (!has_use_id && has_id && members.KeyIs("id")));
    const bool holds_output = moves && is_command && members.KeyIs("aggregated_output");
    add(members.quoted_key(), Cell(holds_link ? link : holds_output ? content : members.value()));
  }
  if (linked && !has_use_id && !has_id) {
    add("\"tool_use_id\"", Cell(link));
  }
  if (moves && !output.present()) {
    add("\"aggregated_output\"", Cell(content));
  }
  if (linked && !type.present()) {
    add("\"type\"", "\"tool_result\"");
  }
  if (place != nullptr) {
    for (FieldSlots::Slot& slot : *place) {
      slot.used = true;
      add(Quoted(slot.key), slot.value);
    }
  }
  out += text.empty() ? "{" : text;
  out += '}';
  return Status::Ok();
}

/// What an attempt has no place for (formats.md 9.4); nothing of it is put elsewhere.
void AttemptWriter::CountLossy(const Storyline& storyline) {
  const Document& document = storyline.document;
  const auto count = [this](std::string_view field, bool present) {
    if (present) {
      Lossy(field);
    }
  };
  count("trajectory", document.trajectory_id.has_value());
  count("agent", document.agent_id != "actf-agent" && !document.agent_id.empty());
  count("agent.model", document.agent_model.has_value());
  count("agent.tools", document.agent_tools.has_value());
  count("agent.extra", document.agent_extra.has_value());
  count("parent", document.parent.has_value());
  count("children", document.children.has_value());
  count("notes", document.notes.has_value());
  count("continued_trajectory_ref", document.continued_ref.has_value());
  count("task.env", FindMember(document.task, "env").has_value());
  for (RawMembers members(document.final_metrics); members.Next();) {
    const bool kept = members.KeyIs("analysis_result") || members.KeyIs("task_correct") ||
                      members.KeyIs("correct") || members.KeyIs("status") ||
                      members.KeyIs("score") || members.KeyIs("max_score");
    count("final_metrics", !kept);
  }
  for (const Turn& turn : storyline.turns) {
    count("turns.src", turn.source != "agent");
    count("turns.effort", turn.effort.has_value());
    count("turns.model", turn.model.has_value());
    count("turns.nllm", turn.llm_calls.has_value() && *turn.llm_calls != 1);
    count("turns.copied", turn.copied.has_value());
    count("turns.ttft_ms", turn.ttft_ms.has_value());
    count("turns.extra", turn.extra.has_value());
    count("turns.env", turn.env.has_value());
    for (const ToolCall& call : turn.calls) {
      count("tool_calls.extra", call.extra.has_value());
      count("tool_calls.duration_ms",
            call.duration_ms.has_value() &&
                (turn.calls.size() != 1 || !FindMember(turn.metrics, "env_action_ms").has_value()));
    }
  }
}

}  // namespace pchronicle::model::actf
