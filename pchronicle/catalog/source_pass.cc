#include "pchronicle/catalog/source_pass.h"

#include <algorithm>

#include "pchronicle/catalog/cell.h"

namespace pchronicle::catalog {

bool HasDocuments(const ResolvedSource& resolved) {
  return resolved.harbor_run ||
         (resolved.format && resolved.content.status == ContentStatus::kUnknown);
}

Result<std::unique_ptr<SourcePass>> SourcePass::Open(const CatalogDataset& dataset,
                                                     const Source& source, HeldSource held,
                                                     const Limits& limits, const Context& context,
                                                     const PassOptions& options,
                                                     model::DocumentSink& sink) {
  std::unique_ptr<SourcePass> pass(new SourcePass(source, std::move(held), options, context));
  const ResolvedSource& resolved = *pass->held_.resolved;
  pass->sink_ = &sink;
  if (pass->held_.hold == nullptr) {
    // Resolved by somebody else: this keeps the file open, or its bytes, until the pass ends.
    PCHRONICLE_ASSIGN_OR_RETURN(pass->held_.hold,
                                static_cast<const FileInput&>(*resolved.input).Acquire());
  }
  pass->compressed_before_ = pass->held_.hold->decompression().compressed_bytes;
  const bool lifts = source.harbor != nullptr && options.fields.has_any(kHarborFields) &&
                     (source.harbor->result || source.harbor->reward_json ||
                      source.harbor->reward_text || source.harbor->trial_result);
  if (resolved.harbor_run || (lifts && resolved.format == model::Format::kAtif)) {
    PCHRONICLE_ASSIGN_OR_RETURN(pass->sidecar_,
                                LoadHarborSidecar(dataset, *source.harbor, context));
  }
  if (resolved.harbor_run) {
    return pass;
  }
  model::WalkOptions walk;
  walk.fields = options.fields;
  walk.container = resolved.container;
  walk.range = options.range;
  walk.source_path = source.file;
  walk.cursor.max_record_bytes = limits.max_record_bytes;
  // A small file needs no more than its own size; the window is what memory is bounded by.
  walk.cursor.window_bytes = static_cast<size_t>(
      std::clamp<uint64_t>(resolved.input->size().value_or(walk.cursor.window_bytes) + 64, 4096,
                           walk.cursor.window_bytes));
  if (pass->sidecar_ != nullptr) {
    PCHRONICLE_ASSIGN_OR_RETURN(const bool fills, pass->FillsCalls(walk));
    pass->lift_ = std::make_unique<HarborSink>(*pass->sidecar_, options.fields, fills, sink);
    pass->sink_ = pass->lift_.get();
  }
  pass->walker_ =
      model::MakeWalker(*resolved.format, pass->input_, walk, pass->Notes(), *pass->sink_);
  return pass;
}

/// Whether the sidecar's model calls are those of the turns without token ids: these are counted
/// first (HAR-13).
Result<bool> SourcePass::FillsCalls(const model::WalkOptions& walk) {
  if (sidecar_->model_calls() == 0 || !source_.harbor->is_main ||
      !options_.fields.has(model::Field::kMetrics)) {
    return false;
  }
  model::WalkOptions counting = walk;
  counting.fields = TokenlessTurnCounter::Fields();
  TokenlessTurnCounter counter;
  const auto walker =
      model::MakeWalker(*held_.resolved->format, input_, counting, Notes(), counter);
  while (walker->Advance()) {
  }
  return counter.count() == sidecar_->model_calls();
}

bool SourcePass::Advance() {
  if (walker_ != nullptr) {
    return walker_->Advance();
  }
  EmitHarborRun(*sidecar_, source_, *sink_);
  return false;
}

model::SourceNotes SourcePass::Notes() const {
  model::SourceNotes notes = options_.lost;
  notes.skim_first = source_.cell->SkimsFirst();
  notes.serial = source_.cell->IsSerial();
  return notes;
}

model::SourceNotes SourcePass::TakeNotes() {
  if (walker_ == nullptr) {
    return {};
  }
  source_.cell->AddHints(walker_->notes());
  if (open_tail()) {
    source_.cell->SetOpenTail();
  }
  return walker_->notes();
}

}  // namespace pchronicle::catalog
