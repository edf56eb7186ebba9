#include "pchronicle/app/export.h"

#include <algorithm>
#include <vector>

#include "pchronicle/app/run_loader.h"
#include "pchronicle/app/source_bytes.h"

namespace pchronicle::app {
namespace {

struct Run {
  std::string_view file;
  model::Storyline storyline;
};

bool AnyIdentityFilter(const ExportOptions& options) {
  return options.run_id || options.document_id || options.session_id || options.selected;
}

bool Wanted(const ExportOptions& options, const std::string& file,
            const model::Document& document) {
  return (!options.document_id || document.document_id == *options.document_id) &&
         (!options.session_id || document.session_id == *options.session_id) &&
         (!options.run_id || document.run_id == std::string_view(*options.run_id)) &&
         (!options.selected ||
          options.selected->count({file, std::string(document.document_id)}) > 0);
}

std::vector<const catalog::Source*> Candidates(const catalog::CatalogDataset& dataset,
                                               const ExportOptions& options) {
  std::vector<const catalog::Source*> sources;
  for (const catalog::Source& source : dataset.sources) {
    if (!options.source || source.file == *options.source) {
      sources.push_back(&source);
    }
  }
  return sources;
}

// The one file that may be copied as it is: no identity filter, and it alone holds documents, in
// the wanted format.
Result<const catalog::Source*> ExactSource(const catalog::CatalogDataset& dataset,
                                           const ExportOptions& options,
                                           const std::vector<const catalog::Source*>& sources,
                                           const catalog::Limits& limits) {
  const catalog::Source* exact = nullptr;
  if (AnyIdentityFilter(options)) {
    return exact;
  }
  for (const catalog::Source* source : sources) {
    if (!source->error.ok()) {
      return source->error.WithContext(source->file);
    }
    if (!source->ignored_reason.empty()) {
      continue;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const auto resolved, catalog::Resolve(dataset, *source, limits));
    if (!resolved->format) {
      continue;
    }
    const bool fits = exact == nullptr && source->kind == catalog::SourceKind::kFile &&
                      *resolved->format == options.format;
    if (!fits) {
      return static_cast<const catalog::Source*>(nullptr);
    }
    exact = source;
  }
  return exact;
}

Status OverTrajectories(const ExportOptions& options) {
  return Status::ResourceExhausted(
      "export exceeds max_trajectories limit of {}; raise --max-trajectories or narrow the "
      "selection",
      options.max_trajectories);
}

Status OverBytes(const ExportOptions& options) {
  return Status::ResourceExhausted(
      "export exceeds max_output_bytes limit of {}; raise --max-output-bytes or narrow the "
      "selection",
      options.max_output_bytes);
}

Result<ExportOutcome> CopyExactly(const catalog::CatalogDataset& dataset,
                                  const catalog::Source& source, const ExportOptions& options,
                                  const catalog::Limits& limits,
                                  const std::function<Status(std::string_view)>& write,
                                  const Context& context) {
  // It must decode, all of it, before a byte leaves.
  const LoadOptions load{[](const model::Document&) { return false; }};
  PCHRONICLE_ASSIGN_OR_RETURN(const LoadedRuns loaded,
                              LoadRuns(dataset, source, limits, load, context));
  ExportOutcome outcome;
  outcome.trajectories = loaded.documents;
  if (outcome.trajectories > options.max_trajectories) {
    return OverTrajectories(options);
  }
  outcome.exact = true;
  PCHRONICLE_ASSIGN_OR_RETURN(const auto resolved, catalog::Resolve(dataset, source, limits));
  if (resolved->compression != json::Compression::kNone) {
    const auto counted = [&](std::string_view text) {
      outcome.output_bytes += text.size();
      const bool over =
          options.max_output_bytes != 0 && outcome.output_bytes > options.max_output_bytes;
      return over ? OverBytes(options) : write(text);
    };
    PCHRONICLE_RETURN_IF_ERROR(CopySourceText(*resolved, counted, context));
    return outcome;
  }
  outcome.output_bytes = source.size_bytes.value_or(0);
  if (options.max_output_bytes != 0 && outcome.output_bytes > options.max_output_bytes) {
    return OverBytes(options);
  }
  PCHRONICLE_RETURN_IF_ERROR(CopyEntryBytes(dataset, source.revision.entry, write, context));
  return outcome;
}

Result<std::vector<Run>> LoadSelection(const catalog::CatalogDataset& dataset,
                                       const std::vector<const catalog::Source*>& sources,
                                       const ExportOptions& options, const catalog::Limits& limits,
                                       const Context& context) {
  std::vector<Run> runs;
  for (const catalog::Source* source : sources) {
    if (options.selected) {
      const auto first = options.selected->lower_bound({source->file, ""});
      if (first == options.selected->end() || first->first != source->file) {
        continue;
      }
    }
    const LoadOptions load{
        [&](const model::Document& document) { return Wanted(options, source->file, document); },
        options.max_trajectories - runs.size()};
    PCHRONICLE_ASSIGN_OR_RETURN(LoadedRuns loaded,
                                LoadRuns(dataset, *source, limits, load, context));
    if (loaded.over_limit) {
      return OverTrajectories(options);
    }
    for (model::Storyline& storyline : loaded.storylines) {
      runs.push_back({source->file, std::move(storyline)});
    }
  }
  std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    const auto key = [](const Run& run) {
      return std::tuple(run.file, run.storyline.document.document_id,
                        run.storyline.document.session_id);
    };
    return key(a) < key(b);
  });
  return runs;
}

}  // namespace

