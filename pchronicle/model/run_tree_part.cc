#include "pchronicle/model/run_tree_part.h"

#include <algorithm>

#include "pchronicle/model/message_text.h"
#include "pchronicle/model/metric_notes.h"
#include "pchronicle/model/run_totals.h"

namespace pchronicle::model {
namespace {

constexpr size_t kScratchKept = 1 << 20;
constexpr size_t kExampleBytes = 400;

Text CopyText(const Text& text, Arena& arena) {
  return text ? Text(arena.Copy(*text)) : std::nullopt;
}

}  // namespace

void StepPrefix::Add(const Turn& turn, Arena& scratch) {
  if (closed_) {
    return;
  }
  const auto text = turn.message.has_value() ? MessageText(turn.message, scratch) : std::nullopt;
  if (!text) {
    closed_ = true;
    return;
  }
  const Hash128 pieces[3] = {Xxh3Wide(*text, static_cast<uint64_t>(turn.id)), Xxh3Wide(turn.source),
                             state_};
  state_ = Xxh3Wide({reinterpret_cast<const char*>(pieces), sizeof(pieces)});
  hashes_.push_back(state_.low);
  closed_ = hashes_.size() == kMax;
}

size_t StepPrefix::CommonSteps(const StepPrefix& other) const {
  const auto [mine, theirs] = std::ranges::mismatch(hashes_, other.hashes_);
  return static_cast<size_t>(mine - hashes_.begin());
}

std::unique_ptr<RunTreeCollector> RunTreeCollector::Make(std::string file) {
  return std::make_unique<RunTreePart>(std::move(file));
}

FieldMask RunTreeCollector::Fields() {
  return Field::kDocumentId | Field::kRunId | Field::kParent | Field::kFinalMetrics |
         Field::kOutcome | Field::kContinuedRef | Field::kTurns | Field::kMetrics | Field::kCopied |
         Field::kObservation | Field::kMessage;
}

DocumentSink::Wish RunTreePart::OnDocument(const Document& document) {
  TreeDocument& entry = record_.emplace_back();
  entry.ordinal = document.ordinal;
  entry.depth = document.depth;
  entry.holder = open_.empty() || document.depth == 0 ? -1 : static_cast<int64_t>(open_.back());
  open_.push_back(record_.size() - 1);
  return Wish::kTurns;
}

TreeDocument* RunTreePart::Find(const Document& document) {
  if (!open_.empty() && record_[open_.back()].ordinal == document.ordinal) {
    return &record_[open_.back()];
  }
  for (size_t i = record_.size(); i-- > 0;) {
    if (record_[i].ordinal == document.ordinal) {
      return &record_[i];
    }
  }
  return nullptr;
}

void RunTreePart::OnTurn(const Document& document, const Turn& turn) {
  TreeDocument* entry = Find(document);
  if (entry == nullptr || entry->lost) {
    return;
  }
  const bool copied = turn.copied == true;
  entry->starts_copied |= copied && entry->steps == 0;
  ++entry->steps;
  entry->copied_steps += copied ? 1 : 0;
  ReadStepMetrics(turn.metrics, kTokenCounts, &metrics_);
  for (const BadMetric& bad : metrics_.bad) {
    NoteBadMetric(diagnostics_, document, turn.ordinal, bad);
  }
  if (!copied) {
    entry->own.Add(TotalsOf(metrics_));
  }
  entry->prefix.Add(turn, scratch_);
  if (rows::MayNameSubagents(turn.observation)) {
    AddReferences(*entry, turn);
  }
  if (scratch_.bytes() > kScratchKept) {
    scratch_.Reset();
  }
}

void RunTreePart::AddReferences(TreeDocument& document, const Turn& turn) {
  without_calls_.observation = turn.observation;
  parser_.Parse(without_calls_, scratch_);
  refs_.clear();
  for (const ResultView& result : parser_.results()) {
    rows::ReadSubagentRefs(result.subagent_refs, arena_, refs_);
  }
  for (const rows::SubagentRef& ref : refs_) {
    document.references.push_back({ref, turn.ordinal});
  }
  without_calls_.observation = {};
}

void RunTreePart::OnDocumentEnd(const Document& document) {
  TreeDocument* entry = Find(document);
  if (entry == nullptr) {
    return;
  }
  std::erase(open_, static_cast<size_t>(entry - record_.data()));
  entry->document_id = arena_.Copy(document.document_id);
  entry->session_id = arena_.Copy(document.session_id);
  entry->run_id = CopyText(document.run_id, arena_);
  entry->trajectory_id = CopyText(document.trajectory_id, arena_);
  entry->parent_id =
      document.parent ? Text(arena_.Copy(document.parent->document_id)) : std::nullopt;
  entry->continued_ref = CopyText(document.continued_ref, arena_);
  entry->pointer = arena_.Copy(document.pointer);
  entry->turns_member = arena_.Copy(document.turns_member);
  bad_.clear();
  entry->reported = ReportedTotals(document, &bad_);
  for (const BadMetric& bad : bad_) {
    NoteBadTotal(diagnostics_, document, bad);
  }
  entry->sidecar = SidecarTotals(document);
}

void RunTreePart::OnDocumentLost(const Document& document) {
  TreeDocument* entry = Find(document);
  if (entry == nullptr) {
    return;
  }
  const size_t first = static_cast<size_t>(entry - record_.data());
  const int depth = entry->depth;
  for (size_t i = first; i < record_.size() && (i == first || record_[i].depth > depth); ++i) {
    record_[i].lost = true;
    std::erase(open_, i);
  }
}

void RunTreePart::OnRecordEnd() {
  // Lost documents leave; what is embedded in them is lost as well, so a holder always stays.
  std::vector<int64_t> place(record_.size(), -1);
  for (size_t i = 0; i < record_.size(); ++i) {
    TreeDocument& document = record_[i];
    if (document.lost) {
      continue;
    }
    place[i] = static_cast<int64_t>(documents_.size());
    document.holder = document.holder < 0 ? -1 : place[static_cast<size_t>(document.holder)];
    documents_.push_back(std::move(document));
  }
  record_.clear();
  open_.clear();
}

bool RunTreePart::OnProblem(Problem problem) {
  problems_.Add(std::move(problem));
  return true;
}

void RunTreePart::OnDiagnostic(const Document*, std::string_view code, std::string_view pointer,
                               std::string_view example) {
  diagnostics_.Add(code, pointer, example.substr(0, kExampleBytes));
}

}  // namespace pchronicle::model
