#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/actf/event_log.h"
#include "pchronicle/model/actf/record_bytes.h"
#include "pchronicle/model/actf/record_head.h"
#include "pchronicle/model/actf/step_reader.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/fields.h"
#include "pchronicle/model/residuals.h"
#include "pchronicle/model/sink.h"

namespace pchronicle::model::actf {

/// Walks one attempt of a skimmed record a step at a time and completes its Document
/// (formats.md 5.2, 5.5). Used for one attempt after the other. Not thread-safe.
class AttemptReader {
 public:
  AttemptReader(FieldMask fields, bool strict, RecordBytes& bytes)
      : fields_(fields),
        strict_(strict),
        bytes_(bytes),
        steps_(StepWants(fields, strict), bytes),
        events_(fields) {}

  struct Target {
    Document* document = nullptr;  // session, run, attempt and pointer are known
    Arena* arena = nullptr;        // owns what the document points to, until the end of the record
    DocumentSink* sink = nullptr;  // null: nothing is handed on
    const std::vector<UnknownSource>* foreign = nullptr;  // residuals of other formats (9.2)
    bool wants_turns = true;
  };
  /// Starts an attempt whose head is sound. `head` and `attempt` must live until it is done.
  Status Begin(const RecordHead& head, const AttemptHead& attempt, const Target& target);

  enum class Progress { kMore, kDone, kFailed };
  /// Goes on by one step or one member. kDone: the document is complete. kFailed: status() and its
  /// place.
  Progress Advance();
  const Status& status() const { return status_; }
  uint64_t error_offset() const { return error_offset_; }
  const std::string& error_pointer() const { return error_pointer_; }

  /// True when an attempt of the mask needs its bytes read again at all.
  static bool NeedsBytes(FieldMask fields, bool strict, bool wants_turns);

 private:
  enum class Place { kAttempt, kTrajectory, kSteps, kEvents, kHeldTurns, kDone };

  Progress NextAttemptMember();
  Progress NextTrajectoryMember();
  Progress NextStep();
  Progress NextEvent();
  Progress NextHeldTurn();
  Progress Complete();
  bool ReadAttemptMember(std::string_view key);
  bool ReadTrajectoryMember(std::string_view key);
  void Compose();
  json::Raw ComposeTask();
  json::Raw ComposeFinalMetrics();
  void ComposeUnknown();
  void ResolvePrompt();
  bool LaterStepHasPrompt();
  Progress Fail(Status status, uint64_t offset, std::string pointer);
  Progress FailAtCursor();
  bool wants(Field field) const { return fields_.has(field); }
  bool wants_values() const {
    return strict_ || fields_.has_any(Field::kTask | Field::kFinalMetrics | Field::kUnknown);
  }
  bool needs_steps() const;

  const FieldMask fields_;
  const bool strict_;
  RecordBytes& bytes_;
  StepReader steps_;
  EventLog events_;
  MemberReader members_;

  const RecordHead* head_ = nullptr;
  const AttemptHead* attempt_ = nullptr;
  Target target_;
  bool emit_turns_ = false;
  std::unique_ptr<ResidualBuilder> residuals_;
  std::unique_ptr<json::Cursor> cursor_;
  Place place_ = Place::kDone;
  uint32_t steps_depth_ = 0;
  uint64_t steps_begin_ = 0;
  int64_t ordinal_ = 0;   // of the next step or event
  size_t held_next_ = 0;  // of the next turn of an event log
  enum class Later { kUnknown, kNo, kYes } later_prompt_ = Later::kUnknown;

  // Values of the attempt, in the target's arena.
  json::Raw correct_;
  json::Raw score_;
  json::Raw max_score_;
  json::Raw status_text_;
  json::Raw error_text_;
  json::Raw final_answer_;
  json::Raw ground_truth_;
  json::Raw artifacts_;
  json::Raw analysis_result_;

  Status status_;
  uint64_t error_offset_ = 0;
  std::string error_pointer_;
};

}  // namespace pchronicle::model::actf
