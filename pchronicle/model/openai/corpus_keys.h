#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pchronicle::model::openai {

/// Members of a corpus row that have a meaning (formats.md 4.1, 4.8).
enum class RowKey : uint8_t {
  kSessionId,
  kStepId,
  kMessages,
  kResponse,
  kCreatedAt,
  kAgentId,
  kAgentModel,
  kLlmModel,
  kRunId,
  kRunBucket,
  kJobId,
  kEnvName,
  kDatasetType,
  kDt,
  kId,
  kEnvId,
  // Row metrics, in the order of the cell that they make.
  kReward,
  kStepReward,
  kIsTerminal,
  kIsTruncated,
  kIsSessionCompleted,
  kIsTrainable,
  kMetaJson,
  kMessagesJson,
  kResponseJson,
  kTools,
  // Dropped when null or an empty container.
  kBlobManifest,
  kChosenResponse,
  kRejectedResponse,
  kGroundTruthAnswer,
  kReferenceAnswer,
};
inline constexpr size_t kRowKeyCount = static_cast<size_t>(RowKey::kReferenceAnswer) + 1;
inline constexpr RowKey kFirstRowMetric = RowKey::kReward;
inline constexpr RowKey kLastRowMetric = RowKey::kIsTrainable;
inline constexpr RowKey kFirstDroppedWhenEmpty = RowKey::kBlobManifest;

std::string_view RowKeyName(RowKey key);
std::optional<RowKey> FindRowKey(std::string_view name);
bool IsRowMetric(std::string_view name);

/// Members of `meta_json.env_state` that are metrics of the response (formats.md 4.7), in cell
/// order.
std::span<const std::string_view> StateMetrics();
bool IsStateMetric(std::string_view name);

/// Members of `env_state` that are stable over a session and live in `task.env.state`.
inline constexpr std::array<std::string_view, 3> kStateFromEnvState = {
    "redaction_policy", "upstream_base_url", "weight_version"};

/// Content part types that make a text with JSON in it a structure (formats.md 4.1).
bool IsKnownPartType(std::string_view type);

/// Name of this format inside Storylines.
inline constexpr std::string_view kHubName = "openai-msg";

}  // namespace pchronicle::model::openai
