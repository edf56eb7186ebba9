#include "pchronicle/app/import.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "pchronicle/app/durable_file.h"
#include "pchronicle/app/inventory.h"
#include "pchronicle/app/source_bytes.h"
#include "pchronicle/json/decompress.h"

namespace pchronicle::app {
namespace {

namespace fs = std::filesystem;

// A staging folder that disappears unless it was published.
class StagingFolder {
 public:
  explicit StagingFolder(std::string path) : path_(std::move(path)) {}
  ~StagingFolder() {
    if (!path_.empty()) {
      std::error_code error;
      fs::remove_all(path_, error);
    }
  }
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  const std::string& path() const { return path_; }
  void Release() { path_.clear(); }

 private:
  std::string path_;
};

// A file to be made in the new Dataset.
struct Copy {
  std::string name;        // relative path
  const io::Entry* entry;  // pinned bytes
};

// Canonical names of single inputs (cli.md 5.1); line formats and compressed files keep their
// extension.
std::string CanonicalName(model::Format format, std::string_view source) {
  std::string lower(source);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::string_view text = json::NameInside(lower);
  std::string extension = ".json";
  for (const std::string_view line : {std::string_view(".jsonl"), std::string_view(".ndjson")}) {
    extension = text.ends_with(line) ? std::string(line) : extension;
  }
  extension += std::string_view(lower).substr(text.size());
  switch (format) {
    case model::Format::kAtif:
      return "trajectories.atif" + extension;
    case model::Format::kActf:
      return "trajectories.actf" + extension;
    case model::Format::kOpenAiMessages:
      return "session_steps" + extension;
    case model::Format::kStoryline:
      return "trajectories.storyline" + extension;
    case model::Format::kHfChat:
      return "trajectories.hf-chat" + extension;
    case model::Format::kAgenticMd:
      break;
  }
  return "trajectories.md";
}

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

// A first line that ends an object, with more behind it, makes it a line file; the name decides how
// it is read.
bool IsLineText(std::string_view text) {
  const size_t line_end = text.find('\n');
  const size_t last = text.find_last_not_of(" \t\r\n", line_end);
  return line_end != std::string::npos && last != std::string::npos && text[last] == '}' &&
         text.find_first_not_of(" \t\r\n", line_end) != std::string::npos;
}

// What the first line may be told from; damage is found when the file is read.
std::string FirstText(const std::string& compressed, json::Compression compression) {
  constexpr size_t kMost = 16 << 20;
  constexpr size_t kPiece = 64 << 10;
  const json::MemoryInput bytes(compressed);
  auto source = bytes.Open(0, json::kToEnd);
  std::string text;
  if (!source.ok()) {
    return text;
  }
  const auto decompressor = json::MakeDecompressor(std::move(source).value(), compression, {});
  while (text.size() < kMost && !IsLineText(text)) {
    const size_t size = text.size();
    text.resize(size + kPiece);
    const Result<size_t> got = decompressor->Read(std::span(text).subspan(size));
    text.resize(size + (got.ok() ? *got : 0));
    if (text.size() == size) {
      break;
    }
  }
  return text;
}

// Puts the finished folder where the target is. The old Dataset, if any, is swapped out first and
// deleted last.
Status PublishFolder(StagingFolder& staging, const ImportOptions& options) {
  if (!options.replace || !fs::exists(options.to)) {
    PCHRONICLE_RETURN_IF_ERROR(RenameNew(staging.path(), options.to));
    staging.Release();
    return Status::Ok();
  }
  if (::syscall(SYS_renameat2, AT_FDCWD, staging.path().c_str(), AT_FDCWD, options.to.c_str(),
                RENAME_EXCHANGE) == 0) {
    return SyncDirectory(fs::path(options.to).parent_path().empty()
                             ? "."
                             : fs::path(options.to).parent_path().string());
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return Status::Io("replace {}: {}", options.to, std::strerror(errno));
  }
  StagingFolder old(StagingName(options.to));
  PCHRONICLE_RETURN_IF_ERROR(RenameNew(options.to, old.path()));
  if (Status published = RenameNew(staging.path(), options.to); !published.ok()) {
    const Status back = RenameNew(old.path(), options.to);
    old.Release();
    return back.ok() ? published
                     : published.WithContext("the old Dataset is kept as " + old.path());
  }
  staging.Release();
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

bool IsInside(const fs::path& inner, const fs::path& outer) {
  const auto [outer_end, inner_at] =
      std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return outer_end == outer.end();
}

Status CheckTarget(const ImportOptions& options, const Context& context) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(options.to, error))) {
    return Status::Ok();
  }
  if (!options.replace) {
    return Status::AlreadyExists("{} already exists; choose another --to, or pass --replace",
                                 options.to);
  }
  if (!options.text && IsInside(fs::weakly_canonical(options.from, error),
                                fs::weakly_canonical(options.to, error))) {
    return Status::InvalidArgument(
        "the source {} lies inside the Dataset {} that would be replaced", options.from,
        options.to);
  }
  return CheckReplaceable(options.to, context);
}

}  // namespace

std::string DerivedDatasetName(std::string_view file_name) {
  std::string name(json::NameInside(file_name));
  for (const std::string_view extension : {".jsonl", ".ndjson", ".json", ".actf"}) {
    if (name.size() > extension.size() &&
        name.compare(name.size() - extension.size(), extension.size(), extension) == 0) {
      name.resize(name.size() - extension.size());
    }
  }
  std::string out;
  for (char c : name) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (plain || (!out.empty() && out.back() != '-')) {
      out += plain ? c : '-';
    }
  }
  while (!out.empty() && (out.back() == '-' || out.back() == '.')) {
    out.pop_back();
  }
  out.erase(0, out.find_first_not_of(".-"));
  return out.empty() ? "imported" : out;
}

Status CheckReplaceable(const std::string& target, const Context& context) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(target, error);
  const char* home = std::getenv("HOME");
  if (path == path.root_path() || (home != nullptr && path == fs::weakly_canonical(home, error))) {
    return Status::InvalidArgument("{} must not be replaced", target);
  }
  if (!fs::is_directory(fs::symlink_status(target, error))) {
    return Status::InvalidArgument("{} is no directory and cannot be replaced by a Dataset",
                                   target);
  }
  if (fs::is_empty(path, error)) {
    return Status::Ok();
  }
  catalog::SnapshotOptions options;
  options.errors = catalog::ErrorPolicy::kReport;
  PCHRONICLE_ASSIGN_OR_RETURN(const auto snapshot,
                              OpenDataset({target, path.string()}, options, context));
  return snapshot->datasets().front().sources.empty()
             ? Status::InvalidArgument("nothing in {} is a Source; it is not replaced", target)
             : Status::Ok();
}

Result<ImportOutcome> ImportPreserved(
    const ImportOptions& options, const Context& context,
    const std::function<void(std::string_view, size_t, size_t)>& progress) {
  PCHRONICLE_RETURN_IF_ERROR(CheckTarget(options, context));
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
  const json::Compression compression = json::CompressionOf(*options.text);
  const bool lines = compression == json::Compression::kNone
                         ? IsLineText(*options.text)
                         : IsLineText(FirstText(*options.text, compression));
  std::string path = input.path() + (lines ? "/stdin.jsonl" : "/stdin.json");
  if (compression != json::Compression::kNone) {
    path += compression == json::Compression::kGzip ? ".gz" : ".zst";
  }
  PCHRONICLE_RETURN_IF_ERROR(ReplaceFile(path, *options.text, 0644));
  return import({"stdin", path}, options);
}

}  // namespace pchronicle::app
