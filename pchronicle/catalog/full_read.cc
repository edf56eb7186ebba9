#include "pchronicle/catalog/full_read.h"

#include "pchronicle/catalog/problem.h"

namespace pchronicle::catalog {
namespace {

/// The second pass knows the surprises of the first, the third those that only the second could
/// meet.
constexpr int kMaxPasses = 3;

}  // namespace

Result<FullRead> ReadFully(const CatalogDataset& dataset, const Source& source,
                           const Limits& limits, const Context& context, model::FieldMask fields,
                           const MakePassSink& make) {
  FullRead read;
  auto held = ResolveHeld(dataset, source, limits, context);
  if (!held.ok()) {
    if (FailsAlways(held.status())) {
      return held.status();
    }
    read.problems.push_back({source.file, held.status(), 0, 0, ""});
    return read;
  }
  read.resolved = held->resolved;
  if (!read.resolved->error.ok()) {
    read.problems.push_back(PlaceError(source, *read.resolved));
    return read;
  }
  read.has_documents = HasDocuments(*read.resolved);
  if (!read.has_documents) {
    return read;
  }
  model::SourceNotes lost;
  for (int pass_number = 1; pass_number <= kMaxPasses; ++pass_number) {
    const PassSink sink = make(read.resolved);
    PCHRONICLE_ASSIGN_OR_RETURN(
        const auto pass,
        SourcePass::Open(dataset, source, *held, limits, context, {fields, {}, lost}, *sink.sink));
    while (pass->Advance()) {
      if (context.cancelled()) {
        break;
      }
    }
    PCHRONICLE_RETURN_IF_ERROR(context.Check());
    MergeLost(pass->TakeNotes(), lost);
    read.problems.clear();
    const KeptProblems met = sink.problems();
    read.problems_left_out = met.left_out;
    for (SourceProblem& placed :
         PlaceProblems(source.file, pass->input(), met.first, pass->is_compressed())) {
      if (FailsAlways(placed.status)) {
        return ToStatus(placed);
      }
      read.problems.push_back(std::move(placed));
    }
    read.records = pass->records();
    read.bytes_read += pass->bytes_read();
    read.compressed_bytes_read += pass->compressed_bytes_read();
    read.buffer_peak_bytes = std::max(read.buffer_peak_bytes, pass->buffer_peak_bytes());
    read.id_peak_bytes = std::max(read.id_peak_bytes, pass->id_bytes());
    read.open_tail = pass->open_tail();
    read.truncated = pass->truncated();
    if (!pass->needs_second_pass() && !sink.needs_second_pass()) {
      break;
    }
  }
  return read;
}

}  // namespace pchronicle::catalog
