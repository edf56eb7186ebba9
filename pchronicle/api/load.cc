#include <span>
#include <utility>

#include "pchronicle/api/operation.h"
#include "pchronicle/api/snapshot_state.h"
#include "pchronicle/app/catalog_pages.h"
#include "pchronicle/app/export.h"
#include "pchronicle/app/run_loader.h"
#include "pchronicle/model/encode.h"

namespace pchronicle {
namespace {

/// Enough to list when a session has several documents.
constexpr uint64_t kListedDocuments = 20;

Status Ambiguous(const StorylineKey& key, const app::LoadedRuns& runs) {
  std::string documents;
  for (const model::Storyline& storyline : runs.storylines) {
    documents += documents.empty() ? "" : ", ";
    documents += storyline.document.document_id;
  }
  return Status::InvalidArgument(
      "session '{}' of '{}' has several documents: {}{}; give document_id", key.session_id,
      key.file, documents, runs.over_limit ? ", ..." : "");
}

}  // namespace

Result<std::string> Snapshot::LoadStoryline(const StorylineKey& key,
                                            const LoadOptions& options) const {
  PCHRONICLE_RETURN_IF_ERROR(Operation::CheckTimeout(options.timeout));
  PCHRONICLE_ASSIGN_OR_RETURN(const model::Format format, app::ParseExportFormat(options.format));
  PCHRONICLE_ASSIGN_OR_RETURN(const app::NamespacePath path,
                              app::ParseNamespacePath(key.name_space));
  PCHRONICLE_ASSIGN_OR_RETURN(const catalog::CatalogDataset* const dataset,
                              app::FindNamespace(*state_->catalog, path));
  const catalog::Source* const source = dataset->Find(key.file);
  if (source == nullptr) {
    return Status::NotFound("source '{}' is not in the Dataset", key.file);
  }
  const Operation operation(options.timeout, options.cancellation);
  app::LoadOptions load;
  load.wanted = [&key](const model::Document& document) {
    return document.session_id == key.session_id &&
           (key.document_id.empty() || document.document_id == key.document_id);
  };
  load.max_documents = kListedDocuments;
  PCHRONICLE_ASSIGN_OR_RETURN(const app::LoadedRuns runs,
                              app::LoadRuns(*dataset, *source, state_->catalog->options().limits,
                                            load, operation.context()));
  if (runs.storylines.empty()) {
    return Status::NotFound("no document of session '{}' is in '{}'", key.session_id, key.file);
  }
  if (runs.storylines.size() > 1) {
    return Ambiguous(key, runs);
  }
  return model::Encode(format, runs.storylines, {.strict = false, .pretty = options.pretty});
}

}  // namespace pchronicle
