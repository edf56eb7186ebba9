#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "pchronicle/model/first_problems.h"
#include "pchronicle/model/relations.h"
#include "pchronicle/model/rows/cell.h"
#include "pchronicle/model/rows/predicate.h"

namespace pchronicle::model::rows {

/// What all row sinks share: the documents of the open record, predicates that a whole document
/// decides, the batch with its bookkeeping, taking back the rows of a lost document, problems and
/// diagnostics.
class RowSinkBase : public RowSink {
 public:
  explicit RowSinkBase(Request request);

  columnar::Batch& batch() final { return batch_; }
  bool needs_second_pass() const final { return needs_second_pass_; }
  const std::vector<Problem>& problems() const final { return problems_.kept(); }
  uint64_t problems_left_out() const final { return problems_.left_out(); }
  const Diagnostics& diagnostics() const final { return diagnostics_; }
  const Counters& counters() const final { return counters_; }

  Wish OnDocument(const Document& document) final;
  void OnTurn(const Document& document, const Turn& turn) final;
  void OnDocumentEnd(const Document& document) final;
  void OnRecordEnd() final;
  void OnDocumentLost(const Document& document) final;
  bool OnProblem(Problem problem) final;
  void OnDiagnostic(const Document* document, std::string_view code, std::string_view pointer,
                    std::string_view example) final;

 protected:
  /// A document of the open record.
  struct Entry {
    int64_t ordinal = 0;
    int depth = 0;
    bool open = true;
    bool pruned = false;  // no row of it can satisfy the predicates
    bool lost = false;
    uint64_t first_row = 0;  // number of rows emitted when it opened; and when it closed
    uint64_t end_row = 0;
    Diagnostics diagnostics;
    // Texts that stand in every row, copied once per batch arena.
    uint64_t epoch = 0;
    std::string_view document_id;
    std::string_view session_id;
    Text run_id;
  };

  // Hooks of the relations. `index` numbers the documents of the record in the order they opened.
  /// Whether the turns of the document are of use.
  virtual bool WantsTurns(const Entry& entry) const = 0;
  virtual void Opened(size_t index, const Document& document);
  virtual void Turned(size_t index, const Document& document, const Turn& turn) = 0;
  virtual void Closed(size_t index, const Document& document);
  /// The documents of the record are complete; lost ones are marked.
  virtual void RecordEnded();

  /// Call before the cells of a row are appended.
  void BeginRow();
  /// Counts a finished row.
  void EndRow();
  /// Counts `rows` rows without cells (COUNT(*)).
  void AddRows(uint64_t rows);
  bool counts_only() const { return request_.columns.empty(); }
  void Note(size_t index, std::string_view code, std::string_view pointer,
            std::string_view example = {});

  Arena& text() { return *batch_.text; }
  /// `_file_` and the ids of a document, in the arena of the batch.
  Cell FileCell();
  Cell DocumentIdCell(Entry& entry, const Document& document);
  Cell SessionIdCell(Entry& entry, const Document& document);
  Cell RunIdCell(Entry& entry, const Document& document);

  Request request_;
  columnar::Batch batch_;
  Counters counters_;
  std::vector<Entry> entries_;
  std::vector<Predicate>
      row_predicates_;  // those that a document does not decide, cheap ones first
  Arena scratch_;       // for cells that only predicates look at, and pieces

 private:
  /// What a predicate may ask of a document when it opens.
  enum class Early : uint8_t { kNone, kFile, kDocumentId, kSessionId, kRunId, kOrdinal };
  static Early EarlyColumn(std::string_view name);
  bool MayMatch(const Document& document) const;
  void CopyTexts(Entry& entry, const Document& document);
  size_t Find(const Document& document) const;
  void RemoveRows(uint64_t begin, uint64_t end);

  std::vector<std::pair<Early, Predicate>> document_predicates_;
  std::vector<size_t> open_;                    // indices of open entries, outermost first
  std::map<int64_t, Diagnostics> early_notes_;  // of documents that are not announced yet
  uint64_t emitted_ = 0;  // rows that went into the batch, lost ones not counted
  uint64_t epoch_ = 1;    // changes with the arena of the batch
  uint64_t file_epoch_ = 0;
  std::string_view file_text_;
  bool needs_second_pass_ = false;
  FirstProblems problems_;
  Diagnostics diagnostics_;
};

/// The sinks of the relations.
std::unique_ptr<RowSink> MakeRunSink(RowSink::Request request);
std::unique_ptr<RowSink> MakeStepSink(RowSink::Request request);
std::unique_ptr<RowSink> MakeCallSink(RowSink::Request request);
std::unique_ptr<RowSink> MakeResultSink(RowSink::Request request);
std::unique_ptr<RowSink> MakeTrajectorySink(RowSink::Request request);

}  // namespace pchronicle::model::rows
