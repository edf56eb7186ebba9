#include "pchronicle/model/message_text.h"
#include "pchronicle/model/observation.h"
#include "pchronicle/model/rows/columns.h"
#include "pchronicle/model/rows/row_sink_base.h"

namespace pchronicle::model::rows {
namespace {

/// Relation `observation_results` (catalog.md 6.1): one row per result of every step (D9).
class ResultSink final : public RowSinkBase {
 public:
  explicit ResultSink(Request request) : RowSinkBase(std::move(request)) {}

 protected:
  bool WantsTurns(const Entry& entry) const override { return !entry.pruned; }

  void Turned(size_t index, const Document& document, const Turn& turn) override {
    if (!TurnMayMatch(turn)) {
      return;
    }
    parser_.Parse(turn, scratch_);
    const std::vector<ResultView>& results = parser_.results();
    counters_.rows_scanned += results.size();
    if (counts_only() && row_predicates_.empty()) {
      AddRows(results.size());
      return;
    }
    for (size_t i = 0; i < results.size(); ++i) {
      AddResult(entries_[index], document, turn, i);
    }
  }

 private:
  static bool IsOfTurn(uint16_t column) {
    return column == kResultStepId || column == kResultTurnOrdinal;
  }

  /// Predicates on the step, before its observation is looked at.
  bool TurnMayMatch(const Turn& turn) const {
    for (const Predicate& predicate : row_predicates_) {
      if (IsOfTurn(predicate.column()) &&
          !predicate.MayMatch(
              Cell::Int(predicate.column() == kResultStepId ? turn.id : turn.ordinal))) {
        return false;
      }
    }
    return true;
  }

  void AddResult(Entry& entry, const Document& document, const Turn& turn, size_t result) {
    for (const Predicate& predicate : row_predicates_) {
      if (!IsOfTurn(predicate.column()) &&
          !predicate.MayMatch(CellOf(predicate.column(), turn, result, scratch_))) {
        ++counters_.rows_pruned;
        return;
      }
    }
    if (counts_only()) {
      AddRows(1);
      return;
    }
    BeginRow();
    for (size_t i = 0; i < request_.columns.size(); ++i) {
      Append(ColumnOf(request_.columns[i], entry, document, turn, result), batch_.columns[i],
             text());
    }
    EndRow();
  }

  Cell ColumnOf(uint16_t column, Entry& entry, const Document& document, const Turn& turn,
                size_t result) {
    switch (column) {
      case kResultFile:
        return FileCell();
      case kResultDocumentId:
        return DocumentIdCell(entry, document);
      case kResultRunId:
        return RunIdCell(entry, document);
      case kResultSessionId:
        return SessionIdCell(entry, document);
      default:
        return CellOf(column, turn, result, text());
    }
  }

  Cell CellOf(uint16_t column, const Turn& turn, size_t index, Arena& arena) {
    const ResultView& result = parser_.results()[index];
    const bool linked = result.link != ResultLink::kNone;
    switch (column) {
      case kResultStepId:
        return Cell::Int(turn.id);
      case kResultTurnOrdinal:
        return Cell::Int(turn.ordinal);
      case kResultIndex:
        return Cell::Int(static_cast<int64_t>(index));
      case kResultLink:
        return Cell::Stable(ResultLinkName(result.link));
      case kResultToolCallId:
        return linked ? Cell::Borrowed(turn.calls[result.call].id) : Cell::Null();
      case kResultCallIndex:
        return linked ? Cell::Int(result.call) : Cell::Null();
      case kResultFunctionName:
        return linked ? Cell::Borrowed(turn.calls[result.call].function) : Cell::Null();
      case kResultSourceCallId:
        return Cell::Of(result.call_id);
      case kResultOrigin:
        return Cell::Stable(result.is_inline ? "inline" : "observation");
      case kResultContent:
        return JsonCell(result.content, arena);
      case kResultContentText:
        return ContentText(result, arena);
      case kResultIsError:
        return Cell::Of(result.is_error);
      case kResultExitCode:
        return Cell::Of(result.exit_code);
      case kResultSubagentRefs:
        return JsonCell(result.subagent_refs, arena);
      case kResultExtra:
        return ExtraCell(result, arena);
      default:
        return Cell::Null();
    }
  }

  static Cell ContentText(const ResultView& result, Arena& arena) {
    if (!result.content.has_value()) {
      return Cell::Null();
    }
    const auto content = MessageText(result.content, arena);
    return content ? TextOf(*content, result.content.text) : Cell::Null();
  }

  Cell ExtraCell(const ResultView& result, Arena& arena) {
    if (result.is_inline || (!result.has_more && !result.extra.has_value())) {
      return Cell::Null();
    }
    composed_.clear();
    AppendExtra(result, scratch_, composed_);
    return Cell::Stable(arena.Copy(composed_));
  }

  ObservationParser parser_;
  std::string composed_;
};

}  // namespace

std::unique_ptr<RowSink> MakeResultSink(RowSink::Request request) {
  return std::make_unique<ResultSink>(std::move(request));
}

}  // namespace pchronicle::model::rows
