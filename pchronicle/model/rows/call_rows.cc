#include "pchronicle/model/observation.h"
#include "pchronicle/model/rows/columns.h"
#include "pchronicle/model/rows/row_sink_base.h"

namespace pchronicle::model::rows {
namespace {

bool IsFact(uint16_t column) {
  return column == kCallIsError || column == kCallExitCode || column == kCallResultCount;
}

bool NeedsResults(uint16_t column) {
  return IsFact(column) || column == kCallResults || column == kCallResultText;
}

/// Relation `tool_calls` (storage.md 1.3, catalog.md 6.1).
class CallSink final : public RowSinkBase {
 public:
  explicit CallSink(Request request) : RowSinkBase(std::move(request)) {}

 protected:
  bool WantsTurns(const Entry& entry) const override { return !entry.pruned; }

  void Turned(size_t index, const Document& document, const Turn& turn) override {
    counters_.rows_scanned += turn.calls.size();
    if (counts_only() && row_predicates_.empty()) {
      AddRows(turn.calls.size());
      return;
    }
    parsed_ = false;
    for (uint32_t i = 0; i < turn.calls.size(); ++i) {
      AddCall(entries_[index], document, turn, i);
    }
  }

 private:
  void AddCall(Entry& entry, const Document& document, const Turn& turn, uint32_t call) {
    have_facts_ = false;
    for (const Predicate& predicate : row_predicates_) {
      if (!predicate.MayMatch(CellOf(predicate.column(), turn, call, scratch_))) {
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
      Append(ColumnOf(request_.columns[i], entry, document, turn, call), batch_.columns[i], text());
    }
    EndRow();
  }

  Cell ColumnOf(uint16_t column, Entry& entry, const Document& document, const Turn& turn,
                uint32_t call) {
    switch (column) {
      case kCallFile:
        return FileCell();
      case kCallDocumentId:
        return DocumentIdCell(entry, document);
      case kCallRunId:
        return RunIdCell(entry, document);
      case kCallSessionId:
        return SessionIdCell(entry, document);
      default:
        return CellOf(column, turn, call, text());
    }
  }

  Cell CellOf(uint16_t column, const Turn& turn, uint32_t index, Arena& arena) {
    if (NeedsResults(column)) {
      return ResultsCell(column, turn, index, arena);
    }
    const ToolCall& call = turn.calls[index];
    switch (column) {
      case kCallStepId:
        return Cell::Int(turn.id);
      case kCallIndex:
        return Cell::Int(index);
      case kCallId:
        return Cell::Borrowed(call.id);
      case kCallFunctionName:
        return Cell::Borrowed(call.function);
      case kCallArguments: {
        const Cell cell = JsonCell(call.arguments, arena);
        return cell.is_null() ? Cell::Stable("null") : cell;
      }
      case kCallResult:
        return JsonCell(call.result, arena);
      case kCallDuration:
        return Cell::Of(call.duration_ms);
      case kCallExtra:
        return JsonCell(call.extra, arena);
      case kCallKind:
        return Cell::Of(call.kind);
      case kCallResponse:
        return JsonCell(call.response, arena);
      case kCallTurnOrdinal:
        return Cell::Int(turn.ordinal);
      default:
        return Cell::Null();
    }
  }

  /// Cells that the step's observation decides; it is split once per turn, when first asked for.
  Cell ResultsCell(uint16_t column, const Turn& turn, uint32_t index, Arena& arena) {
    if (!parsed_) {
      parser_.Parse(turn, scratch_);
      parsed_ = true;
    }
    if (IsFact(column) && !have_facts_) {
      facts_ = parser_.Facts(turn.calls[index], index);
      have_facts_ = true;
    }
    composed_.clear();
    switch (column) {
      case kCallIsError:
        return Cell::Of(facts_.is_error);
      case kCallExitCode:
        return Cell::Of(facts_.exit_code);
      case kCallResultCount:
        return Cell::Int(facts_.result_count);
      case kCallResults:
        parser_.AppendResults(index, scratch_, composed_);
        return Cell::Stable(arena.Copy(composed_));
      case kCallResultText:
        return parser_.AppendText(index, scratch_, composed_) ? Cell::Stable(arena.Copy(composed_))
                                                              : Cell::Null();
      default:
        return Cell::Null();
    }
  }

  ObservationParser parser_;
  bool parsed_ = false;
  bool have_facts_ = false;
  CallFacts facts_;
  std::string composed_;
};

}  // namespace

std::unique_ptr<RowSink> MakeCallSink(RowSink::Request request) {
  return std::make_unique<CallSink>(std::move(request));
}

}  // namespace pchronicle::model::rows