Result<model::Format> ParseExportFormat(const std::optional<std::string>& name) {
  constexpr std::string_view kKnown = "atif, actf, openai-messages, storyline or agenticmd";
  if (!name) {
    return Status::InvalidArgument("export requires an explicit --output-format: {}", kKnown);
  }
  if (*name == "codex" || *name == "claude-code" || *name == "hf-chat") {
    return Status::InvalidArgument("{} is decode-only and cannot be exported", *name);
  }
  if (*name == "compact-jsonl") {
    return Status::Unsupported(
        "export of compact-jsonl needs a record store, which this version does not read yet");
  }
  const std::optional<model::Format> format = model::ParseFormatName(*name);
  if (!format) {
    return Status::InvalidArgument("unknown document format '{}'; expected {}", *name, kKnown);
  }
  return *format;
}

Result<ExportOutcome> ExportRuns(const catalog::Snapshot& snapshot, const ExportOptions& options,
                                 const std::function<Status(std::string_view)>& write,
                                 const Context& context) {
  const catalog::CatalogDataset& dataset = snapshot.datasets().front();
  const catalog::Limits& limits = snapshot.options().limits;
  if (options.source && dataset.Find(*options.source) == nullptr) {
    return Status::NotFound("source '{}' is not in the Dataset", *options.source);
  }
  const std::vector<const catalog::Source*> sources = Candidates(dataset, options);
  PCHRONICLE_ASSIGN_OR_RETURN(const catalog::Source* exact,
                              ExactSource(dataset, options, sources, limits));
  if (exact != nullptr) {
    return CopyExactly(dataset, *exact, options, limits, write, context);
  }
  if (options.strict) {
    return Status::InvalidArgument(
        "strict export requires an unfiltered source file already stored in the requested format");
  }
  PCHRONICLE_ASSIGN_OR_RETURN(std::vector<Run> runs,
                              LoadSelection(dataset, sources, options, limits, context));
  if (runs.empty()) {
    return Status::NotFound("export selection matched no runs");
  }
  std::vector<model::Storyline> storylines;
  storylines.reserve(runs.size());
  for (Run& run : runs) {
    storylines.push_back(std::move(run.storyline));
  }
  ExportOutcome outcome;
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string text,
                              model::Encode(options.format, storylines, {}, &outcome.report));
  if (options.max_output_bytes != 0 && text.size() > options.max_output_bytes) {
    return OverBytes(options);
  }
  PCHRONICLE_RETURN_IF_ERROR(context.Check());
  PCHRONICLE_RETURN_IF_ERROR(write(text));
  outcome.trajectories = storylines.size();
  outcome.output_bytes = text.size();
  return outcome;
}

}  // namespace pchronicle::app
