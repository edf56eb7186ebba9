#include "pchronicle/model/message_text.h"
#include "pchronicle/model/metric_notes.h"
#include "pchronicle/model/rows/columns.h"
#include "pchronicle/model/rows/row_sink_base.h"
#include "pchronicle/model/step_metrics.h"

namespace pchronicle::model::rows {
namespace {

uint32_t MetricOf(uint16_t column) {
  switch (column) {
    case kStepPromptTokens:
      return kPromptTokens;
    case kStepCompletionTokens:
      return kCompletionTokens;
    case kStepCachedTokens:
      return kCachedTokens;
    case kStepCostUsd:
      return kCostUsd;
    case kStepReward:
      return kReward;
    case kStepPromptTokenIds:
      return kPromptTokenIds;
    case kStepCompletionTokenIds:
      return kCompletionTokenIds;
    case kStepLogprobs:
      return kLogprobs;
    default:
      return 0;
  }
}

std::string_view ValueKind(const json::Raw& raw) {
  switch (raw.kind) {
    case json::Kind::kAbsent:
    case json::Kind::kNull:
      return "null";
    case json::Kind::kString:
      return "text";
    case json::Kind::kArray:
      return "parts";
    default:
      return "json";
  }
}

std::string_view EffortKind(const json::Raw& raw) {
  switch (raw.kind) {
    case json::Kind::kString:
      return "text";
    case json::Kind::kNumber:
      return "number";
    default:
      return "json";
  }
}

Cell Timestamps(const Timestamp& timestamp) { return Cell::Of(timestamp.nanoseconds); }

Cell TimestampText(const json::Raw& scalar, Arena& arena) {
  if (scalar.is_string()) {
    return TextOf(json::DecodeString(scalar, arena), scalar.text);
  }
  return JsonCell(scalar, arena);
}

Cell MessageTextCell(const json::Raw& message, Arena& arena) {
  if (!message.has_value()) {
    return Cell::Null();
  }
  const auto text = MessageText(message, arena);
  return text ? TextOf(*text, message.text) : Cell::Null();
}

/// Relation `steps` (storage.md 1.3, catalog.md 6.1).
class StepSink final : public RowSinkBase {
 public:
  explicit StepSink(Request request) : RowSinkBase(std::move(request)) {
    for (const uint16_t column : request_.columns) {
      metrics_wanted_ |= MetricOf(column);
    }
    for (const Predicate& predicate : row_predicates_) {
      metrics_wanted_ |= MetricOf(predicate.column());
    }
  }

 protected:
  bool WantsTurns(const Entry& entry) const override { return !entry.pruned; }

  void Turned(size_t index, const Document& document, const Turn& turn) override {
    ++counters_.rows_scanned;
    if (metrics_wanted_ != 0) {
      ReadStepMetrics(turn.metrics, metrics_wanted_, &metrics_);
    }
    if (!row_predicates_.empty() && !MayMatch(turn)) {
      ++counters_.rows_pruned;
      return;
    }
    if (counts_only()) {
      AddRows(1);
      return;
    }
    BeginRow();
    Entry& entry = entries_[index];
    for (size_t i = 0; i < request_.columns.size(); ++i) {
      AppendColumn(request_.columns[i], entry, document, turn, batch_.columns[i]);
    }
    EndRow();
    for (const BadMetric& bad : metrics_.bad) {
      NoteBadMetric(entry.diagnostics, document, turn.ordinal, bad);
    }
  }

 private:
  bool MayMatch(const Turn& turn) {
    for (const Predicate& predicate : row_predicates_) {
      if (predicate.column() == kStepMessageText && turn.message.has_value() &&
          !predicate.DecodedTextMayMatch(turn.message.text)) {
        return false;
      }
      if (!predicate.MayMatch(CellOf(predicate.column(), turn, scratch_))) {
        return false;
      }
    }
    return true;
  }

  void AppendColumn(uint16_t column, Entry& entry, const Document& document, const Turn& turn,
                    columnar::Column& out) {
    switch (column) {
      case kStepFile:
        return Append(FileCell(), out, text());
      case kStepDocumentId:
        return Append(DocumentIdCell(entry, document), out, text());
      case kStepRunId:
        return Append(RunIdCell(entry, document), out, text());
      case kStepSessionId:
        return Append(SessionIdCell(entry, document), out, text());
      case kStepPromptTokenIds:
        return AppendLane(AppendTokenIds, metrics_.prompt_token_ids, "/prompt_token_ids", out);
      case kStepCompletionTokenIds:
        return AppendLane(AppendTokenIds, metrics_.completion_token_ids, "/completion_token_ids",
                          out);
      case kStepLogprobs:
        return AppendLane(AppendLogprobs, metrics_.logprobs, "/logprobs", out);
      default:
        return Append(CellOf(column, turn, text()), out, text());
    }
  }

