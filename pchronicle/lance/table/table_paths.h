#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"
#include "pchronicle/io/store.h"
#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {

/// Opens the store of an absolute base path of a manifest (lance.md A10).
using BaseOpener =
    std::function<Result<std::shared_ptr<const io::Store>>(const std::string& absolute_path)>;

/// Opens local base paths, `file://` or plain; kUnsupported for other schemes.
Result<std::shared_ptr<const io::Store>> OpenLocalBase(const std::string& absolute_path);

/// Where a branch lies in the store of its table: "" for main, else `tree/<branch>/`.
std::string BranchRoot(std::string_view branch);

/// What a file of a table is for: the directory below a dataset root.
enum class FileKind : uint8_t { kData, kDeletion, kIndex };

/// Where a file lies.
struct FilePlace {
  std::shared_ptr<const io::Store> store;
  std::string path;  // in the store
  std::string Name() const { return path; }
};

/// Resolves the files of one version, through base paths where an entry names one. Immutable,
/// thread-safe.
class TablePaths {
 public:
  /// `root`: of the table or branch inside the store, "" or ending in '/'.
  TablePaths(std::shared_ptr<const io::Store> store, std::string root,
             std::vector<proto::BasePath> bases, BaseOpener opener)
      : store_(std::move(store)),
        root_(std::move(root)),
        bases_(std::move(bases)),
        opener_(std::move(opener)) {}

  const io::Store& store() const { return *store_; }
  const std::shared_ptr<const io::Store>& shared_store() const { return store_; }
  /// A path of the table itself: `InRoot("_versions")`.
  std::string InRoot(std::string_view path) const { return root_ + std::string(path); }

  /// kCorruption: a base that the manifest does not list, a name that leaves the directory.
  /// kNotFound: the base is not where the manifest says; names both.
  Result<FilePlace> Locate(FileKind kind, std::string_view name,
                           const std::optional<uint32_t>& base_id) const;

 private:
  std::shared_ptr<const io::Store> store_;
  std::string root_;
  std::vector<proto::BasePath> bases_;
  BaseOpener opener_;
};

}  // namespace pchronicle::lance
