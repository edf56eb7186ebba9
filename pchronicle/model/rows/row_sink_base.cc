#include "pchronicle/model/rows/row_sink_base.h"

#include <algorithm>

namespace pchronicle::model::rows {
namespace {

constexpr size_t kNotFound = SIZE_MAX;
constexpr size_t kScratchKept = 1 << 20;

std::vector<columnar::Type> TypesOf(const RowSink::Request& request) {
  std::vector<columnar::Type> types;
  types.reserve(request.columns.size());
  for (const uint16_t column : request.columns) {
    types.push_back(RelationColumns(request.relation)[column].field.type);
  }
  return types;
}

/// Rough cost of a predicate: what the row holds anyway, then texts, then values that have to be
/// put together.
int Cost(Relation relation, uint16_t column) {
  switch (RelationColumns(relation)[column].field.type) {
    case columnar::Type::kJson:
      return 2;
    case columnar::Type::kVarchar:
      return RelationColumns(relation)[column].needs == FieldMask() ? 0 : 1;
    default:
      return 0;
  }
}

}  // namespace

RowSinkBase::RowSinkBase(Request request)
    : request_(std::move(request)), batch_(TypesOf(request_)) {
  std::vector<RowPredicate> sorted = request_.predicates;
  std::ranges::stable_sort(
      sorted, {}, [this](const RowPredicate& p) { return Cost(request_.relation, p.column); });
  for (const RowPredicate& predicate : sorted) {
    const Early early =
        EarlyColumn(RelationColumns(request_.relation)[predicate.column].field.name);
    if (early == Early::kNone) {
      row_predicates_.emplace_back(predicate, request_.relation);
    } else {
      document_predicates_.emplace_back(early, Predicate(predicate, request_.relation));
    }
  }
}

RowSinkBase::Early RowSinkBase::EarlyColumn(std::string_view name) {
  if (name == "_file_") {
    return Early::kFile;
  }
  if (name == "document_id") {
    return Early::kDocumentId;
  }
  if (name == "session_id") {
    return Early::kSessionId;
  }
  if (name == "run_id") {
    return Early::kRunId;
  }
  return name == "storage_ordinal" ? Early::kOrdinal : Early::kNone;
}

bool RowSinkBase::MayMatch(const Document& document) const {
  for (const auto& [early, predicate] : document_predicates_) {
    Cell cell;
    switch (early) {
      case Early::kFile:
        cell = Cell::Borrowed(request_.file);
        break;
      case Early::kDocumentId:
        cell = Cell::Borrowed(document.document_id);
        break;
      case Early::kSessionId:
        cell = Cell::Borrowed(document.session_id);
        break;
      case Early::kRunId:
        cell = Cell::Of(document.run_id);
        break;
      case Early::kOrdinal:
        cell = Cell::Int(document.ordinal);
        break;
      case Early::kNone:
        continue;
    }
    if (!predicate.MayMatch(cell)) {
      return false;
    }
  }
  return true;
}

DocumentSink::Wish RowSinkBase::OnDocument(const Document& document) {
  ++counters_.documents_scanned;
  const size_t index = entries_.size();
  Entry& entry = entries_.emplace_back();
  entry.ordinal = document.ordinal;
  entry.depth = document.depth;
  entry.first_row = entry.end_row = emitted_;
  entry.pruned = !document_predicates_.empty() && !MayMatch(document);
  counters_.documents_pruned += entry.pruned ? 1 : 0;
  if (!early_notes_.empty()) {
    if (const auto early = early_notes_.find(document.ordinal); early != early_notes_.end()) {
      entry.diagnostics = std::move(early->second);
      early_notes_.erase(early);
    }
  }
  open_.push_back(index);
  Opened(index, document);
  return WantsTurns(entries_[index]) ? Wish::kTurns : Wish::kSkip;
}

size_t RowSinkBase::Find(const Document& document) const {
  if (!open_.empty() && entries_[open_.back()].ordinal == document.ordinal) {
    return open_.back();
  }
  for (size_t i = entries_.size(); i-- > 0;) {
    if (entries_[i].ordinal == document.ordinal) {
      return i;
    }
  }
  return kNotFound;
}

void RowSinkBase::OnTurn(const Document& document, const Turn& turn) {
  const size_t index = Find(document);
  if (index != kNotFound && !entries_[index].lost && WantsTurns(entries_[index])) {
    Turned(index, document, turn);
    if (scratch_.bytes() > kScratchKept) {
      scratch_.Reset();
    }
  }
}

void RowSinkBase::OnDocumentEnd(const Document& document) {
  const size_t index = Find(document);
  if (index == kNotFound) {
    return;
  }
  entries_[index].open = false;
  entries_[index].end_row = emitted_;
  std::erase(open_, index);
  if (!entries_[index].lost) {
    Closed(index, document);
  }
}

void RowSinkBase::OnRecordEnd() {
  RecordEnded();
  for (const Entry& entry : entries_) {
    if (!entry.lost && !entry.diagnostics.empty()) {
      diagnostics_.Merge(entry.diagnostics);
    }
  }
  for (const auto& [ordinal, notes] : early_notes_) {
    diagnostics_.Merge(notes);
  }
  early_notes_.clear();
  entries_.clear();
  open_.clear();
}

void RowSinkBase::OnDocumentLost(const Document& document) {
  const size_t index = Find(document);
  if (index == kNotFound) {
    // Its record has ended: rows of it may have left.
    needs_second_pass_ = true;
    return;
  }
  const int depth = entries_[index].depth;
  const uint64_t begin = entries_[index].first_row;
  const uint64_t end = entries_[index].open ? emitted_ : entries_[index].end_row;
  for (size_t i = index; i < entries_.size() && (i == index || entries_[i].depth > depth); ++i) {
    entries_[i].lost = true;
    entries_[i].open = false;
    std::erase(open_, i);
  }
  RemoveRows(begin, end);
}

void RowSinkBase::RemoveRows(uint64_t begin, uint64_t end) {
  if (begin == end) {
    return;
  }
  const uint64_t batch_begin = emitted_ - batch_.rows;
  if (begin < batch_begin) {
    needs_second_pass_ = true;
  }
  if (end <= batch_begin) {
    return;
  }
  const uint64_t first = std::max(begin, batch_begin);
  const uint64_t removed = end - first;
  batch_.Erase(first - batch_begin, end - batch_begin);
  const bool was_tail = end == emitted_;
  emitted_ -= removed;
  counters_.rows_emitted -= removed;
  if (was_tail) {
    return;
  }
  for (Entry& entry : entries_) {
    entry.first_row -= entry.first_row >= end ? removed : 0;
    entry.end_row -= entry.end_row >= end ? removed : 0;
  }
}

bool RowSinkBase::OnProblem(Problem problem) {
  problems_.Add(std::move(problem));
  return request_.keep_problems;
}

void RowSinkBase::OnDiagnostic(const Document* document, std::string_view code,
                               std::string_view pointer, std::string_view example) {
  if (document == nullptr) {
    diagnostics_.Add(code, pointer, example);
    return;
  }
  const size_t index = Find(*document);
  Diagnostics& notes =
      index == kNotFound ? early_notes_[document->ordinal] : entries_[index].diagnostics;
  notes.Add(code, pointer, example);
}

void RowSinkBase::Note(size_t index, std::string_view code, std::string_view pointer,
                       std::string_view example) {
  entries_[index].diagnostics.Add(code, pointer, example);
}

void RowSinkBase::Opened(size_t, const Document&) {}
void RowSinkBase::Closed(size_t, const Document&) {}
void RowSinkBase::RecordEnded() {}

void RowSinkBase::BeginRow() {
  if (batch_.rows == 0) {
    ++epoch_;
  }
}

void RowSinkBase::EndRow() {
  ++batch_.rows;
  ++emitted_;
  ++counters_.rows_emitted;
}

void RowSinkBase::AddRows(uint64_t rows) {
  batch_.rows += rows;
  emitted_ += rows;
  counters_.rows_emitted += rows;
}

Cell RowSinkBase::FileCell() {
  if (file_epoch_ != epoch_) {
    file_text_ = text().Copy(request_.file);
    file_epoch_ = epoch_;
  }
  return Cell::Stable(file_text_);
}

void RowSinkBase::CopyTexts(Entry& entry, const Document& document) {
  if (entry.epoch == epoch_) {
    return;
  }
  entry.epoch = epoch_;
  entry.document_id = text().Copy(document.document_id);
  entry.session_id = document.session_id == document.document_id ? entry.document_id
                                                                 : text().Copy(document.session_id);
  entry.run_id = document.run_id ? Text(text().Copy(*document.run_id)) : std::nullopt;
}

Cell RowSinkBase::DocumentIdCell(Entry& entry, const Document& document) {
  CopyTexts(entry, document);
  return Cell::Stable(entry.document_id);
}

Cell RowSinkBase::SessionIdCell(Entry& entry, const Document& document) {
  CopyTexts(entry, document);
  return Cell::Stable(entry.session_id);
}

Cell RowSinkBase::RunIdCell(Entry& entry, const Document& document) {
  CopyTexts(entry, document);
  return entry.run_id ? Cell::Stable(*entry.run_id) : Cell::Null();
}

}  // namespace pchronicle::model::rows
