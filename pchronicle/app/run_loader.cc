#include "pchronicle/app/run_loader.h"

#include <memory>
#include <unordered_set>
#include <utility>

#include "pchronicle/catalog/full_read.h"
#include "pchronicle/catalog/problem.h"

namespace pchronicle::app {
namespace {

// Hands the wanted documents to the hub and lets the walker skip the turns of the others.
class SelectingSink final : public model::DocumentSink {
 public:
  explicit SelectingSink(const LoadOptions& options) : options_(options) {
    hub_.set_keep_going(options.keep_going);
  }

  Wish OnDocument(const model::Document& document) override {
    ++documents_;
    if (!options_.wanted(document)) {
      return Wish::kSkip;
    }
    if (chosen_.size() >= options_.max_documents) {
      over_limit_ = true;
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
    --documents_;
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
  uint64_t documents() const { return documents_; }
  bool over_limit() const { return over_limit_; }

 private:
  bool Chosen(const model::Document& document) const { return chosen_.count(document.ordinal) > 0; }

  const LoadOptions& options_;
  model::HubSink hub_;
  std::unordered_set<int64_t> chosen_;
  uint64_t documents_ = 0;
  bool over_limit_ = false;
};

}  // namespace

Result<LoadedRuns> LoadRuns(const catalog::CatalogDataset& dataset, const catalog::Source& source,
                            const catalog::Limits& limits, const LoadOptions& options,
                            const Context& context) {
  LoadedRuns loaded;
  if (!source.error.ok()) {
    return options.keep_going ? Result<LoadedRuns>(std::move(loaded))
                              : source.error.WithContext(source.file);
  }
  if (!source.ignored_reason.empty()) {
    return loaded;
  }
  std::unique_ptr<SelectingSink> sink;
  const auto make = [&](const std::shared_ptr<const catalog::ResolvedSource>&) {
    sink = std::make_unique<SelectingSink>(options);
    return catalog::PassSink{sink.get(),
                             [&] {
                               return catalog::KeptProblems(sink->hub().problems(),
                                                            sink->hub().problems_left_out());
                             },
                             [] { return false; }};
  };
  PCHRONICLE_ASSIGN_OR_RETURN(
      catalog::FullRead read,
      catalog::ReadFully(dataset, source, limits, context, model::FieldMask::All(), make));
  if (!read.problems.empty() && !options.keep_going) {
    return catalog::ToStatus(read.problems.front());
  }
  loaded.problems = std::move(read.problems);
  loaded.problems_left_out = read.problems_left_out;
  if (sink != nullptr) {
    loaded.storylines = sink->hub().Take();
    loaded.documents = sink->documents();
    loaded.over_limit = sink->over_limit();
  }
  for (model::Storyline& storyline : loaded.storylines) {
    storyline.document.sidecar = nullptr;  // it was the reading's
  }
  return loaded;
}

}  // namespace pchronicle::app
