#include "pchronicle/model/actf/step_reader.h"

#include <array>
#include <utility>

#include "pchronicle/model/actf/record_head.h"
#include "pchronicle/model/actf/step_parts.h"
#include "pchronicle/model/compose.h"

namespace pchronicle::model::actf {
namespace {

using json::Kind;

uint32_t StepMemberOf(std::string_view key) {
  for (const auto& [name, bit] : kStepMembers) {
    if (key == name) {
      return bit;
    }
  }
  return 0;
}

}  // namespace

void StepReader::Begin(const Document& document, std::string pointer, ResidualBuilder* residuals,
                       DocumentSink* sink) {
  document_ = &document;
  residuals_ = residuals;
  sink_ = sink;
  steps_pointer_ = std::move(pointer);
  prompts_.Reset();
  call_ids_.clear();
  has_previous_id_ = false;
}

Status StepReader::Invalid(std::string_view member, uint64_t offset, Status status) {
  error_offset_ = offset;
  error_pointer_ = step_pointer_;
  if (!member.empty()) {
    error_pointer_ += '/';
    error_pointer_ += member;
  }
  return status;
}

Status StepReader::CursorError(const json::Cursor& cursor) {
  return Invalid("", cursor.error_offset(), cursor.status());
}

Status StepReader::Read(json::Cursor& cursor, int64_t ordinal) {
  arena_.Reset();
  std::vector<ToolCall> calls = std::move(turn_.calls);  // keeps its room
  turn_ = {};
  turn_.calls = std::move(calls);
  turn_.calls.clear();
  turn_.ordinal = ordinal;
  turn_.source = "agent";
  turn_.llm_calls = 1;
  undecided_ = false;
  step_pointer_ = steps_pointer_ + "/" + std::to_string(ordinal);
  members_.SetTarget({document_, residuals_, &arena_, sink_});
  members_.SetBase(step_pointer_);
  tools_.Clear();

  const bool is_object = cursor.Peek() == Kind::kObject;
  const uint64_t begin = cursor.offset();
  if (!cursor.ok()) {
    return CursorError(cursor);
  }
  error_offset_ = begin;  // where a finding without a place of its own is told
  if (!is_object) {
    return Invalid("", begin, Status::InvalidArgument("an ACTF step must be an object"));
  }
  Parts parts;
  PCHRONICLE_RETURN_IF_ERROR(ReadMembers(cursor, &parts));
  PCHRONICLE_RETURN_IF_ERROR(CheckRequired(parts, begin));
  return Fill(&parts);
}

Status StepReader::ReadMembers(json::Cursor& cursor, Parts* parts) {
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    PCHRONICLE_RETURN_IF_ERROR(ReadMember(cursor, key, parts));
    if (!cursor.ok()) {
      break;
    }
  }
  return cursor.ok() ? Status::Ok() : CursorError(cursor);
}

Status StepReader::ReadMember(json::Cursor& cursor, std::string_view key, Parts* parts) {
  const uint32_t member = StepMemberOf(key);
  if ((parts->seen & member) != 0) {
    members_.Note("duplicate_key", std::string(key));
  }
  parts->seen |= member;
  switch (member) {
    case kStepId:
      return ReadStepId(cursor, parts);
    case kAssistantContent:
      return ReadContent(cursor, parts);
    case kMetric:
      return ReadMetric(cursor, parts);
    case kSystemPrompt:
      wants_.prompt ? cursor.Capture(&parts->prompt.system) : cursor.Skip();
      return Status::Ok();
    case kUserContent:
      wants_.prompt ? cursor.Capture(&parts->prompt.user) : cursor.Skip();
      return Status::Ok();
    case kTools:
      return ReadTools(cursor, parts);
    case kObservation:
      return ReadObservation(cursor, parts);
    case kStartedAt:
      return ReadTime(cursor, "started_at", wants_.started || wants_.checks, &parts->started_at);
    case kFinishedAt:
      return ReadTime(cursor, "finished_at", wants_.finished || wants_.checks, &parts->finished_at);
    default:
      break;
  }
  if (!wants_.residuals) {
    cursor.Skip();
    return Status::Ok();
  }
  const std::string name(key);
  json::Raw raw;
  if (cursor.Capture(&raw)) {
    members_.Unknown(name, raw);
  }
  return Status::Ok();
}

