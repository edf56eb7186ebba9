#include "pchronicle/lance/table/table_paths.h"

#include <algorithm>

#include "pchronicle/io/path_check.h"

namespace pchronicle::lance {
namespace {

std::string_view DirectoryOf(FileKind kind) {
  switch (kind) {
    case FileKind::kData:
      return "data/";
    case FileKind::kDeletion:
      return "_deletions/";
    case FileKind::kIndex:
      return "_indices/";
  }
  return "";
}

}  // namespace

std::string BranchRoot(std::string_view branch) {
  return branch.empty() ? std::string() : fmt::format("tree/{}/", branch);
}

Result<std::shared_ptr<const io::Store>> OpenLocalBase(const std::string& absolute_path) {
  constexpr std::string_view kFile = "file://";
  std::string path = absolute_path;
  if (path.starts_with(kFile)) {
    path = path.substr(kFile.size());
  }
  if (!path.starts_with('/')) {
    return Status::Unsupported("base path {} is not local; copy the table to one place to read it",
                               absolute_path);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<io::Store> store, io::OpenLocalStore(path));
  return std::shared_ptr<const io::Store>(std::move(store));
}

Result<FilePlace> TablePaths::Locate(FileKind kind, std::string_view name,
                                     const std::optional<uint32_t>& base_id) const {
  if (const Status status = io::CheckRelative(name); !status.ok() || name.empty()) {
    return Status::Corruption("file name '{}' in the manifest leaves its directory", name);
  }
  if (!base_id) {
    return FilePlace{store_, root_ + std::string(DirectoryOf(kind)) + std::string(name)};
  }
  const auto base = std::find_if(bases_.begin(), bases_.end(),
                                 [&](const proto::BasePath& b) { return b.id == *base_id; });
  if (base == bases_.end()) {
    return Status::Corruption("{}: base {} is not in the base paths of the manifest", name,
                              *base_id);
  }
  Result<std::shared_ptr<const io::Store>> opened = opener_(base->path);
  if (!opened.ok()) {
    return opened.status().WithContext(
        fmt::format("{} lies in base {} '{}' at {}", name, base->id, base->name, base->path));
  }
  // Root bases have the layout of a table, others hold the files themselves.
  return FilePlace{
      std::move(*opened),
      (base->is_dataset_root ? std::string(DirectoryOf(kind)) : std::string()) + std::string(name)};
}

}  // namespace pchronicle::lance
