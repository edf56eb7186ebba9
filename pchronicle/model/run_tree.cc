#include "pchronicle/model/run_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "pchronicle/model/rows/cell.h"
#include "pchronicle/model/rows/columns.h"
#include "pchronicle/model/run_tree_links.h"
#include "pchronicle/model/run_tree_part.h"
#include "pchronicle/model/totals_note.h"

namespace pchronicle::model {
namespace {

using rows::Cell;

class Tree final : public RunTree {
 public:
  explicit Tree(std::vector<std::unique_ptr<RunTreeCollector>> parts) : parts_(std::move(parts)) {
    links_ = LinkRuns(parts_, diagnostics_);
    AddUpTotals();
    copies_ = FindLikelyCopies(links_, diagnostics_);
  }

  size_t rows() const override { return links_.nodes.size(); }
  size_t top_level_runs() const override {
    return static_cast<size_t>(std::ranges::count_if(
        links_.nodes, [](const RunNode& node) { return node.parent == kNoRun; }));
  }
  const Diagnostics& diagnostics() const override { return diagnostics_; }

  void Append(size_t begin, size_t end, const std::vector<uint16_t>& columns,
              columnar::Batch& batch) const override {
    for (size_t row = begin; row < end; ++row) {
      for (size_t i = 0; i < columns.size(); ++i) {
        rows::Append(CellOf(row, columns[i], *batch.text), batch.columns[i], *batch.text);
      }
    }
    batch.rows += end - begin;
  }

 private:
  /// Own numbers of every run plus those of all its descendants; deepest first, so nothing is added
  /// twice.
  void AddUpTotals() {
    std::vector<uint32_t> order(links_.nodes.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      totals_.push_back(links_.nodes[i].document->own);
    }
    descendants_.assign(order.size(), 0);
    std::ranges::stable_sort(order, std::greater<>(),
                             [this](uint32_t i) { return links_.nodes[i].depth; });
    for (const uint32_t run : order) {
      const uint32_t parent = links_.nodes[run].parent;
      if (parent != kNoRun) {
        totals_[parent].Add(totals_[run]);
        descendants_[parent] += descendants_[run] + 1;
      }
    }
  }

  Cell CellOf(size_t row, uint16_t column, Arena& arena) const {
    const RunNode& node = links_.nodes[row];
    switch (column) {
      case rows::kTreeFile:
        return Cell::Borrowed(*node.file);
      case rows::kTreeDocumentId:
        return Cell::Borrowed(node.document->document_id);
      case rows::kTreeSessionId:
        return Cell::Borrowed(node.document->session_id);
      case rows::kTreeRunId:
        return Cell::Of(node.document->run_id);
      case rows::kTreeParentFile:
        return node.parent == kNoRun ? Cell::Null()
                                     : Cell::Borrowed(*links_.nodes[node.parent].file);
      case rows::kTreeParentDocumentId:
        return node.parent == kNoRun
                   ? Cell::Null()
                   : Cell::Borrowed(links_.nodes[node.parent].document->document_id);
      case rows::kTreeChildCount:
        return Cell::Int(node.children);
      case rows::kTreeDepth:
        return Cell::Int(node.depth);
      case rows::kTreeTotalsNote:
        return NoteCell(row, arena);
      default:
        return TotalCell(row, column);
    }
  }

  Cell TotalCell(size_t row, uint16_t column) const {
    const TreeDocument& document = *links_.nodes[row].document;
    const bool own = column < rows::kTreeReportedPromptTokens;
    const bool reported = !own && column < rows::kTreeTotalPromptTokens;
    const Totals& totals = own ? document.own : reported ? document.reported : totals_[row];
    switch ((column - rows::kTreeOwnPromptTokens) % 4) {
      case 0:
        return Cell::Of(totals.prompt_tokens);
      case 1:
        return Cell::Of(totals.completion_tokens);
      case 2:
        return Cell::Of(totals.cached_tokens);
      default:
        return Cell::Of(totals.cost_usd);
    }
  }

  Cell NoteCell(size_t row, Arena& arena) const {
    const RunNode& node = links_.nodes[row];
    TotalsFacts facts;
    facts.own = node.document->own;
    facts.reported = node.document->reported;
    facts.sidecar = node.document->sidecar;
    facts.total = totals_[row];
    facts.copied_steps = node.document->copied_steps;
    facts.descendants = descendants_[row];
    facts.unresolved_references = node.unresolved_references;
    std::string note = DescribeTotals(facts);
    if (const auto copy = copies_.find(static_cast<uint32_t>(row)); copy != copies_.end()) {
      const RunNode& earlier = links_.nodes[copy->second.earlier];
      note += fmt::format("{}likely_copied: the first {}{} of {} steps repeat those of {} in {}",
                          note.empty() ? "" : "; ", copy->second.is_capped ? "at least " : "",
                          copy->second.steps, node.document->steps, earlier.document->document_id,
                          *earlier.file);
    }
    return note.empty() ? Cell::Null() : Cell::Stable(arena.Copy(note));
  }

  std::vector<std::unique_ptr<RunTreeCollector>> parts_;
  Diagnostics diagnostics_;
  RunLinks links_;
  std::vector<Totals> totals_;  // with descendants
  std::vector<int64_t> descendants_;
  std::unordered_map<uint32_t, LikelyCopy> copies_;  // by the later run
};

}  // namespace

std::unique_ptr<RunTree> RunTree::Build(std::vector<std::unique_ptr<RunTreeCollector>> parts) {
  return std::make_unique<Tree>(std::move(parts));
}

}  // namespace pchronicle::model
