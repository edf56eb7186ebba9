#include "pchronicle/model/openai/corpus_keys.h"

#include <algorithm>

namespace pchronicle::model::openai {
namespace {

constexpr std::array<std::string_view, kRowKeyCount> kRowKeys = {"session_id",
                                                                 "step_id",
                                                                 "messages",
                                                                 "response",
                                                                 "created_at",
                                                                 "agent_id",
                                                                 "agent_model",
                                                                 "llm_model",
                                                                 "run_id",
                                                                 "run_bucket",
                                                                 "job_id",
                                                                 "env_name",
                                                                 "dataset_type",
                                                                 "dt",
                                                                 "id",
                                                                 "env_id",
                                                                 "reward",
                                                                 "step_reward",
                                                                 "is_terminal",
                                                                 "is_truncated",
                                                                 "is_session_completed",
                                                                 "is_trainable",
                                                                 "meta_json",
                                                                 "messages_json",
                                                                 "response_json",
                                                                 "tools",
                                                                 "blob_manifest",
                                                                 "chosen_response",
                                                                 "rejected_response",
                                                                 "ground_truth_answer",
                                                                 "reference_answer"};

constexpr std::array<std::string_view, 27> kStateMetrics = {
    "prompt_tokens",       "completion_tokens",
    "total_tokens",        "request_bytes",
    "response_bytes",      "output_bytes",
    "output_chunk_count",  "finish_reason",
    "status_code",         "retry_count",
    "upstream_latency_ms", "gateway_overhead_ms",
    "total_latency_ms",    "ttft_ms",
    "truncate_reason",     "error_type",
    "error_text",          "client_cancelled",
    "upstream_cancelled",  "synthetic_stop",
    "is_truncated",        "is_session_completed",
    "max_steps",           "is_stream",
    "payload_sampled",     "created_at",
    "completed_at"};

constexpr std::array<std::string_view, 9> kPartTypes = {"text",        "image_url",   "image",
                                                        "input_text",  "output_text", "input_image",
                                                        "input_audio", "audio",       "file"};

template <typename List>
bool Contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

std::string_view RowKeyName(RowKey key) { return kRowKeys[static_cast<size_t>(key)]; }

std::optional<RowKey> FindRowKey(std::string_view name) {
  const auto it = std::find(kRowKeys.begin(), kRowKeys.end(), name);
  if (it == kRowKeys.end()) {
    return std::nullopt;
  }
  return static_cast<RowKey>(it - kRowKeys.begin());
}

bool IsRowMetric(std::string_view name) {
  const std::optional<RowKey> key = FindRowKey(name);
  return key && *key >= kFirstRowMetric && *key <= kLastRowMetric;
}

std::span<const std::string_view> StateMetrics() { return kStateMetrics; }
bool IsStateMetric(std::string_view name) { return Contains(kStateMetrics, name); }
bool IsKnownPartType(std::string_view type) { return Contains(kPartTypes, type); }

}  // namespace pchronicle::model::openai
