#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "pchronicle/json/raw.h"
#include "pchronicle/model/actf/prompt_pairs.h"
#include "pchronicle/model/actf/step_reader.h"

namespace pchronicle::model::actf {

enum StepMember : uint32_t {
  kStepId = 1,
  kAssistantContent = 2,
  kMetric = 4,
  kSystemPrompt = 8,
  kUserContent = 16,
  kTools = 32,
  kObservation = 64,
  kStartedAt = 128,
  kFinishedAt = 256,
};

inline constexpr std::array<std::pair<std::string_view, uint32_t>, 9> kStepMembers{{
    {"step_id", kStepId},
    {"assistant_content", kAssistantContent},
    {"metric", kMetric},
    {"system_prompt", kSystemPrompt},
    {"user_content", kUserContent},
    {"tools", kTools},
    {"observation", kObservation},
    {"started_at", kStartedAt},
    {"finished_at", kFinishedAt},
}};

/// Members of one step as read, before they are mapped.
struct StepReader::Parts {
  uint32_t seen = 0;
  int64_t step_id = 0;
  json::Raw started_at;
  json::Raw finished_at;
  json::Raw content;
  json::Raw reasoning;
  PromptPair prompt;
  json::Raw metric;
  json::Raw llm_infer_ms;
  json::Raw env_action_ms;
  json::Raw observation;
  json::Raw tools;  // captured when they are compared
  uint64_t tools_offset = 0;
  bool has_tools = false;  // not empty
  json::Raw tool_calls;
  uint64_t tool_calls_begin = 0;
  uint64_t tool_calls_end = 0;
  bool has_tool_calls = false;
};

}  // namespace pchronicle::model::actf
