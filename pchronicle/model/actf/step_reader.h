#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/actf/prompt_pairs.h"
#include "pchronicle/model/actf/record_bytes.h"
#include "pchronicle/model/actf/results_composer.h"
#include "pchronicle/model/actf/step_wants.h"
#include "pchronicle/model/actf/tool_reader.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/residuals.h"
#include "pchronicle/model/sink.h"

namespace pchronicle::model::actf {

/// Reads one element of `trajectory.steps` into a Turn (formats.md 5.1, 5.2). Keeps its buffers
/// between steps. Not thread-safe.
class StepReader {
 public:
  StepReader(const StepWants& wants, RecordBytes& bytes)
      : wants_(wants), bytes_(bytes), tools_(wants_, bytes) {}

  /// Starts an attempt. `residuals` may be null; a null `sink` drops diagnostics. `pointer` names
  /// the steps array.
  void Begin(const Document& document, std::string pointer, ResidualBuilder* residuals,
             DocumentSink* sink);

  /// The cursor stands before the step with this array position. Ok: `turn()` is filled until the
  /// next call. An invalid step gives the status, error_offset() and error_pointer().
  Status Read(json::Cursor& cursor, int64_t ordinal);
  const Turn& turn() const { return turn_; }
  const PromptPairs& prompts() const { return prompts_; }
  /// The step has no prompt text and neither had any before: whether it is an explicit clear
  /// depends on later steps.
  bool prompt_undecided() const { return undecided_; }
  void SetPrompt(const json::Raw& prompt) { turn_.prompt = prompt; }
  uint64_t error_offset() const { return error_offset_; }
  const std::string& error_pointer() const { return error_pointer_; }

  /// Of the step at the cursor only its prompt pair, for the look ahead. False on a cursor error.
  static bool ReadPair(json::Cursor& cursor, PromptPair* pair);

 private:
  struct Parts;

  Status ReadMembers(json::Cursor& cursor, Parts* parts);
  Status ReadMember(json::Cursor& cursor, std::string_view key, Parts* parts);
  Status ReadStepId(json::Cursor& cursor, Parts* parts);
  Status ReadTime(json::Cursor& cursor, std::string_view key, bool wanted, json::Raw* out);
  Status ReadContent(json::Cursor& cursor, Parts* parts);
  Status ReadToolCalls(json::Cursor& cursor, Parts* parts);
  Status ReadTools(json::Cursor& cursor, Parts* parts);
  Status ReadMetric(json::Cursor& cursor, Parts* parts);
  Status ReadObservation(json::Cursor& cursor, Parts* parts);
  Status CheckRequired(const Parts& parts, uint64_t begin);
  Status Fill(Parts* parts);
  Status FillCalls(Parts* parts);
  Status UseToolCalls(const Parts& parts);
  Status CompareTools(Parts* parts);
  Status FillMetrics(const Parts& parts);
  Status CheckStepId();
  Status CheckCallIds();
  Status Invalid(std::string_view member, uint64_t offset, Status status);
  Status CursorError(const json::Cursor& cursor);

  const StepWants wants_;
  RecordBytes& bytes_;
  ToolReader tools_;
  ResultsComposer results_;
  PromptPairs prompts_;
  MemberReader members_;
  Turn turn_;
  Arena arena_{16 << 10};
  const Document* document_ = nullptr;
  ResidualBuilder* residuals_ = nullptr;
  DocumentSink* sink_ = nullptr;
  std::string steps_pointer_;
  std::string step_pointer_;
  std::unordered_set<std::string> call_ids_;  // of the attempt, for checks
  bool has_previous_id_ = false;
  int64_t previous_id_ = 0;
  bool undecided_ = false;
  uint64_t error_offset_ = 0;
  std::string error_pointer_;
};

}  // namespace pchronicle::model::actf
