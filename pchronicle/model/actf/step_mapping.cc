#include <array>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "pchronicle/json/compare.h"
#include "pchronicle/model/actf/step_parts.h"
#include "pchronicle/model/actf/step_reader.h"
#include "pchronicle/model/compose.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::actf {
namespace {

using json::Kind;

/// The members of `metric` that the hub always has (formats.md 5.2), in its order.
constexpr std::array<std::string_view, 5> kCoreMetrics{
    "prompt_tokens_len", "completion_tokens_len", "llm_infer_ms", "env_action_ms", "stop_reason"};

constexpr json::Raw kEmptyText{R"("")", Kind::kString, 0};

}  // namespace

Status StepReader::Fill(Parts* parts) {
  turn_.id = parts->step_id;
  PCHRONICLE_RETURN_IF_ERROR(CheckStepId());
  turn_.timestamp = members_.ReadTimestamp("started_at", parts->started_at);
  turn_.finished_at = members_.ReadTimestamp("finished_at", parts->finished_at);
  members_.SetBase(step_pointer_ + "/assistant_content");
  turn_.message = kEmptyText;
  if (parts->content.has_value()) {
    if (parts->content.is_string()) {
      turn_.message = members_.ReadAny("content", parts->content);
    } else {
      members_.Bad("content", parts->content);
    }
  }
  turn_.reasoning = members_.ReadText("reasoning_content", parts->reasoning);
  if (turn_.reasoning && turn_.reasoning->empty()) {
    turn_.reasoning.reset();
  }
  members_.SetBase(step_pointer_);

  PCHRONICLE_RETURN_IF_ERROR(FillCalls(parts));
  PCHRONICLE_RETURN_IF_ERROR(FillMetrics(*parts));
  if (turn_.had_observation && wants_.observation) {
    const Status composed = results_.Compose(parts->observation, turn_.calls, turn_.id,
                                             {wants_.strict, wants_.checks, residuals_ != nullptr},
                                             members_, arena_, &turn_.observation);
    if (!composed.ok()) {
      return Invalid("observation", error_offset_, composed);
    }
  }
  if (!wants_.prompt) {
    return Status::Ok();
  }
  for (const auto& [key, side] : {std::pair{"system_prompt", &parts->prompt.system},
                                  std::pair{"user_content", &parts->prompt.user}}) {
    if (side->has_value() && !side->is_string()) {
      members_.Bad(key, *side);
    } else {
      *side = members_.ReadAny(key, *side);
    }
  }
  switch (prompts_.Judge(parts->prompt)) {
    case PromptPairs::Verdict::kSame:
      break;
    case PromptPairs::Verdict::kOwn:
      turn_.prompt = wants_.turn_prompt ? PromptPairs::Object(parts->prompt, arena_) : json::Raw();
      break;
    case PromptPairs::Verdict::kCleared:
      turn_.prompt = PromptPairs::Clear();
      break;
    case PromptPairs::Verdict::kUndecided:
      undecided_ = true;
      break;
  }
  return Status::Ok();
}

Status StepReader::FillCalls(Parts* parts) {
  PCHRONICLE_RETURN_IF_ERROR(CompareTools(parts));
  std::string_view place = "/tools/";
  if (!parts->has_tools && parts->has_tool_calls) {
    PCHRONICLE_RETURN_IF_ERROR(UseToolCalls(*parts));
    place = "/assistant_content/tool_calls/";
  }
  turn_.call_count = tools_.count();
  turn_.had_tool_calls = turn_.call_count > 0;
  if (turn_.had_tool_calls) {
    turn_.kind = "autonomous";
  }
  if (!wants_.calls) {
    return Status::Ok();
  }
  const bool both = parts->has_tools && parts->has_tool_calls;
  for (size_t i = 0; i < turn_.call_count; ++i) {
    const std::string index = std::to_string(i);
    members_.SetBase(step_pointer_ + std::string(place) + index);
    const Status mapped = tools_.Map(i, turn_.id, members_, arena_, &turn_.calls.emplace_back());
    if (!mapped.ok()) {
      return Invalid("", error_offset_, mapped);
    }
    if (residuals_ != nullptr) {
      tools_.AddResiduals(i, members_);
      if (both) {
        members_.SetBase(step_pointer_ + "/assistant_content/tool_calls/" + index);
        tools_.AddResiduals(i, members_);
      }
    }
  }
  members_.SetBase(step_pointer_);
  return CheckCallIds();
}

Status StepReader::UseToolCalls(const Parts& parts) {
  std::string_view text = parts.tool_calls.text;
  if (text.empty()) {
    Result<std::string_view> bytes =
        bytes_.Text(parts.tool_calls_begin, parts.tool_calls_end, arena_);
    if (!bytes.ok()) {
      return Invalid("assistant_content", parts.tool_calls_begin, bytes.status());
    }
    text = *bytes;
  }
  json::Cursor cursor(text, parts.tool_calls_begin);
  return tools_.ReadArray(cursor, arena_) ? Status::Ok() : CursorError(cursor);
}

