#include "pchronicle/model/rows/run_rows.h"

#include <algorithm>

namespace pchronicle::model::rows {
namespace {

constexpr size_t kDocumentsKept = 1024;  // buffers of a huge record are given back

}  // namespace

RunSink::RunSink(Request request)
    : RowSinkBase(std::move(request)), used_(RelationColumns(request_.relation).size()) {
  for (const uint16_t column : request_.columns) {
    used_[column] = true;
  }
  for (const Predicate& predicate : row_predicates_) {
    used_[predicate.column()] = true;
  }
  wants_links_ = uses(kRunParent);
  keeps_documents_ = !counts_only() || !row_predicates_.empty();
}

void RunSink::Opened(size_t index, const Document& document) {
  if (documents_.size() <= index) {
    documents_.resize(index + 1);
  }
  if (wants_links_) {
    links_.OpenDocument(document);
  }
}

void RunSink::Turned(size_t, const Document& document, const Turn& turn) {
  if (wants_links_) {
    links_.AddTurn(document, turn);
  }
}

void RunSink::Closed(size_t index, const Document& document) {
  if (wants_links_) {
    links_.CloseDocument(document);
  }
  if (keeps_documents_ && !entries_[index].pruned) {
    documents_[index] = document;
  }
}

void RunSink::RecordEnded() {
  order_.clear();
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].lost && !entries_[i].open && !entries_[i].pruned) {
      order_.push_back(i);
    }
  }
  std::ranges::stable_sort(order_, {}, [this](uint32_t i) { return entries_[i].ordinal; });
  counters_.rows_scanned += order_.size();
  if (!keeps_documents_) {
    AddRows(order_.size());
  } else {
    for (const uint32_t index : order_) {
      Emit(index);
    }
  }
  if (wants_links_) {
    links_.Clear();
  }
  if (documents_.size() > kDocumentsKept) {
    documents_ = {};
  }
  scratch_.Reset();
}

void RunSink::Emit(size_t index) {
  if (wants_links_) {
    links_.Resolve(documents_[index]);
  }
  Finish(index);
  for (const Predicate& predicate : row_predicates_) {
    if (!predicate.MayMatch(CellOf(predicate.column(), index, scratch_))) {
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
    const uint16_t column = request_.columns[i];
    if (column >= kRunColumnCount) {
      AppendMore(column, index, batch_.columns[i]);
    } else {
      Append(column == kRunFile ? FileCell() : CellOf(column, index, text()), batch_.columns[i],
             text());
    }
  }
  EndRow();
}

Cell RunSink::CellOf(uint16_t column, size_t index, Arena& arena) {
  return column >= kRunColumnCount ? MoreCellOf(column, index, arena)
                                   : cells_.Of(column, documents_[index], arena);
}

void RunSink::Finish(size_t) {}

Cell RunSink::MoreCellOf(uint16_t, size_t, Arena&) { return Cell::Null(); }

void RunSink::AppendMore(uint16_t column, size_t index, columnar::Column& out) {
  Append(MoreCellOf(column, index, text()), out, text());
}

std::unique_ptr<RowSink> MakeRunSink(RowSink::Request request) {
  return std::make_unique<RunSink>(std::move(request));
}

}  // namespace pchronicle::model::rows