Status StepReader::ReadStepId(json::Cursor& cursor, Parts* parts) {
  json::Raw raw;
  const uint64_t at = cursor.offset();
  if (!cursor.Capture(&raw)) {
    return CursorError(cursor);
  }
  if (json::ToInt64(raw, &parts->step_id)) {
    return Status::Ok();
  }
  const std::optional<int64_t> value =
      raw.is_string() && !wants_.strict ? members_.ReadInt("step_id", raw) : std::nullopt;
  if (!value) {
    return Invalid("step_id", at, Status::InvalidArgument("ACTF step_id must be an integer"));
  }
  parts->step_id = *value;
  return Status::Ok();
}

/// Required text, so its kind is checked even when nobody asks for it.
Status StepReader::ReadTime(json::Cursor& cursor, std::string_view key, bool wanted,
                            json::Raw* out) {
  const Kind kind = cursor.Peek();
  const uint64_t at = cursor.offset();
  if (kind == Kind::kString) {
    json::Raw raw;
    if (!cursor.Capture(&raw)) {
      return CursorError(cursor);
    }
    if (!IsBlank(raw.text.substr(1, raw.text.size() - 2))) {
      *out = wanted ? raw : json::Raw();
      return Status::Ok();
    }
  } else if (!cursor.Skip()) {
    return CursorError(cursor);
  }
  return Invalid(key, at, Status::InvalidArgument("ACTF step {} is required", key));
}

Status StepReader::ReadContent(json::Cursor& cursor, Parts* parts) {
  const bool is_object = cursor.Peek() == Kind::kObject;
  const uint64_t at = cursor.offset();
  if (!is_object) {
    cursor.Skip();
    return cursor.ok()
               ? Invalid("assistant_content", at,
                         Status::InvalidArgument("ACTF step assistant_content must be an object"))
               : CursorError(cursor);
  }
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    bool done;
    if (key == "content") {
      done = wants_.message ? cursor.Capture(&parts->content) : cursor.Skip();
    } else if (key == "reasoning_content") {
      done = wants_.reasoning ? cursor.Capture(&parts->reasoning) : cursor.Skip();
    } else if (key == "tool_calls") {
      PCHRONICLE_RETURN_IF_ERROR(ReadToolCalls(cursor, parts));
      done = cursor.ok();
    } else if (wants_.residuals) {
      const std::string name(key);
      json::Raw raw;
      done = cursor.Capture(&raw);
      if (done) {
        members_.SetBase(step_pointer_ + "/assistant_content");
        members_.Unknown(name, raw);
        members_.SetBase(step_pointer_);
      }
    } else {
      done = cursor.Skip();
    }
    if (!done) {
      return CursorError(cursor);
    }
  }
  return cursor.ok() ? Status::Ok() : CursorError(cursor);
}

/// Nearly always a copy of `tools`, so its place is remembered and it is read only if `tools` turns
/// out empty.
Status StepReader::ReadToolCalls(json::Cursor& cursor, Parts* parts) {
  const Kind kind = cursor.Peek();
  parts->tool_calls_begin = cursor.offset();
  parts->has_tool_calls = false;
  if (kind == Kind::kArray && !wants_.compare_tools) {
    const uint32_t depth = cursor.depth();
    cursor.BeginArray();
    if (cursor.NextElement()) {
      parts->has_tool_calls = cursor.SkipToDepth(depth);
    }
  } else if (wants_.compare_tools) {
    json::Raw raw;
    if (cursor.Capture(&raw)) {
      parts->has_tool_calls = kind == Kind::kArray && !IsEmptyValue(raw);
      parts->tool_calls = raw;
      if (kind != Kind::kArray && kind != Kind::kNull) {
        members_.SetBase(step_pointer_ + "/assistant_content");
        members_.Bad("tool_calls", raw);
        members_.SetBase(step_pointer_);
      }
    }
  } else {
    cursor.Skip();
  }
  parts->tool_calls_end = cursor.offset();
  return cursor.ok() ? Status::Ok() : CursorError(cursor);
}

