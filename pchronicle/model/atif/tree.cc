#include "pchronicle/model/atif/tree.h"

#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace pchronicle::model::atif {
namespace {

constexpr size_t kNoParent = std::numeric_limits<size_t>::max();
/// Each level costs two of the 128 levels that a reader accepts; the rest is for the values inside
/// a step.
constexpr size_t kMaxTreeDepth = 56;

}  // namespace

Result<Forest> BuildForest(std::span<const Storyline> storylines) {
  std::unordered_map<std::string_view, size_t> by_id;
  for (size_t i = 0; i < storylines.size(); ++i) {
    const std::string_view id = storylines[i].document.document_id;
    if (!by_id.emplace(id, i).second) {
      return Status::InvalidArgument("duplicate Storyline document identity '{}'", id);
    }
  }
  Forest forest;
  forest.children.resize(storylines.size());
  std::vector<size_t> parents(storylines.size(), kNoParent);
  for (size_t i = 0; i < storylines.size(); ++i) {
    if (!storylines[i].document.children) {
      continue;
    }
    for (const std::string_view id : *storylines[i].document.children) {
      const auto child = by_id.find(id);
      if (child == by_id.end()) {
        return Status::InvalidArgument("Storyline child '{}' has no matching document", id);
      }
      if (parents[child->second] != kNoParent) {
        return Status::InvalidArgument("Storyline child '{}' has multiple parents", id);
      }
      parents[child->second] = i;
      forest.children[i].push_back(child->second);
    }
  }
  for (size_t i = 0; i < storylines.size(); ++i) {
    if (parents[i] == kNoParent) {
      forest.roots.push_back(i);
    }
  }
  if (forest.roots.empty()) {
    return Status::InvalidArgument("Storyline child graph has no root document");
  }
  // With one parent each, a document on a cycle is one that no root reaches.
  size_t reached = 0;
  std::vector<std::pair<size_t, size_t>> open;
  for (const size_t root : forest.roots) {
    open.emplace_back(root, 0);
  }
  while (!open.empty()) {
    const auto [index, depth] = open.back();
    open.pop_back();
    ++reached;
    if (depth > kMaxTreeDepth) {
      return Status::InvalidArgument("Storyline child graph is deeper than {} levels at '{}'",
                                     kMaxTreeDepth, storylines[index].document.document_id);
    }
    for (const size_t child : forest.children[index]) {
      open.emplace_back(child, depth + 1);
    }
  }
  if (reached != storylines.size()) {
    return Status::InvalidArgument("Storyline child graph contains unreachable documents");
  }
  return forest;
}

}  // namespace pchronicle::model::atif