/// `tools` counts when the two disagree; the other array is then kept as a residual.
Status StepReader::CompareTools(Parts* parts) {
  if (!wants_.compare_tools || !parts->has_tools || !parts->has_tool_calls ||
      parts->tools.text == parts->tool_calls.text ||
      json::SameMeaning(parts->tools.text, parts->tool_calls.text)) {
    return Status::Ok();
  }
  if (wants_.strict) {
    return Invalid("assistant_content/tool_calls", parts->tool_calls_begin,
                   Status::InvalidArgument(
                       "ACTF step {} assistant_content.tool_calls must equal tools", turn_.id));
  }
  members_.SetBase(step_pointer_ + "/assistant_content");
  members_.Note("tool_calls_differ", "tool_calls");
  members_.Unknown("tool_calls", parts->tool_calls);
  members_.SetBase(step_pointer_);
  parts->has_tool_calls = false;
  return Status::Ok();
}

Status StepReader::FillMetrics(const Parts& parts) {
  json::Raw llm = parts.llm_infer_ms;
  json::Raw env = parts.env_action_ms;
  if (parts.metric.kind == Kind::kObject) {
    uint32_t found = 0;
    json::Raw wrong;
    for (RawMembers members(parts.metric); members.Next();) {
      for (size_t i = 0; i < kCoreMetrics.size(); ++i) {
        if (members.KeyIs(kCoreMetrics[i])) {
          found |= 1U << i;
          const json::Raw& value = members.value();
          llm = i == 2 ? value : llm;
          env = i == 3 ? value : env;
          if (i < 4 && value.has_value() && value.kind != Kind::kNumber) {
            wrong = value;
          }
        }
      }
    }
    if (wrong.present()) {
      if (wants_.strict) {
        return Invalid(
            "metric", error_offset_,
            Status::InvalidArgument(
                "ACTF step {} token and latency metrics must be numbers or null", turn_.id));
      }
      members_.Note("bad_value", "metric", wrong.text.substr(0, 80));
    }
    turn_.metrics = members_.ReadAny("metric", parts.metric);
    if (found != (1U << kCoreMetrics.size()) - 1) {
      std::string text(json::CellText(parts.metric, json::Surrogates::kKeep, arena_));
      text.pop_back();
      for (size_t i = 0; i < kCoreMetrics.size(); ++i) {
        if ((found & (1U << i)) == 0) {
          text += text.size() == 1 ? "\"" : ",\"";
          text += kCoreMetrics[i];
          text += "\":null";
        }
      }
      text += '}';
      turn_.metrics = RawOf(text, Kind::kObject, CellFlags(parts.metric), arena_);
    }
  } else if (parts.metric.has_value()) {
    // No row can be told from it, but the value stays (BR-05).
    members_.Note("bad_value", "metric", parts.metric.text.substr(0, 80));
    turn_.metrics = members_.ReadAny("metric", parts.metric);
  }
  turn_.latency_ms = MillisecondsOf(llm);
  if (turn_.calls.size() == 1) {
    turn_.calls[0].duration_ms = MillisecondsOf(env);
  }
  return Status::Ok();
}

/// Odd ids stay as given (D8); only strict validation refuses them.
Status StepReader::CheckStepId() {
  if (wants_.checks) {
    const bool increases = turn_.id >= 1 && (!has_previous_id_ || turn_.id > previous_id_);
    if (!increases && wants_.strict) {
      return Invalid(
          "step_id", error_offset_,
          Status::InvalidArgument("ACTF step_id {} is not strictly increasing", turn_.id));
    }
    if (!increases) {
      members_.Note(has_previous_id_ && turn_.id == previous_id_ ? "duplicate_step_id"
                                                                 : "non_monotonic_step_id",
                    "step_id", std::to_string(turn_.id));
    }
  }
  has_previous_id_ = true;
  previous_id_ = turn_.id;
  return Status::Ok();
}

Status StepReader::CheckCallIds() {
  if (!wants_.checks) {
    return Status::Ok();
  }
  std::unordered_set<std::string_view> step_ids;
  for (const ToolCall& call : turn_.calls) {
    if (!step_ids.insert(call.id).second && wants_.strict) {
      return Invalid("tools", error_offset_,
                     Status::InvalidArgument("duplicate ACTF tool call id '{}'", call.id));
    }
    if (!call_ids_.emplace(call.id).second) {
      members_.Note("duplicate_tool_call_id", "tools", call.id);
    }
  }
  return Status::Ok();
}

}  // namespace pchronicle::model::actf
