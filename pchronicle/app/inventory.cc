#include "pchronicle/app/inventory.h"

#include <algorithm>
#include <array>

#include "pchronicle/io/store.h"

namespace pchronicle::app {
namespace {

bool EndsWith(std::string_view text, std::string_view end) {
  if (text.size() < end.size()) {
    return false;
  }
  const std::string_view tail = text.substr(text.size() - end.size());
  return std::equal(tail.begin(), tail.end(), end.begin(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

bool IsCandidateName(std::string_view name) {
  constexpr std::array<std::string_view, 3> kExtensions = {".json", ".jsonl", ".ndjson"};
  return std::any_of(kExtensions.begin(), kExtensions.end(),
                     [&](std::string_view e) { return EndsWith(name, e); });
}

// A folder that discovery takes as one Source (catalog.md DSC-01, DSC-05).
bool IsStore(const io::Store& store, const std::string& path) {
  return EndsWith(path, ".lance") || store.Stat(path.empty() ? "CURRENT" : path + "/CURRENT").ok();
}

}  // namespace

Result<std::shared_ptr<const catalog::Snapshot>> OpenDataset(const DatasetLocation& location,
                                                             catalog::SnapshotOptions options,
                                                             const Context& context) {
  std::vector<catalog::Mount> mounts;
  mounts.push_back(catalog::PositionalMount(location.path));
  return catalog::Snapshot::Build(std::move(mounts), options, context);
}

SourceState StateOf(const catalog::Source& source, const catalog::SourceContent& content) {
  if (!source.error.ok()) {
    return {"error", source.error.ToString()};
  }
  if (!source.ignored_reason.empty()) {
    return {"ignored", source.ignored_reason};
  }
  if (content.status == catalog::ContentStatus::kUnknown) {
    return {"ready", ""};
  }
  return {std::string(catalog::ContentStatusName(content.status)), content.reason};
}

SourceCounts CountSources(const catalog::CatalogDataset& dataset) {
  SourceCounts counts;
  for (const catalog::Source& source : dataset.sources) {
    const std::string status = StateOf(source, catalog::KnownContent(source)).status;
    ++counts.total;
    ++(status == "error"     ? counts.error
       : status == "open"    ? counts.open
       : status == "empty"   ? counts.empty
       : status == "ignored" ? counts.ignored
                             : counts.ready);
  }
  return counts;
}

Status FirstError(const catalog::CatalogDataset& dataset) {
  for (const catalog::Source& source : dataset.sources) {
    const SourceState state = StateOf(source, catalog::KnownContent(source));
    if (state.status == "error") {
      return source.error.ok() ? Status::InvalidArgument("{}: {}", source.file, state.reason)
                               : source.error.WithContext(source.file);
    }
  }
  return Status::Ok();
}

Result<std::vector<ShallowEntry>> ListShallow(const DatasetLocation& location,
                                              uint64_t max_entries) {
  PCHRONICLE_ASSIGN_OR_RETURN(const io::LocalPlace place, io::LocateLocal(location.path));
  if (!place.file.empty()) {
    return std::vector<ShallowEntry>{{"file", place.file}};
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<io::Store> store,
                              io::OpenLocalStore(place.directory));
  if (EndsWith(place.directory, ".lance") || IsStore(*store, "")) {
    return std::vector<ShallowEntry>{{"dataset", "."}};
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<io::Entry> children,
                              store->ListDirectory("", max_entries));
  std::vector<ShallowEntry> entries;
  for (const io::Entry& child : children) {
    if (child.path.front() == '.') {
      continue;
    }
    if (child.kind == io::Entry::Kind::kDirectory) {
      entries.push_back({IsStore(*store, child.path) ? "dataset" : "directory", child.path});
    } else if (child.kind == io::Entry::Kind::kFile && IsCandidateName(child.path)) {
      entries.push_back({"file", child.path});
    }
  }
  return entries;
}

}  // namespace pchronicle::app
