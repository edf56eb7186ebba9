#pragma once

#include <vector>

#include "pchronicle/model/rows/columns.h"
#include "pchronicle/model/rows/parent_links.h"
#include "pchronicle/model/rows/row_sink_base.h"
#include "pchronicle/model/rows/run_cells.h"

namespace pchronicle::model::rows {

/// Relation `runs`, and the frame of `trajectories`: one row per document, put out at the end of
/// its record in the order of the documents' numbers, because only then parents are known
/// completely.
class RunSink : public RowSinkBase {
 public:
  explicit RunSink(Request request);

 protected:
  bool WantsTurns(const Entry&) const override { return wants_links_; }
  void Opened(size_t index, const Document& document) override;
  void Turned(size_t index, const Document& document, const Turn& turn) override;
  void Closed(size_t index, const Document& document) override;
  void RecordEnded() override;

  /// Called once per document before its cells.
  virtual void Finish(size_t index);
  /// Cells behind those of `runs`, for a row or for a predicate.
  virtual Cell MoreCellOf(uint16_t column, size_t index, Arena& arena);
  virtual void AppendMore(uint16_t column, size_t index, columnar::Column& out);
  /// True when the request projects or filters by the column.
  bool uses(uint16_t column) const { return used_[column]; }
  bool wants_links() const { return wants_links_; }

  std::vector<Document> documents_;  // by entry; complete once closed

 private:
  void Emit(size_t index);
  Cell CellOf(uint16_t column, size_t index, Arena& arena);

  std::vector<bool> used_;
  bool wants_links_;
  bool keeps_documents_;
  ParentLinks links_;
  RunCells cells_;
  std::vector<uint32_t> order_;
};

}  // namespace pchronicle::model::rows
