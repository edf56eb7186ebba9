#include <initializer_list>
#include <memory>

#include "pchronicle/model/message_text.h"
#include "pchronicle/model/metric_notes.h"
#include "pchronicle/model/observation.h"
#include "pchronicle/model/raw_walk.h"
#include "pchronicle/model/rows/continuation.h"
#include "pchronicle/model/rows/run_rows.h"
#include "pchronicle/model/rows/trajectory_state.h"
#include "pchronicle/model/run_totals.h"

namespace pchronicle::model::rows {
namespace {

/// Relation `trajectories` (catalog.md 6 and 6.1): the row of `runs` and what its turns add up to,
/// gathered while they pass by (REL-07, REL-08, ADD-05).
class TrajectorySink final : public RunSink {
 public:
  explicit TrajectorySink(Request request) : RunSink(std::move(request)) {
    all_checks_ = uses(kTrajDiagnostics);
    wants_own_ = uses_any(
        {kTrajOwnPromptTokens, kTrajOwnCompletionTokens, kTrajOwnCachedTokens, kTrajOwnCostUsd});
    wants_reported_ = uses_any({kTrajReportedPromptTokens, kTrajReportedCompletionTokens,
                                kTrajReportedCachedTokens, kTrajReportedCostUsd}) ||
                      all_checks_;
    wants_last_response_ = uses_any({kTrajStatus, kTrajOutcomeSource, kTrajTerminationReason});
    wants_outcome_ = wants_last_response_ ||
                     uses_any({kTrajSuccess, kTrajScore, kTrajErrorKind, kTrajErrorMessage});
    wants_results_ =
        uses_any({kTrajToolResults, kTrajToolErrorCount, kTrajUnlinkedResultCount}) || all_checks_;
    wants_duration_ = uses(kTrajDurationMs) || all_checks_;
    wants_continued_ = uses(kTrajContinuedBy) || all_checks_;
    wants_tools_ = uses_any({kTrajToolNames, kTrajDistinctToolCount});
    wants_lists_ = uses_any({kTrajStepIds, kTrajStepSources, kTrajMessagesValue});
    wants_turns_ = uses_any({kTrajStepCount, kTrajToolCallCount, kTrajToolArguments,
                             kTrajOwnStepCount, kTrajCopiedStepCount, kTrajTaskText}) ||
                   wants_own_ || wants_last_response_ || wants_results_ || wants_duration_ ||
                   wants_tools_ || wants_lists_ || all_checks_;
    metrics_wanted_ = all_checks_ ? kAllMetrics : wants_own_ ? kTokenCounts : 0;
  }

 protected:
  bool WantsTurns(const Entry& entry) const override {
    return (wants_turns_ && !entry.pruned) || RunSink::WantsTurns(entry);
  }

  void Opened(size_t index, const Document& document) override {
    RunSink::Opened(index, document);
    while (states_.size() <= index) {
      states_.push_back(std::make_unique<TrajectoryState>());
    }
    states_[index]->Clear();
  }

  void Turned(size_t index, const Document& document, const Turn& turn) override {
    RunSink::Turned(index, document, turn);
    if (!wants_turns_ || entries_[index].pruned) {
      return;
    }
    TrajectoryState& state = *states_[index];
    const bool copied = turn.copied == true;
    ++state.steps;
    state.copied_steps += copied ? 1 : 0;
    state.calls += static_cast<int64_t>(turn.call_count);
    if (wants_lists_) {
      AddLists(state, turn);
    }
    if (metrics_wanted_ != 0) {
      AddMetrics(index, document, turn, copied);
    }
    if (wants_last_response_) {
      state.last_response.Take(turn);
    }
    if (wants_duration_ && !copied) {
      state.times.Take(turn.timestamp.nanoseconds);
      state.times.Take(turn.finished_at.nanoseconds);
    }
    if (uses(kTrajTaskText)) {
      AddTaskText(state, turn);
    }
    if (wants_tools_ || uses(kTrajToolArguments)) {
      AddCalls(state, turn);
    }
    if (wants_results_) {
      AddResults(index, document, turn);
    }
  }

  void Closed(size_t index, const Document& document) override {
    RunSink::Closed(index, document);
    if (wants_continued_) {
      continuations_.AddDocument(index, document);
    }
  }

  uint64_t id_bytes() const override { return continuations_.bytes(); }

  void RecordEnded() override {
    if (wants_continued_) {
      continuations_.EndRecord([this](size_t index) { return entries_[index].lost; });
    }
    RunSink::RecordEnded();
    held_.Reset();
    if (states_.size() > kStatesKept) {
      states_.clear();
    }
  }

