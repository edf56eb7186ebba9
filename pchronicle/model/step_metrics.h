#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pchronicle/columnar/batch.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model {

/// What can be read from a step's `metrics` (formats.md 3.3). Bits of a mask.
enum MetricBit : uint32_t {
  kPromptTokens = 1,
  kCompletionTokens = 2,
  kCachedTokens = 4,
  kCostUsd = 8,
  kReward = 16,
  kPromptTokenIds = 32,
  kCompletionTokenIds = 64,
  kLogprobs = 128,
};
inline constexpr uint32_t kTokenCounts =
    kPromptTokens | kCompletionTokens | kCachedTokens | kCostUsd;
inline constexpr uint32_t kTokenLanes = kPromptTokenIds | kCompletionTokenIds | kLogprobs;
inline constexpr uint32_t kAllMetrics = kTokenCounts | kReward | kTokenLanes;

/// A value that has not exactly the type and range its key demands: its column is NULL, diagnostic
/// `bad_value`.
struct BadMetric {
  std::string_view pointer;  // below the metrics: `/prompt_tokens`; "" for the metrics themselves
  json::Raw value;
};

/// Typed members of one step's metrics. Views into the raw text. Reused from step to step.
struct StepMetrics {
  std::optional<int64_t> prompt_tokens;
  std::optional<int64_t> completion_tokens;
  std::optional<int64_t> cached_tokens;
  std::optional<double> cost_usd;
  std::optional<double> reward;
  json::Raw prompt_token_ids;  // has_value() or absent; not looked into yet
  json::Raw completion_token_ids;
  json::Raw logprobs;
  std::vector<BadMetric> bad;
};

/// Reads the members of `wanted` (MetricBit). Of a repeated key the last one counts; a null is
/// absent.
void ReadStepMetrics(const json::Raw& metrics, uint32_t wanted, StepMetrics* out);

/// Appends one row to a BIGINT[] column: every element an integer >= 0, else the row is NULL and
/// the result false. An absent value is NULL and fine.
bool AppendTokenIds(const json::Raw& ids, columnar::Column& column);
/// The like for DOUBLE[]: numbers, nulls (also bare NaN and Infinity), or objects with a number
/// `logprob`.
bool AppendLogprobs(const json::Raw& logprobs, columnar::Column& column);

/// Typed totals of `final_metrics`; other members are not totals.
struct Totals {
  std::optional<int64_t> prompt_tokens;
  std::optional<int64_t> completion_tokens;
  std::optional<int64_t> cached_tokens;
  std::optional<double> cost_usd;

  bool any() const { return prompt_tokens || completion_tokens || cached_tokens || cost_usd; }
  bool operator==(const Totals&) const = default;
  /// Adds number by number; absent ones count only when the other side has them. Integers saturate.
  void Add(const Totals& other);
};
Totals ReadReportedTotals(const json::Raw& final_metrics, std::vector<BadMetric>* bad);
/// The four counts of one step.
Totals TotalsOf(const StepMetrics& metrics);

}  // namespace pchronicle::model
