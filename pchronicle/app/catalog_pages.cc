#include "pchronicle/app/catalog_pages.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace pchronicle::app {
namespace {

bool StartsWith(const NamespacePath& path, const NamespacePath& start) {
  return path.size() >= start.size() && std::equal(start.begin(), start.end(), path.begin());
}

Status NotMounted(const catalog::Snapshot& snapshot, const NamespacePath& path) {
  std::string mounted;
  for (const catalog::CatalogDataset& dataset : snapshot.datasets()) {
    mounted += mounted.empty() ? "" : ", ";
    mounted += JoinNamespacePath(dataset.mount.name_space);
  }
  return Status::NotFound("no Dataset is mounted at namespace '{}'; mounted: {}",
                          JoinNamespacePath(path), mounted);
}

/// The offset of a token `<snapshot_id>:<offset>`. Its text is the caller's, so it is not repeated
/// in messages.
Result<uint64_t> ParseToken(const catalog::Snapshot& snapshot, std::string_view token,
                            uint64_t total) {
  constexpr std::string_view kRemedy = "start again without a token";
  const size_t colon = token.find(':');
  const std::string_view digits =
      colon == std::string_view::npos ? std::string_view() : token.substr(colon + 1);
  uint64_t offset = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), offset);
  const bool canonical = !digits.empty() && error == std::errc() &&
                         end == digits.data() + digits.size() &&
                         (digits.front() != '0' || digits.size() == 1);
  if (colon != snapshot.id().size() || !canonical) {
    return Status::InvalidArgument("malformed page token, expected <snapshot_id>:<offset>; {}",
                                   kRemedy);
  }
  if (token.substr(0, colon) != snapshot.id()) {
    return Status::InvalidArgument("the page token is of another snapshot than {}; {}",
                                   snapshot.id(), kRemedy);
  }
  if (offset > total) {
    return Status::InvalidArgument("the page token's offset {} is beyond the {} sources; {}",
                                   offset, total, kRemedy);
  }
  return offset;
}

}  // namespace

Result<NamespacePath> ParseNamespacePath(std::string_view text) {
  NamespacePath path;
  while (!text.empty()) {
    const size_t slash = text.find('/');
    path.emplace_back(text.substr(0, slash));
    const bool ends_in_slash = slash == text.size() - 1;
    if (path.back().empty() || ends_in_slash) {
      return Status::InvalidArgument("a namespace has an empty part; expected NAME or NAME/NAME");
    }
    text = slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
  }
  return path;
}

std::string JoinNamespacePath(const NamespacePath& path) {
  std::string text;
  for (const std::string& part : path) {
    text += text.empty() ? "" : "/";
    text += part;
  }
  return text;
}

Result<const catalog::CatalogDataset*> FindNamespace(const catalog::Snapshot& snapshot,
                                                     const NamespacePath& path) {
  for (const catalog::CatalogDataset& dataset : snapshot.datasets()) {
    if (dataset.mount.name_space == path) {
      return &dataset;
    }
  }
  return NotMounted(snapshot, path);
}

Result<std::vector<NamespaceEntry>> ListNamespaces(const catalog::Snapshot& snapshot,
                                                   const NamespacePath& parent) {
  std::map<std::string, NamespaceEntry> children;  // by the name below `parent`
  bool known = parent.empty();
  for (const catalog::CatalogDataset& dataset : snapshot.datasets()) {
    const NamespacePath& path = dataset.mount.name_space;
    if (!StartsWith(path, parent)) {
      continue;
    }
    known = true;
    if (path.size() == parent.size()) {
      continue;
    }
    NamespaceEntry& child = children[path[parent.size()]];
    if (path.size() == parent.size() + 1) {
      child.mounted = true;
      child.sql_alias = dataset.mount.alias;
    }
    child.path.assign(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(parent.size()) + 1);
  }
  if (!known) {
    return NotMounted(snapshot, parent);
  }
  std::vector<NamespaceEntry> entries;
  for (auto& [name, child] : children) {
    entries.push_back(std::move(child));
  }
  return entries;
}

Result<SourcesPage> ListSources(const catalog::Snapshot& snapshot, const NamespacePath& path,
                                const std::optional<std::string>& token, uint64_t limit) {
  if (limit == 0 || limit > kMaxPageLimit) {
    return Status::InvalidArgument("page limit {} is not within 1 and {}", limit, kMaxPageLimit);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const catalog::CatalogDataset* const dataset,
                              FindNamespace(snapshot, path));
  SourcesPage page;
  page.total = dataset->sources.size();
  uint64_t begin = 0;
  if (token) {
    PCHRONICLE_ASSIGN_OR_RETURN(begin, ParseToken(snapshot, *token, page.total));
  }
  const uint64_t end = begin + std::min(limit, page.total - begin);
  for (uint64_t i = begin; i < end; ++i) {
    page.sources.push_back(&dataset->sources[i]);
  }
  if (end < page.total) {
    page.next_token = fmt::format("{}:{}", snapshot.id(), end);
  }
  return page;
}

Result<const catalog::Source*> DescribeSource(const catalog::Snapshot& snapshot,
                                              const NamespacePath& path, std::string_view file) {
  PCHRONICLE_ASSIGN_OR_RETURN(const catalog::CatalogDataset* const dataset,
                              FindNamespace(snapshot, path));
  return dataset->Find(file);
}

}  // namespace pchronicle::app