  void AppendLane(bool (*append)(const json::Raw&, columnar::Column&), const json::Raw& raw,
                  std::string_view pointer, columnar::Column& out) {
    if (!append(raw, out)) {
      metrics_.bad.push_back({pointer, raw});
    }
  }

  /// Cells that only the turn decides. Rewritten text goes to `arena`.
  Cell CellOf(uint16_t column, const Turn& turn, Arena& arena) const {
    switch (column) {
      case kStepId:
        return Cell::Int(turn.id);
      case kStepTurnOrdinal:
        return Cell::Int(turn.ordinal);
      case kStepKind:
        return Cell::Of(turn.kind);
      case kStepEffectiveKind:
        return Cell::Borrowed(EffectiveKind(turn));
      case kStepTimestamp:
        return Timestamps(turn.timestamp);
      case kStepSource:
        return Cell::Borrowed(turn.source);
      case kStepMessageKind:
        return Cell::Stable(ValueKind(turn.message));
      case kStepMessageValue: {
        const Cell cell = JsonCell(turn.message, arena);
        return cell.is_null() ? Cell::Stable("null") : cell;
      }
      case kStepReasoningContent:
        return Cell::Of(turn.reasoning);
      case kStepEffortKind:
        return turn.effort.has_value() ? Cell::Stable(EffortKind(turn.effort)) : Cell::Null();
      case kStepEffortValue:
        return JsonCell(turn.effort, arena);
      case kStepMetrics:
        return JsonCell(turn.metrics, arena);
      case kStepModelName:
        return Cell::Of(turn.model);
      case kStepLlmCallCount:
        return Cell::Of(turn.llm_calls);
      case kStepIsCopied:
        return Cell::Of(turn.copied);
      case kStepLatency:
        return Cell::Of(turn.latency_ms);
      case kStepTtft:
        return Cell::Of(turn.ttft_ms);
      case kStepHadToolCalls:
        return Cell::Bool(turn.had_tool_calls);
      case kStepHadObservation:
        return Cell::Bool(turn.had_observation);
      case kStepObservation:
        return JsonCell(turn.observation, arena);
      case kStepExtra:
        return JsonCell(turn.extra, arena);
      case kStepEnv:
        return JsonCell(turn.env, arena);
      case kStepFinishedAt:
        return Timestamps(turn.finished_at);
      case kStepPrompt:
        return JsonCell(turn.prompt, arena);
      case kStepMessageText:
        return MessageTextCell(turn.message, arena);
      case kStepTimestampText:
        return TimestampText(turn.timestamp.scalar, arena);
      default:
        return MetricCell(column);
    }
  }

  Cell MetricCell(uint16_t column) const {
    switch (column) {
      case kStepPromptTokens:
        return Cell::Of(metrics_.prompt_tokens);
      case kStepCompletionTokens:
        return Cell::Of(metrics_.completion_tokens);
      case kStepCachedTokens:
        return Cell::Of(metrics_.cached_tokens);
      case kStepCostUsd:
        return Cell::Of(metrics_.cost_usd);
      case kStepReward:
        return Cell::Of(metrics_.reward);
      case kStepPromptTokenIds:
        return LaneCell(metrics_.prompt_token_ids);
      case kStepCompletionTokenIds:
        return LaneCell(metrics_.completion_token_ids);
      case kStepLogprobs:
        return LaneCell(metrics_.logprobs);
      default:
        return Cell::Null();
    }
  }

  /// A lane that is there may still turn out NULL: nothing is said about it.
  static Cell LaneCell(const json::Raw& lane) {
    return lane.present() ? Cell::Unknown() : Cell::Null();
  }

  uint32_t metrics_wanted_ = 0;
  StepMetrics metrics_;
};

}  // namespace

std::unique_ptr<RowSink> MakeStepSink(RowSink::Request request) {
  return std::make_unique<StepSink>(std::move(request));
}

}  // namespace pchronicle::model::rows
