#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/atif/call_reader.h"
#include "pchronicle/model/atif/document_state.h"
#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model::atif {

/// Members of a step that the hub has a place for, with the field that asks for each.
enum class Member : uint8_t {
  kStepId,
  kTimestamp,
  kSource,
  kMessage,
  kModelName,
  kReasoningContent,
  kReasoningEffort,
  kToolCalls,
  kObservation,
  kMetrics,
  kLlmCallCount,
  kIsCopiedContext,
  kExtra,
  kUnknown,
};

/// Reads one element of `steps` into a Turn (formats.md 3.3, 3.5). Keeps its buffers between steps.
class StepReader {
 public:
  StepReader(const WalkOptions& options, DocumentSink& sink)
      : options_(options), sink_(sink), calls_(options) {}

  /// The cursor stands before the step. Ok: `turn()` is filled until the next call. An invalid step
  /// gives the status and error_offset(); when the cursor is still ok the rest of the document can
  /// be skipped.
  Status Read(json::Cursor& cursor, DocumentState& state);
  const Turn& turn() const { return turn_; }
  uint64_t error_offset() const { return error_offset_; }
  /// Pointer of the member an error is about.
  const std::string& error_pointer() const { return error_pointer_; }

 private:
  Status ReadMembers(json::Cursor& cursor, DocumentState& state);
  Status ReadMember(json::Cursor& cursor, DocumentState& state, std::string_view key);
  Status Store(Member member, const json::Raw& raw, uint64_t at);
  bool Seen(Member member) const { return (seen_ >> static_cast<uint32_t>(member) & 1U) != 0; }
  Status ReadStepId(json::Cursor& cursor);
  Status ReadCalls(json::Cursor& cursor, DocumentState& state);
  Status ReadObservation(json::Cursor& cursor);
  void KeepResultsOnly(const json::Raw& observation, const json::Raw& results);
  void LiftFromMetrics();
  void CheckRepeats(DocumentState& state, Status* status);
  void DeriveKind();
  Status Invalid(std::string_view member, uint64_t offset, Status status);

  bool wants(Field field) const { return options_.fields.has(field); }

  const WalkOptions& options_;
  DocumentSink& sink_;
  Turn turn_;
  Arena arena_{16 << 10};
  MemberReader members_;  // of the step
  CallReader calls_;
  bool has_step_id_ = false;
  uint32_t seen_ = 0;  // one bit a Member
  uint64_t error_offset_ = 0;
  std::string error_pointer_;
};

}  // namespace pchronicle::model::atif
