#pragma once

#include <cstdint>

namespace pchronicle::model {

/// Members a sink can ask a walker for. What is not asked for is skipped, or, where it is free,
/// still filled in. Always filled: Turn::ordinal, id, source, had_tool_calls, had_observation,
/// call_count; Document::session_id, ordinal, depth.
enum class Field : uint8_t {
  // document
  kDocumentId,  // document_id, trajectory_id; needs unique ids in the source (STL-128)
  kRunId,       // run_id, attempt_id
  kAgent,       // id, name, version, model
  kAgentTools,
  kAgentExtra,
  kOrigin,
  kParent,
  kChildren,
  kNotes,
  kTask,
  kRootPrompt,
  kTimes,  // started_at, finished_at
  kFinalMetrics,
  kContinuedRef,
  kRootExtra,
  kMeta,
  kUnknown,  // residuals, unknown_key_counts
  kOutcome,  // outcome_pointer
  // turn
  kTurnKind,
  kTimestamp,
  kTurnFinishedAt,
  kMessage,
  kReasoning,
  kEffort,
  kMetrics,
  kModel,
  kLlmCalls,
  kCopied,
  kLatency,  // latency_ms, ttft_ms
  kObservation,
  kTurnExtra,
  kEnv,
  kTurnPrompt,
  kCalls,  // Turn::calls with id and function
  kArguments,
  kCallResult,
  kCallDuration,
  kCallExtra,
  kCallKind,
  kCallResponse,
  kDiagnostics,  // every check that a full read makes, whatever else is asked for
  kTurns,        // the turns themselves, with no more than what is always filled
};

class FieldMask {
 public:
  constexpr FieldMask() = default;
  constexpr FieldMask(Field field)
      : bits_(uint64_t{1} << static_cast<int>(field)) {}  // NOLINT: implicit on purpose
  static constexpr FieldMask All() { return FieldMask(~uint64_t{0}); }

  constexpr bool has(Field field) const { return (bits_ & FieldMask(field).bits_) != 0; }
  constexpr bool has_any(FieldMask other) const { return (bits_ & other.bits_) != 0; }
  constexpr FieldMask operator|(FieldMask other) const { return FieldMask(bits_ | other.bits_); }
  FieldMask& operator|=(FieldMask other) {
    bits_ |= other.bits_;
    return *this;
  }
  constexpr bool operator==(const FieldMask&) const = default;

 private:
  constexpr explicit FieldMask(uint64_t bits) : bits_(bits) {}
  uint64_t bits_ = 0;
};

constexpr FieldMask operator|(Field a, Field b) { return FieldMask(a) | FieldMask(b); }

/// What needs the turns at all.
inline constexpr FieldMask kAnyTurnField =
    Field::kTurnKind | Field::kTimestamp | Field::kTurnFinishedAt | Field::kMessage |
    Field::kReasoning | Field::kEffort | Field::kMetrics | Field::kModel | Field::kLlmCalls |
    Field::kCopied | Field::kLatency | Field::kObservation | Field::kTurnExtra | Field::kEnv |
    Field::kTurnPrompt | Field::kCalls | Field::kArguments | Field::kCallResult |
    Field::kCallDuration | Field::kCallExtra | Field::kCallKind | Field::kCallResponse |
    Field::kDiagnostics | Field::kTurns;

}  // namespace pchronicle::model