Status StepReader::ReadTools(json::Cursor& cursor, Parts* parts) {
  const Kind kind = cursor.Peek();
  parts->tools_offset = cursor.offset();
  tools_.Clear();
  if (kind == Kind::kArray && !wants_.compare_tools) {
    tools_.ReadArray(cursor, arena_);
  } else if (wants_.compare_tools) {
    json::Raw raw;
    if (cursor.Capture(&raw) && kind == Kind::kArray) {
      parts->tools = raw;
      json::Cursor inner(raw.text, parts->tools_offset);
      if (!tools_.ReadArray(inner, arena_)) {
        return CursorError(inner);
      }
    } else if (cursor.ok() && kind != Kind::kNull) {
      members_.Bad("tools", raw);
    }
  } else {
    cursor.Skip();
  }
  parts->has_tools = tools_.count() > 0;
  return cursor.ok() ? Status::Ok() : CursorError(cursor);
}

Status StepReader::ReadMetric(json::Cursor& cursor, Parts* parts) {
  const Kind kind = cursor.Peek();
  const uint64_t at = cursor.offset();
  if (kind == Kind::kNull || (kind != Kind::kObject && wants_.strict)) {
    cursor.Skip();
    return cursor.ok() ? Invalid("metric", at,
                                 Status::InvalidArgument("ACTF step metric must be an object"))
                       : CursorError(cursor);
  }
  if (wants_.metrics) {
    cursor.Capture(&parts->metric);
  } else if (wants_.latency && kind == Kind::kObject) {
    cursor.BeginObject();
    for (std::string_view key; cursor.NextKey(&key);) {
      const bool done = key == "llm_infer_ms"    ? cursor.Capture(&parts->llm_infer_ms)
                        : key == "env_action_ms" ? cursor.Capture(&parts->env_action_ms)
                                                 : cursor.Skip();
      if (!done) {
        break;
      }
    }
  } else {
    cursor.Skip();
  }
  return cursor.ok() ? Status::Ok() : CursorError(cursor);
}

Status StepReader::ReadObservation(json::Cursor& cursor, Parts* parts) {
  const Kind kind = cursor.Peek();
  turn_.had_observation = false;
  parts->observation = {};
  if (wants_.observation) {
    json::Raw raw;
    if (cursor.Capture(&raw)) {
      if (kind == Kind::kArray) {
        turn_.had_observation = !IsEmptyValue(raw);
        parts->observation = raw;
      } else if (kind != Kind::kNull) {
        members_.Bad("observation", raw);
      }
    }
  } else if (kind == Kind::kArray) {
    const uint32_t depth = cursor.depth();
    cursor.BeginArray();
    if (cursor.NextElement()) {
      turn_.had_observation = cursor.SkipToDepth(depth);
    }
  } else {
    cursor.Skip();
  }
  return cursor.ok() ? Status::Ok() : CursorError(cursor);
}

Status StepReader::CheckRequired(const Parts& parts, uint64_t begin) {
  for (const uint32_t member : {kStepId, kAssistantContent, kMetric, kStartedAt, kFinishedAt}) {
    if ((parts.seen & member) == 0) {
      for (const auto& [name, bit] : kStepMembers) {
        if (bit == member) {
          return Invalid(name, begin, Status::InvalidArgument("ACTF step {} is required", name));
        }
      }
    }
  }
  return Status::Ok();
}

bool StepReader::ReadPair(json::Cursor& cursor, PromptPair* pair) {
  *pair = {};
  if (cursor.Peek() != Kind::kObject) {
    return cursor.Skip();
  }
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    const bool done = key == "system_prompt"  ? cursor.Capture(&pair->system)
                      : key == "user_content" ? cursor.Capture(&pair->user)
                                              : cursor.Skip();
    if (!done) {
      return false;
    }
  }
  return cursor.ok();
}

}  // namespace pchronicle::model::actf