  void Finish(size_t index) override {
    const Document& document = documents_[index];
    TrajectoryState& state = *states_[index];
    if (wants_reported_) {
      bad_.clear();
      state.reported = ReportedTotals(document, &bad_);
      for (const BadMetric& bad : bad_) {
        NoteBadTotal(entries_[index].diagnostics, document, bad);
      }
    }
    if (wants_outcome_) {
      state.outcome = DeriveOutcome(document, state.last_response, held_);
    }
    if (wants_duration_) {
      const Duration duration = RunDuration(document, state.times);
      state.duration_ms = duration.milliseconds;
      if (duration.negative) {
        Note(index, "negative_duration", document.pointer);
      }
    }
    if (wants_continued_ && document.continued_ref && !document.continued_ref->empty()) {
      ResolveContinuation(index, document, state);
    }
    if (uses(kTrajTaskText)) {
      state.task_text = TaskText(document, state);
    }
  }

  Cell MoreCellOf(uint16_t column, size_t index, Arena& arena) override {
    const TrajectoryState& state = *states_[index];
    switch (column) {
      case kTrajStepCount:
        return Cell::Int(state.steps);
      case kTrajStepIds:
      case kTrajStepSources:
      case kTrajMessagesValue:
        return state.steps == 0 ? Cell::Null() : Cell::Unknown();
      case kTrajToolCallCount:
        return Cell::Int(state.calls);
      case kTrajToolNames:
      case kTrajToolArguments:
      case kTrajToolResults:
        return state.calls == 0 ? Cell::Null() : Cell::Unknown();
      case kTrajOwnStepCount:
        return Cell::Int(state.steps - state.copied_steps);
      case kTrajCopiedStepCount:
        return Cell::Int(state.copied_steps);
      case kTrajContinuedBy:
        return state.continued_by ? Cell::Borrowed(*state.continued_by) : Cell::Null();
      case kTrajToolErrorCount:
        return Cell::Int(state.tool_errors);
      case kTrajDistinctToolCount:
        return Cell::Int(static_cast<int64_t>(state.tools.size()));
      case kTrajUnlinkedResultCount:
        return Cell::Int(state.unlinked_results);
      case kTrajDurationMs:
        return Cell::Of(state.duration_ms);
      case kTrajTaskText:
        return Cell::Of(state.task_text);
      case kTrajDiagnostics:
        return Cell::Stable(arena.Copy(entries_[index].diagnostics.ToJson()));
      default:
        return column < kTrajOwnStepCount ? OutcomeCell(column, state.outcome)
                                          : TotalsCell(column, state);
    }
  }

  void AppendMore(uint16_t column, size_t index, columnar::Column& out) override {
    const TrajectoryState& state = *states_[index];
    switch (column) {
      case kTrajStepIds:
        return AppendIds(state.step_ids, out);
      case kTrajStepSources:
        return AppendTexts(state.sources, out);
      case kTrajMessagesValue:
        return AppendTexts(state.messages, out);
      case kTrajToolNames:
        return AppendTexts(state.tool_names, out);
      case kTrajToolArguments:
        return AppendTexts(state.arguments, out);
      case kTrajToolResults:
        return AppendTexts(state.results, out);
      default:
        return RunSink::AppendMore(column, index, out);
    }
  }

 private:
  static constexpr size_t kStatesKept = 256;  // buffers of a huge record are given back

  bool uses_any(std::initializer_list<uint16_t> columns) const {
    for (const uint16_t column : columns) {
      if (uses(column)) {
        return true;
      }
    }
    return false;
  }

  std::string_view Hold(const Cell& cell) {
    return cell.kind == Cell::Kind::kBorrowed ? held_.Copy(cell.text) : cell.text;
  }

  void AddLists(TrajectoryState& state, const Turn& turn) {
    if (uses(kTrajStepIds)) {
      state.step_ids.push_back(turn.id);
    }
    if (uses(kTrajStepSources)) {
      state.sources.push_back(held_.Copy(turn.source));
    }
    if (uses(kTrajMessagesValue)) {
      const Cell message = JsonCell(turn.message, held_);
      state.messages.push_back(message.is_null() ? std::string_view("null") : Hold(message));
    }
  }

  void AddMetrics(size_t index, const Document& document, const Turn& turn, bool copied) {
    ReadStepMetrics(turn.metrics, metrics_wanted_, &metrics_);
    if (!copied) {
      states_[index]->own.Add(TotalsOf(metrics_));
    }
    if (all_checks_) {
      CheckLane(AppendTokenIds, metrics_.prompt_token_ids, "/prompt_token_ids", id_lane_);
      CheckLane(AppendTokenIds, metrics_.completion_token_ids, "/completion_token_ids", id_lane_);
      CheckLane(AppendLogprobs, metrics_.logprobs, "/logprobs", number_lane_);
    }
    for (const BadMetric& bad : metrics_.bad) {
      NoteBadMetric(entries_[index].diagnostics, document, turn.ordinal, bad);
    }
  }

  void CheckLane(bool (*append)(const json::Raw&, columnar::Column&), const json::Raw& raw,
                 std::string_view pointer, columnar::Column& lane) {
    if (!append(raw, lane)) {
      metrics_.bad.push_back({pointer, raw});
    }
    lane.Clear();
  }

