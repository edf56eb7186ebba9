#include "pchronicle/app/sample_data.h"

#include <array>

#include "pchronicle/app/durable_file.h"

namespace pchronicle::app {
namespace {

constexpr std::string_view kAtif = R"({
  "schema_version": "ATIF-v1.6",
  "session_id": "support-001",
  "agent": {"name": "support-agent", "version": "1.2.0", "model_name": "sample-model-1"},
  "steps": [
    {"step_id": 1, "timestamp": "2026-01-02T03:04:05Z", "source": "user",
     "message": "The deployment of the API hangs since noon. Is it a timeout?"},
    {"step_id": 2, "timestamp": "2026-01-02T03:04:07.250Z", "source": "agent", "model_name": "sample-model-1",
     "message": "I ask for its status first.",
     "reasoning_content": "A status call is cheap and rules out half of the causes.",
     "tool_calls": [{"tool_call_id": "call_1", "function_name": "deployment_status", "arguments": {"service": "api"}}],
     "observation": {"results": [{"source_call_id": "call_1", "content": "api: 2 of 3 replicas, waiting for quota"}]},
     "metrics": {"prompt_tokens": 120, "completion_tokens": 31, "cached_tokens": 20, "cost_usd": 0.0021}},
    {"step_id": 3, "timestamp": "2026-01-02T03:04:09Z", "source": "agent", "model_name": "sample-model-1",
     "message": "No timeout: the third replica waits for quota. Raise the quota and the deployment goes on.",
     "metrics": {"prompt_tokens": 190, "completion_tokens": 42, "cached_tokens": 120, "cost_usd": 0.0017}}
  ],
  "final_metrics": {"total_prompt_tokens": 310, "total_completion_tokens": 73, "total_steps": 3}
}
)";

constexpr std::string_view kActf = R"({
  "task_id": "repair-build-7", "category": "code", "k": 1, "correct": true, "attempts_tried": 1, "solved_at": "1",
  "attempts": {"1": {
    "correct": true, "status": "completed", "error": null, "final_answer": "fixed", "ground_truth": "fixed", "score": 1.0,
    "trajectory": {
      "schema_version": "ACTF_v1.0",
      "started_at": "2026-01-01 00:00:00+00:00", "finished_at": "2026-01-01 00:01:00+00:00",
      "steps": [
        {"step_id": 1, "started_at": "2026-01-01 00:00:00+00:00", "finished_at": "2026-01-01 00:00:30+00:00",
         "system_prompt": "You repair builds.", "user_content": "The build fails. Fix it.",
         "assistant_content": {"content": "I run the build.", "reasoning_content": null, "tool_calls": null},
         "tools": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}],
         "observation": [{"type": "tool_result", "tool_use_id": "t1", "content": "main.c:3: missing ';'"}],
         "metric": {"prompt_tokens_len": 50, "completion_tokens_len": 12, "llm_infer_ms": 900, "env_action_ms": 25, "stop_reason": "tool_use"}},
        {"step_id": 2, "started_at": "2026-01-01 00:00:30+00:00", "finished_at": "2026-01-01 00:01:00+00:00",
         "system_prompt": "You repair builds.", "user_content": "The build fails. Fix it.",
         "assistant_content": {"content": "Line 3 lacked a semicolon; it builds now.", "reasoning_content": null, "tool_calls": null},
         "tools": null, "observation": null,
         "metric": {"prompt_tokens_len": 80, "completion_tokens_len": 15, "llm_infer_ms": 700, "env_action_ms": null, "stop_reason": "end_turn"}}
      ]}}}
}
)";

constexpr std::string_view kOpenAi =
    R"({"session_id": "chat-1", "step_id": 1, "run_id": "nightly", "agent_name": "tutor", "messages": [{"role": "user", "content": "What is 12 * 12?"}], "response": {"role": "assistant", "content": "144."}}
{"session_id": "chat-2", "step_id": 1, "run_id": "nightly", "agent_name": "tutor", "messages": [{"role": "user", "content": "Name a prime above 100."}], "response": {"role": "assistant", "content": "101."}}
)";

constexpr std::array<SampleFile, 3> kFiles = {{{"atif/support-ticket.json", kAtif},
                                               {"actf/repair-build.actf.json", kActf},
                                               {"openai/nightly.jsonl", kOpenAi}}};

}  // namespace

std::span<const SampleFile> SampleFiles() { return kFiles; }

Status WriteSamples(const std::string& folder) {
  for (const SampleFile& file : kFiles) {
    PCHRONICLE_RETURN_IF_ERROR(ReplaceFile(folder + "/" + std::string(file.path), file.text, 0644));
  }
  return Status::Ok();
}

}  // namespace pchronicle::app
