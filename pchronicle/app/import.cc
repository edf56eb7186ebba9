#include "pchronicle/app/import.h"

#include <filesystem>
#include <map>
#include <set>

#include "pchronicle/app/durable_file.h"
#include "pchronicle/app/import_names.h"
#include "pchronicle/app/import_target.h"
#include "pchronicle/app/inventory.h"
#include "pchronicle/app/source_bytes.h"

namespace pchronicle::app {
namespace {

namespace fs = std::filesystem;

// A file to be made in the new Dataset.
struct Copy {
  std::string name;        // relative path
  const io::Entry* entry;  // pinned bytes
};

Status Unusable(const std::string& file, const SourceState& state) {
  return state.status == "error"
             ? Status::InvalidArgument("{}: {}", file, state.reason)
             : Status::InvalidArgument("{} is {}: {}", file, state.status,
                                       state.reason.empty() ? "no trajectory in it" : state.reason);
}

// What may go in, what is skipped and why.
struct Selection {
  std::vector<const catalog::Source*> sources;
  std::vector<std::string> warnings;
};

Result<Selection> Select(const catalog::CatalogDataset& dataset, const ImportOptions& options,
                         bool single) {
  Selection selection;
  size_t candidates = 0;
  for (const catalog::Source& source : dataset.sources) {
    const catalog::SourceContent content = catalog::KnownContent(source);
    const SourceState state = StateOf(source, content);
    candidates += source.ignored_reason.empty() ? 1 : 0;
    if (source.kind == catalog::SourceKind::kStore) {
      return Status::Unsupported(
          "{}: importing from stores comes with a later version; query and export read trajectory "
          "files",
          options.from);
    }
    if (source.size_bytes.value_or(0) > options.max_input_bytes && state.status != "ignored") {
      return Status::ResourceExhausted(
          "{} is {} bytes, more than the limit max_input_bytes {}; raise --max-input-bytes",
          source.file, *source.size_bytes, options.max_input_bytes);
    }
    if (state.status == "ready" || state.status == "open") {
      selection.sources.push_back(&source);
      continue;
    }
    if (single && state.status == "ignored" && !content.format) {
      return Status::InvalidArgument(
          "{}: cannot detect import format; pass --input-format explicitly ({})", source.file,
          state.reason);
    }
    if (single || (options.format && state.status == "error")) {
      return Unusable(source.file, state);
    }
    selection.warnings.push_back(fmt::format("skipped import source {}: {}", source.file,
                                             state.reason.empty() ? state.status : state.reason));
  }
  if (selection.sources.empty()) {
    return Status::InvalidArgument(
        "{}: {}", options.from,
        candidates == 0 ? "no .json, .jsonl or .ndjson file in it"
                        : "import directory contains no detectable trajectory files");
  }
  return selection;
}

// The files to make: the sources, and beside them the Harbor results that say how a run ended
// (sources.md 10).
std::vector<Copy> Plan(const Selection& selection, bool single, const model::Format single_format) {
  if (single) {
    const catalog::Source& source = *selection.sources.front();
    return {{CanonicalName(single_format, source.file), &source.revision.entry}};
  }
  std::map<std::string, const io::Entry*> files;
  for (const catalog::Source* source : selection.sources) {
    files[source->file] = &source->revision.entry;
    if (source->harbor == nullptr) {
      continue;
    }
    for (const std::optional<io::Entry>* sidecar :
         {&source->harbor->result, &source->harbor->reward_json, &source->harbor->reward_text,
          &source->harbor->trial_result}) {
      if (*sidecar) {
        files.emplace((*sidecar)->path, &**sidecar);
      }
    }
  }
  std::vector<Copy> copies;
  for (const auto& [name, entry] : files) {
    copies.push_back({name, entry});
  }
  return copies;
}

Status WriteCopies(const catalog::CatalogDataset& dataset, const std::vector<Copy>& copies,
                   const std::string& root, const Context& context,
                   const std::function<void(std::string_view, size_t, size_t)>& progress) {
  std::set<std::string> folders = {root};
  for (size_t i = 0; i < copies.size(); ++i) {
    const fs::path target = fs::path(root) / copies[i].name;
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    if (error) {
      return Status::Io("create folder {}: {}", target.parent_path().string(), error.message());
    }
    for (fs::path folder = target.parent_path(); folder.string().size() > root.size();
         folder = folder.parent_path()) {
      folders.insert(folder.string());
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<StagedFile> file,
                                StagedFile::Create(target.string(), StagedFile::IfExists::kFail));
    PCHRONICLE_RETURN_IF_ERROR(CopyEntryBytes(
        dataset, *copies[i].entry, [&](std::string_view bytes) { return file->Write(bytes); },
        context));
    PCHRONICLE_RETURN_IF_ERROR(file->Publish());
    progress("commit", i + 1, copies.size());
  }
  for (const std::string& folder : folders) {
    PCHRONICLE_RETURN_IF_ERROR(SyncDirectory(folder));
  }
  return Status::Ok();
}

Result<ImportOutcome> ImportFrom(
    const DatasetLocation& from, const ImportOptions& options, const Context& context,
    const std::function<void(std::string_view, size_t, size_t)>& progress) {
  const bool single = fs::is_regular_file(from.path);
  std::vector<catalog::Mount> mounts;
  mounts.push_back(catalog::PositionalMount(from.path));
  mounts.front().format_hint = options.format;
  catalog::SnapshotOptions snapshot_options;
  snapshot_options.errors = catalog::ErrorPolicy::kReport;
  snapshot_options.limits = options.limits;
  PCHRONICLE_ASSIGN_OR_RETURN(
      const auto snapshot, catalog::Snapshot::Build(std::move(mounts), snapshot_options, context));
  PCHRONICLE_RETURN_IF_ERROR(catalog::CheckAll(
      *snapshot, context, [&](size_t done, size_t total) { progress("reading", done, total); }));
  const catalog::CatalogDataset& dataset = snapshot->datasets().front();
  PCHRONICLE_ASSIGN_OR_RETURN(Selection selection, Select(dataset, options, single));

  ImportOutcome outcome;
  outcome.warnings = std::move(selection.warnings);
  outcome.sources = selection.sources.size();
  for (const catalog::Source* source : selection.sources) {
    outcome.trajectories += catalog::KnownContent(*source).runs.value_or(0);
    outcome.input_bytes += source->size_bytes.value_or(0);
  }
  const model::Format format = catalog::KnownContent(*selection.sources.front())
                                   .format.value_or(options.format.value_or(model::Format::kAtif));
  const std::vector<Copy> copies = Plan(selection, single, format);
  if (single) {
    outcome.source_path = copies.front().name;
    outcome.format = std::string(model::FormatName(format));
  }
  StagingFolder staging(StagingName(options.to));
  std::error_code error;
  fs::create_directory(staging.path(), error);
  if (error) {
    return error == std::errc::no_such_file_or_directory
               ? Status::NotFound("the folder of {} does not exist", options.to)
               : Status::PermissionDenied("create {}: {}", options.to, error.message());
  }
  PCHRONICLE_RETURN_IF_ERROR(WriteCopies(dataset, copies, staging.path(), context, progress));
  PCHRONICLE_RETURN_IF_ERROR(context.Check());
  PCHRONICLE_RETURN_IF_ERROR(PublishFolder(staging, options));
  return outcome;
}

}  // namespace

Result<ImportOutcome> ImportPreserved(
    const ImportOptions& options, const Context& context,
    const std::function<void(std::string_view, size_t, size_t)>& progress) {
  PCHRONICLE_RETURN_IF_ERROR(CheckImportTarget(options, context));
  const auto import = [&](const DatasetLocation& from,
                          const ImportOptions& with) -> Result<ImportOutcome> {
    auto outcome = ImportFrom(from, with, context, progress);
    if (outcome.ok() || with.format || !with.suggested_format ||
        outcome.status().code() != StatusCode::kInvalidArgument) {
      return outcome;
    }
    // Detection could not decide: the suggestion is tried, its own error is the one to show.
    ImportOptions suggested = with;
    suggested.format = with.suggested_format;
    return ImportFrom(from, suggested, context, progress);
  };
  if (!options.text) {
    return import({options.from, options.from}, options);
  }
  if (options.text->size() > options.max_input_bytes) {
    return Status::ResourceExhausted(
        "stdin is more than the limit max_input_bytes {}; raise --max-input-bytes",
        options.max_input_bytes);
  }
  StagingFolder input(StagingName(options.to));
  std::error_code error;
  fs::create_directory(input.path(), error);
  if (error) {
    return Status::NotFound("the folder of {} does not exist", options.to);
  }
  const std::string path = input.path() + "/" + StdinName(*options.text);
  PCHRONICLE_RETURN_IF_ERROR(ReplaceFile(path, *options.text, 0644));
  return import({"stdin", path}, options);
}

}  // namespace pchronicle::app
