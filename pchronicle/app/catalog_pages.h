#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::app {

/// A Dataset's place among the mounts: `prod/agent-data` (MNT-02).
using NamespacePath = std::vector<std::string>;

/// Splits `a/b`; kInvalidArgument for empty parts. The empty text is the root.
Result<NamespacePath> ParseNamespacePath(std::string_view text);
std::string JoinNamespacePath(const NamespacePath& path);

/// One child of a namespace (PAG-01).
struct NamespaceEntry {
  NamespacePath path;                    // from the root
  bool mounted = false;                  // a Dataset stands here; there may be children as well
  std::optional<std::string> sql_alias;  // of that Dataset
};

inline constexpr uint64_t kDefaultPageLimit = 100, kMaxPageLimit = 10'000;

/// One page of a Dataset's sources. The pointers live as long as the snapshot.
struct SourcesPage {
  std::vector<const catalog::Source*> sources;  // in `_file_` order
  uint64_t total = 0;                           // of all pages; the same for every page size
  std::optional<std::string> next_token;        // absent on the last page (PAG-02)
};

/// The functions below look at the frozen member list of a snapshot. They read nothing and resolve
/// nothing (PAG-05, CAT-38), may be called from any thread, and give the same answers as long as
/// the snapshot lives, whatever happens to the folder.

/// Direct children of `parent`, or of the root, in path order. kNotFound when nothing is mounted at
/// or below `parent`.
Result<std::vector<NamespaceEntry>> ListNamespaces(const catalog::Snapshot& snapshot,
                                                   const NamespacePath& parent = {});

/// A page of at most `limit` sources, from the token of the page before. kNotFound: no Dataset is
/// mounted at this path. kInvalidArgument: a limit of 0 or above kMaxPageLimit (PAG-04), and a
/// token that is malformed, of another snapshot or beyond the end (PAG-03, CAT-27).
Result<SourcesPage> ListSources(const catalog::Snapshot& snapshot, const NamespacePath& path,
                                const std::optional<std::string>& token = std::nullopt,
                                uint64_t limit = kDefaultPageLimit);

/// The source with exactly this `_file_`, or null. kNotFound: no Dataset is mounted at this path.
Result<const catalog::Source*> DescribeSource(const catalog::Snapshot& snapshot,
                                              const NamespacePath& path, std::string_view file);

/// The Dataset mounted at exactly this path, or kNotFound.
Result<const catalog::CatalogDataset*> FindNamespace(const catalog::Snapshot& snapshot,
                                                     const NamespacePath& path);

}  // namespace pchronicle::app
