#include <utility>

#include "pchronicle/api/snapshot_state.h"
#include "pchronicle/app/catalog_pages.h"

namespace pchronicle {
namespace {

SourceInfo Describe(const catalog::Source& source) {
  const catalog::SourceContent content = catalog::KnownContent(source);
  SourceInfo info;
  info.file = source.file;
  info.kind = source.kind == catalog::SourceKind::kStore ? "store" : "file";
  info.format = content.format ? std::string(model::FormatName(*content.format))
                               : source.format_name.value_or("");
  info.snapshot_ref = source.revision.display();
  info.size_bytes = source.size_bytes;
  info.modified_ns = source.modified_ns;
  info.status = source.error.ok() ? "ready" : "error";
  info.error = source.error.message();
  if (content.status != catalog::ContentStatus::kUnknown) {
    info.content_status = catalog::ContentStatusName(content.status);
  }
  info.reason = content.reason;
  info.runs = content.runs;
  return info;
}

}  // namespace

Result<std::vector<NamespaceInfo>> Snapshot::ListNamespaces(std::string_view parent) const {
  PCHRONICLE_ASSIGN_OR_RETURN(const app::NamespacePath path, app::ParseNamespacePath(parent));
  PCHRONICLE_ASSIGN_OR_RETURN(const auto entries, app::ListNamespaces(*state_->catalog, path));
  std::vector<NamespaceInfo> children;
  for (const app::NamespaceEntry& entry : entries) {
    children.push_back(
        {app::JoinNamespacePath(entry.path), entry.mounted, entry.sql_alias.value_or("")});
  }
  return children;
}

Result<SourcePage> Snapshot::ListSources(std::string_view name_space, std::string_view token,
                                         uint64_t limit) const {
  PCHRONICLE_ASSIGN_OR_RETURN(const app::NamespacePath path, app::ParseNamespacePath(name_space));
  const std::optional<std::string> start =
      token.empty() ? std::nullopt : std::optional<std::string>(token);
  PCHRONICLE_ASSIGN_OR_RETURN(const app::SourcesPage page,
                              app::ListSources(*state_->catalog, path, start, limit));
  SourcePage result;
  result.total = page.total;
  result.next_token = page.next_token.value_or("");
  for (const catalog::Source* source : page.sources) {
    result.sources.push_back(Describe(*source));
  }
  return result;
}

Result<std::optional<SourceInfo>> Snapshot::DescribeSource(std::string_view file,
                                                           std::string_view name_space) const {
  PCHRONICLE_ASSIGN_OR_RETURN(const app::NamespacePath path, app::ParseNamespacePath(name_space));
  PCHRONICLE_ASSIGN_OR_RETURN(const catalog::Source* const source,
                              app::DescribeSource(*state_->catalog, path, file));
  return source == nullptr ? std::optional<SourceInfo>() : Describe(*source);
}

}  // namespace pchronicle
