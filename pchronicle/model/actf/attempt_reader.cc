#include "pchronicle/model/actf/attempt_reader.h"

#include <utility>

#include "pchronicle/model/compose.h"

namespace pchronicle::model::actf {
namespace {

using json::Kind;

json::Raw UnlessEmpty(const json::Raw& raw) { return IsEmptyValue(raw) ? json::Raw() : raw; }

}  // namespace

bool AttemptReader::needs_steps() const {
  return strict_ || (target_.wants_turns && fields_.has_any(kAnyTurnField)) ||
         fields_.has_any(Field::kRootPrompt | Field::kUnknown);
}

bool AttemptReader::NeedsBytes(FieldMask fields, bool strict, bool wants_turns) {
  return strict || (wants_turns && fields.has_any(kAnyTurnField)) ||
         fields.has_any(Field::kRootPrompt | Field::kUnknown | Field::kTask | Field::kFinalMetrics |
                        Field::kTimes | Field::kRootExtra | Field::kMeta | Field::kAgent);
}

Status AttemptReader::Begin(const RecordHead& head, const AttemptHead& attempt,
                            const Target& target) {
  head_ = &head;
  attempt_ = &attempt;
  target_ = target;
  emit_turns_ = target.wants_turns && fields_.has_any(kAnyTurnField) && target.sink != nullptr;
  residuals_ = wants(Field::kUnknown) ? std::make_unique<ResidualBuilder>(*target.arena) : nullptr;
  place_ = Place::kAttempt;
  ordinal_ = 0;
  held_next_ = 0;
  steps_begin_ = 0;
  later_prompt_ = Later::kUnknown;
  correct_ = score_ = max_score_ = status_text_ = error_text_ = {};
  final_answer_ = ground_truth_ = artifacts_ = analysis_result_ = {};
  status_ = Status::Ok();
  members_.SetTarget({target.document, residuals_.get(), target.arena, target.sink});
  steps_.Begin(*target.document, attempt.pointer + "/trajectory/steps", residuals_.get(),
               target.sink);
  if (!NeedsBytes(fields_, strict_, target.wants_turns)) {
    cursor_ = nullptr;
    return Status::Ok();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(cursor_, bytes_.Open(attempt.offset, attempt.end));
  return cursor_->BeginObject() ? Status::Ok() : cursor_->status();
}

AttemptReader::Progress AttemptReader::Fail(Status status, uint64_t offset, std::string pointer) {
  status_ = std::move(status);
  error_offset_ = offset;
  error_pointer_ = std::move(pointer);
  place_ = Place::kDone;
  if (cursor_) {
    bytes_.Account(*cursor_);
    cursor_ = nullptr;
  }
  return Progress::kFailed;
}

AttemptReader::Progress AttemptReader::FailAtCursor() {
  return Fail(cursor_->status(), cursor_->error_offset(), "");
}

AttemptReader::Progress AttemptReader::Advance() {
  if (cursor_ == nullptr && place_ != Place::kDone) {
    return Complete();
  }
  switch (place_) {
    case Place::kAttempt:
      return NextAttemptMember();
    case Place::kTrajectory:
      return NextTrajectoryMember();
    case Place::kSteps:
      return NextStep();
    case Place::kEvents:
      return NextEvent();
    case Place::kHeldTurns:
      return NextHeldTurn();
    case Place::kDone:
      break;
  }
  return status_.ok() ? Progress::kDone : Progress::kFailed;
}

AttemptReader::Progress AttemptReader::NextAttemptMember() {
  members_.SetBase(attempt_->pointer);
  std::string_view key;
  if (cursor_->NextKey(&key)) {
    const bool done = ReadAttemptMember(key);
    cursor_->ReleaseViews();
    return done ? Progress::kMore : FailAtCursor();
  }
  return cursor_->ok() ? Complete() : FailAtCursor();
}

bool AttemptReader::ReadAttemptMember(std::string_view key) {
  struct Slot {
    std::string_view name;
    json::Raw* value;
    bool wanted;
  };
  Document& document = *target_.document;
  const bool values = wants_values();
  if (key == "trajectory") {
    if (attempt_->event_log && !needs_steps() &&
        !fields_.has_any(Field::kTimes | Field::kAgent | Field::kTask)) {
      return cursor_->Skip();
    }
    steps_depth_ = cursor_->depth();
    place_ = attempt_->event_log ? Place::kEvents : Place::kTrajectory;
    if (attempt_->event_log) {
      events_.Begin(*target_.arena, {target_.document, nullptr, target_.arena, target_.sink},
                    attempt_->pointer + "/trajectory");
      return cursor_->BeginArray();
    }
    return cursor_->BeginObject();
  }
  const Slot slots[] = {
      {"correct", &correct_, values},
      {"score", &score_, values},
      {"max_score", &max_score_, values},
      {"status", &status_text_, values},
      {"error", &error_text_, values},
      {"final_answer", &final_answer_, wants(Field::kTask)},
      {"ground_truth", &ground_truth_, wants(Field::kTask)},
      {"artifacts", &artifacts_, wants(Field::kTask)},
      {"analysis_result", &analysis_result_, wants(Field::kFinalMetrics)},
      {"extra", &document.extra, wants(Field::kRootExtra)},
      {"meta", &document.meta, wants(Field::kMeta)},
  };
  for (const Slot& slot : slots) {
    if (key != slot.name) {
      continue;
    }
    json::Raw raw;
    if (!slot.wanted) {
      return cursor_->Skip();
    }
    if (!cursor_->Capture(&raw)) {
      return false;
    }
    const bool is_text = slot.value == &status_text_ || slot.value == &error_text_;
    if (is_text && raw.has_value() && !raw.is_string()) {
      members_.Bad(slot.name, raw);
      raw = {};
    }
    *slot.value = Own(members_.ReadAny(slot.name, raw), *target_.arena);
    return true;
  }
  if (residuals_ == nullptr) {
    return cursor_->Skip();
  }
  const std::string name(key);
  json::Raw raw;
  if (!cursor_->Capture(&raw)) {
    return false;
  }
  members_.Unknown(name, raw);
  return true;
}

AttemptReader::Progress AttemptReader::NextTrajectoryMember() {
  members_.SetBase(attempt_->pointer + "/trajectory");
  std::string_view key;
  if (cursor_->NextKey(&key)) {
    const bool done = ReadTrajectoryMember(key);
    cursor_->ReleaseViews();
    return done ? Progress::kMore : FailAtCursor();
  }
  if (!cursor_->ok()) {
    return FailAtCursor();
  }
  place_ = Place::kAttempt;
  return Progress::kMore;
}

bool AttemptReader::ReadTrajectoryMember(std::string_view key) {
  if (key == "schema_version") {
    return cursor_->Skip();
  }
  if (key == "steps") {
    if (!needs_steps()) {
      return cursor_->Skip();
    }
    cursor_->Peek();
    steps_depth_ = cursor_->depth();
    steps_begin_ = cursor_->offset();
    place_ = Place::kSteps;
    return cursor_->BeginArray();
  }
  const bool is_start = key == "started_at";
  const bool is_time = is_start || key == "finished_at";
  if (is_time ? !wants(Field::kTimes) : residuals_ == nullptr) {
    return cursor_->Skip();
  }
  const std::string name(key);
  json::Raw raw;
  if (!cursor_->Capture(&raw)) {
    return false;
  }
  if (!is_time) {
    members_.Unknown(name, raw);
    return true;
  }
  Timestamp& time = is_start ? target_.document->started_at : target_.document->finished_at;
  time = members_.ReadTimestamp(name, Own(raw, *target_.arena));
  return true;
}

AttemptReader::Progress AttemptReader::NextStep() {
  if (!cursor_->NextElement()) {
    if (!cursor_->ok()) {
      return FailAtCursor();
    }
    place_ = Place::kTrajectory;
    return Progress::kMore;
  }
  const Status read = steps_.Read(*cursor_, ordinal_);
  if (!read.ok()) {
    return Fail(read, steps_.error_offset(), steps_.error_pointer());
  }
  ++ordinal_;
  if (emit_turns_) {
    ResolvePrompt();
    target_.sink->OnTurn(*target_.document, steps_.turn());
  }
  cursor_->ReleaseViews();
  const bool only_prompt =
      !emit_turns_ && !strict_ && !wants(Field::kUnknown) && target_.sink != nullptr;
  if (only_prompt && steps_.prompts().has_baseline()) {
    // The root prompt is all that was looked for.
    if (!cursor_->SkipToDepth(steps_depth_)) {
      return FailAtCursor();
    }
    place_ = Place::kTrajectory;
  }
  return Progress::kMore;
}

void AttemptReader::ResolvePrompt() {
  if (steps_.prompt_undecided() && wants(Field::kTurnPrompt) && LaterStepHasPrompt()) {
    steps_.SetPrompt(PromptPairs::Clear());
  }
}

/// Looks ahead once per attempt, only when its first step has no prompt text.
bool AttemptReader::LaterStepHasPrompt() {
  if (later_prompt_ != Later::kUnknown) {
    return later_prompt_ == Later::kYes;
  }
  later_prompt_ = Later::kNo;
  Result<std::unique_ptr<json::Cursor>> opened = bytes_.Open(steps_begin_, attempt_->end);
  if (!opened.ok()) {
    return false;
  }
  json::Cursor& ahead = **opened;
  PromptPair pair;
  for (bool more = ahead.BeginArray() && ahead.NextElement(); more; more = ahead.NextElement()) {
    if (!StepReader::ReadPair(ahead, &pair)) {
      break;
    }
    if (!pair.empty()) {
      later_prompt_ = Later::kYes;
      break;
    }
    ahead.ReleaseViews();
  }
  bytes_.Account(ahead);
  return later_prompt_ == Later::kYes;
}

AttemptReader::Progress AttemptReader::NextEvent() {
  if (!cursor_->NextElement()) {
    if (!cursor_->ok()) {
      return FailAtCursor();
    }
    events_.Finish();
    if (wants(Field::kTimes)) {
      target_.document->started_at = events_.started_at();
      target_.document->finished_at = events_.finished_at();
    }
    place_ = emit_turns_ ? Place::kHeldTurns : Place::kAttempt;
    return Progress::kMore;
  }
  const Status read = events_.ReadEvent(*cursor_, static_cast<size_t>(ordinal_++));
  if (!read.ok()) {
    return Fail(read, cursor_->error_offset(),
                attempt_->pointer + "/trajectory/" + std::to_string(ordinal_ - 1));
  }
  cursor_->ReleaseViews();
  return Progress::kMore;
}

AttemptReader::Progress AttemptReader::NextHeldTurn() {
  if (held_next_ < events_.size()) {
    target_.sink->OnTurn(*target_.document, events_.turn(held_next_++));
  } else {
    place_ = Place::kAttempt;
  }
  return Progress::kMore;
}

AttemptReader::Progress AttemptReader::Complete() {
  if (cursor_) {
    bytes_.Account(*cursor_);
    cursor_ = nullptr;
  }
  Compose();
  place_ = Place::kDone;
  return Progress::kDone;
}

void AttemptReader::Compose() {
  Document& document = *target_.document;
  document.extra = UnlessEmpty(document.extra);
  document.meta = UnlessEmpty(document.meta);
  if (wants(Field::kTask)) {
    document.task = ComposeTask();
  }
  if (wants(Field::kFinalMetrics)) {
    document.final_metrics = ComposeFinalMetrics();
  }
  if (!attempt_->event_log && wants(Field::kRootPrompt)) {
    document.prompt = steps_.prompts().Root(*target_.arena);
  }
  if (attempt_->event_log && wants(Field::kAgent)) {
    document.agent_model = events_.model();
  }
  if (residuals_ != nullptr) {
    ComposeUnknown();
  }
}

json::Raw AttemptReader::ComposeTask() {
  Arena& arena = *target_.arena;
  ObjectComposer result(arena);
  result.Add("task_correct", head_->correct);
  result.Add("category", head_->category);
  result.AddText("attempts_tried", std::to_string(head_->attempts_tried));
  result.Add("solved_at", UnlessEmpty(head_->solved_at));
  result.Add("retry_count", head_->retry_count.has_value() ? head_->retry_count : json::Raw());
  result.Add("retry_counts", head_->retry_counts.has_value() ? head_->retry_counts : json::Raw());
  result.Add("correct", correct_);
  result.Add("score", UnlessEmpty(score_));
  result.Add("max_score", UnlessEmpty(max_score_));
  result.Add("status", UnlessEmpty(status_text_));
  result.Add("error", UnlessEmpty(error_text_));
  result.Add("final_answer", UnlessEmpty(final_answer_));
  result.Add("ground_truth", UnlessEmpty(ground_truth_));
  result.Add("artifacts", UnlessEmpty(artifacts_));
  ObjectComposer llm(arena);
  llm.AddText("k", std::to_string(head_->k));
  ObjectComposer task(arena);
  task.Add("env", attempt_->event_log ? events_.Env() : json::Raw());
  task.Add("llm", llm.Finish());
  task.Add("result", result.Finish());
  return task.Finish();
}

json::Raw AttemptReader::ComposeFinalMetrics() {
  ObjectComposer metrics(*target_.arena);
  metrics.Add("analysis_result", analysis_result_);
  metrics.Add("task_correct", head_->correct);
  metrics.Add("correct", correct_);
  metrics.Add("status", UnlessEmpty(status_text_));
  metrics.Add("score", UnlessEmpty(score_));
  metrics.Add("max_score", UnlessEmpty(max_score_));
  return metrics.Finish();
}

/// Root residuals are copied to every attempt (formats.md 5.2).
void AttemptReader::ComposeUnknown() {
  for (const auto& [pointer, value] : head_->more) {
    residuals_->Add(pointer, value);
  }
  target_.document->unknown = residuals_->Finish("actf", head_->task_id);
  if (target_.foreign != nullptr) {
    std::vector<UnknownSource>& unknown = target_.document->unknown;
    unknown.insert(unknown.end(), target_.foreign->begin(), target_.foreign->end());
  }
}

}  // namespace pchronicle::model::actf
