#include "pchronicle/app/run_loader.h"

#include <unordered_set>
#include <utility>

#include "pchronicle/json/record_stream.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::app {
namespace {

// Hands the wanted documents to the hub and lets the walker skip the turns of the others.
class SelectingSink final : public model::DocumentSink {
 public:
  SelectingSink(const DocumentFilter& wanted, bool keep_going) : wanted_(wanted) {
    hub_.set_keep_going(keep_going);
  }

  Wish OnDocument(const model::Document& document) override {
    if (!wanted_(document)) {
      return Wish::kSkip;
    }
    chosen_.insert(document.ordinal);
    return hub_.OnDocument(document);
  }
  void OnTurn(const model::Document& document, const model::Turn& turn) override {
    if (Chosen(document)) {
      hub_.OnTurn(document, turn);
    }
  }
  void OnDocumentEnd(const model::Document& document) override {
    if (Chosen(document)) {
      hub_.OnDocumentEnd(document);
    }
  }
  void OnRecordEnd() override { hub_.OnRecordEnd(); }
  void OnDocumentLost(const model::Document& document) override {
    if (Chosen(document)) {
      hub_.OnDocumentLost(document);
      chosen_.erase(document.ordinal);
    }
  }
  bool OnProblem(model::Problem problem) override { return hub_.OnProblem(std::move(problem)); }
  void OnDiagnostic(const model::Document* document, std::string_view code,
                    std::string_view pointer, std::string_view example) override {
    if (document == nullptr || Chosen(*document)) {
      hub_.OnDiagnostic(document, code, pointer, example);
    }
  }

  model::HubSink& hub() { return hub_; }

 private:
  bool Chosen(const model::Document& document) const { return chosen_.count(document.ordinal) > 0; }

  const DocumentFilter& wanted_;
  model::HubSink hub_;
  std::unordered_set<int64_t> chosen_;
};

}  // namespace

Status PlaceProblem(const catalog::Source& source, const json::ByteInput& input,
                    const model::Problem& problem) {
  const Result<json::Place> place = json::Locate(input, problem.record_offset, problem.offset);
  std::string where;
  if (place.ok()) {
    where = fmt::format("line {}, byte {}", place->line, place->byte_offset);
  } else {
    where = fmt::format("byte {}", problem.offset);
  }
  const std::string& pointer =
      problem.pointer.empty() && place.ok() ? place->pointer : problem.pointer;
  if (!pointer.empty()) {
    where += ", " + pointer;
  }
  return problem.status.WithContext(fmt::format("{}: {}", source.file, where));
}

Result<LoadedRuns> LoadRuns(const catalog::CatalogDataset& dataset, const catalog::Source& source,
                            const catalog::Limits& limits, const DocumentFilter& wanted,
                            bool keep_going, const Context& context) {
  LoadedRuns loaded;
  if (!source.error.ok()) {
    return keep_going ? Result<LoadedRuns>(std::move(loaded))
                      : source.error.WithContext(source.file);
  }
  if (!source.ignored_reason.empty()) {
    return loaded;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const auto resolved, catalog::Resolve(dataset, source, limits));
  if (resolved->content.status == catalog::ContentStatus::kError && !resolved->format) {
    return keep_going ? Result<LoadedRuns>(std::move(loaded))
                      : Status::InvalidArgument("{}: {}", source.file, resolved->content.reason);
  }
  if (!resolved->format) {
    return loaded;
  }
  model::WalkOptions options;
  options.container = resolved->container;
  options.cursor.max_record_bytes = limits.max_record_bytes;
  options.source_path = source.file;
  model::SourceNotes notes;
  for (int pass = 0; pass < 2; ++pass) {
    SelectingSink sink(wanted, keep_going);
    const std::unique_ptr<model::Walker> walker =
        model::MakeWalker(*resolved->format, *resolved->input, options, notes, sink);
    while (walker->Advance()) {
      PCHRONICLE_RETURN_IF_ERROR(context.Check());
    }
    if (walker->needs_second_pass() && pass == 0) {
      notes = walker->notes();
      continue;
    }
    loaded.problems = sink.hub().problems();
    if (!loaded.problems.empty() && !keep_going) {
      return PlaceProblem(source, *resolved->input, loaded.problems.front());
    }
    loaded.storylines = sink.hub().Take();
    loaded.diagnostics = sink.hub().diagnostics();
    break;
  }
  return loaded;
}

}  // namespace pchronicle::app