  /// Message of the first step whose source is `user`.
  void AddTaskText(TrajectoryState& state, const Turn& turn) {
    if (state.had_user_step || turn.source != "user") {
      return;
    }
    state.had_user_step = true;
    if (turn.message.has_value()) {
      if (const auto message = MessageText(turn.message, held_)) {
        state.first_user_text = Hold(TextOf(*message, turn.message.text));
      }
    }
  }

  Text TaskText(const Document& document, const TrajectoryState& state) {
    const json::Raw user = FindMember(document.prompt, "user");
    return user.is_string() && user.text.size() > 2 ? Text(json::DecodeString(user, held_))
                                                    : state.first_user_text;
  }

  void AddCalls(TrajectoryState& state, const Turn& turn) {
    for (const ToolCall& call : turn.calls) {
      if (wants_tools_) {
        auto tool = state.tools.find(call.function);
        if (tool == state.tools.end()) {
          tool = state.tools.insert(held_.Copy(call.function)).first;
        }
        if (uses(kTrajToolNames)) {
          state.tool_names.push_back(*tool);
        }
      }
      if (uses(kTrajToolArguments)) {
        const Cell arguments = JsonCell(call.arguments, held_);
        state.arguments.push_back(arguments.is_null() ? std::string_view("null") : Hold(arguments));
      }
    }
  }

  void AddResults(size_t index, const Document& document, const Turn& turn) {
    TrajectoryState& state = *states_[index];
    parser_.Parse(turn, scratch_);
    state.unlinked_results += static_cast<int64_t>(parser_.unlinked());
    for (uint32_t i = 0; i < turn.calls.size(); ++i) {
      if (uses(kTrajToolErrorCount)) {
        state.tool_errors += parser_.Facts(turn.calls[i], i).is_error == true ? 1 : 0;
      }
      if (uses(kTrajToolResults)) {
        composed_.clear();
        parser_.AppendResults(i, scratch_, composed_);
        state.results.push_back(held_.Copy(composed_));
      }
    }
    if (all_checks_ && parser_.unlinked() > 0) {
      NoteUnlinked(index, document, turn);
    }
  }

  /// BR-01: results that no call is sure to have produced are counted. ACTF's reader counts
  /// dangling ids itself.
  void NoteUnlinked(size_t index, const Document& document, const Turn& turn) {
    Diagnostics& notes = entries_[index].diagnostics;
    const std::string pointer = TurnPointer(document, turn.ordinal) + "/observation";
    const size_t without_id = parser_.unlinked() - parser_.dangling();
    if (without_id > 0) {
      notes.Add("result_without_call_id", pointer, {}, without_id);
    }
    if (parser_.dangling() > 0 && document.origin_format != "actf") {
      notes.Add("unlinked_observation_result", pointer, {}, parser_.dangling());
    }
  }

  void ResolveContinuation(size_t index, const Document& document, TrajectoryState& state) {
    state.continued_by = continuations_.Find(document);
    if (!state.continued_by && continuations_.knows_everything()) {
      Note(index, "unresolved_reference",
           std::string(document.pointer) + "/continued_trajectory_ref", *document.continued_ref);
    }
  }

  /// Lists of no rows are NULL (REL-07).
  static void AppendIds(const std::vector<int64_t>& ids, columnar::Column& out) {
    if (ids.empty()) {
      return out.AppendNull();
    }
    for (const int64_t id : ids) {
      out.element().AppendInt(id);
    }
    out.CloseList();
  }

  void AppendTexts(const std::vector<std::string_view>& texts, columnar::Column& out) {
    if (texts.empty()) {
      return out.AppendNull();
    }
    for (const std::string_view element : texts) {
      out.element().AppendText(text().Copy(element));
    }
    out.CloseList();
  }

  bool all_checks_ = false;
  bool wants_own_ = false;
  bool wants_reported_ = false;
  bool wants_last_response_ = false;
  bool wants_outcome_ = false;
  bool wants_results_ = false;
  bool wants_duration_ = false;
  bool wants_continued_ = false;
  bool wants_tools_ = false;
  bool wants_lists_ = false;
  bool wants_turns_ = false;
  uint32_t metrics_wanted_ = 0;

  std::vector<std::unique_ptr<TrajectoryState>> states_;  // by entry; reused from record to record
  Arena held_;                                            // texts of the open record
  StepMetrics metrics_;
  ObservationParser parser_;
  std::vector<BadMetric> bad_;
  std::string composed_;
  columnar::Column id_lane_{columnar::Type::kBigintList};
  columnar::Column number_lane_{columnar::Type::kDoubleList};
  ContinuationFinder continuations_{request_};
};

}  // namespace

std::unique_ptr<RowSink> MakeTrajectorySink(RowSink::Request request) {
  return std::make_unique<TrajectorySink>(std::move(request));
}

}  // namespace pchronicle::model::rows
