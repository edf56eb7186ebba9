#include "pchronicle/model/run_tree_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "pchronicle/model/reference_path.h"

namespace pchronicle::model {
namespace {

/// Runs of one file.
struct FileRuns {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t only_root = kNoRun;  // its one document that is not embedded
  std::unordered_map<std::string_view, uint32_t> by_trajectory;
  std::unordered_map<std::string_view, uint32_t> by_document;
  std::unordered_map<std::string_view, uint32_t> by_session;
};

class Linker {
 public:
  Linker(const std::vector<std::unique_ptr<RunTreeCollector>>& parts, Diagnostics& diagnostics)
      : diagnostics_(diagnostics) {
    for (const auto& part : parts) {
      AddPart(static_cast<const RunTreePart&>(*part));
    }
    top_.resize(links_.nodes.size());
    for (uint32_t i = 0; i < top_.size(); ++i) {
      top_[i] = i;
    }
  }

  RunLinks Run() {
    LinkEmbedded();
    LinkNamedParents();
    LinkReferences();
    SetDepths();
    FindContinuations();
    return std::move(links_);
  }

 private:
  void AddPart(const RunTreePart& part) {
    FileRuns& runs = files_[part.file()];
    runs.begin = static_cast<uint32_t>(links_.nodes.size());
    std::vector<const TreeDocument*> sorted;
    for (const TreeDocument& document : part.documents()) {
      sorted.push_back(&document);
    }
    std::ranges::stable_sort(sorted, {},
                             [](const TreeDocument* document) { return document->ordinal; });
    std::unordered_map<const TreeDocument*, uint32_t> place;
    size_t roots = 0;
    for (const TreeDocument* document : sorted) {
      const uint32_t run = static_cast<uint32_t>(links_.nodes.size());
      links_.nodes.push_back({.file = &part.file(), .document = document});
      place.emplace(document, run);
      runs.by_document.emplace(document->document_id, run);
      runs.by_session.emplace(document->session_id, run);
      if (document->trajectory_id) {
        runs.by_trajectory.emplace(*document->trajectory_id, run);
      }
      if (document->holder < 0) {
        runs.only_root = ++roots == 1 ? run : kNoRun;
      }
    }
    runs.end = static_cast<uint32_t>(links_.nodes.size());
    for (const TreeDocument* document : sorted) {
      holder_.push_back(document->holder < 0
                            ? kNoRun
                            : place.at(&part.documents()[static_cast<size_t>(document->holder)]));
    }
  }

  /// Root of the tree that a run belongs to by now.
  uint32_t Top(uint32_t run) {
    uint32_t top = run;
    while (top_[top] != top) {
      top = top_[top];
    }
    while (top_[run] != top) {
      run = std::exchange(top_[run], top);
    }
    return top;
  }

  /// Makes `parent` the parent of `child`, unless it has one. False when that would close a cycle.
  bool Attach(uint32_t child, uint32_t parent) {
    if (links_.nodes[child].parent != kNoRun) {
      return true;
    }
    if (Top(parent) == child) {
      diagnostics_.Add("cycle", links_.nodes[parent].document->pointer, Describe(parent));
      return false;
    }
    links_.nodes[child].parent = parent;
    ++links_.nodes[parent].children;
    top_[child] = parent;
    return true;
  }

  void LinkEmbedded() {
    for (uint32_t run = 0; run < holder_.size(); ++run) {
      if (holder_[run] != kNoRun) {
        Attach(run, holder_[run]);
      }
    }
  }

  void LinkNamedParents() {
    for (uint32_t run = 0; run < links_.nodes.size(); ++run) {
      const TreeDocument& document = *links_.nodes[run].document;
      if (!document.parent_id || links_.nodes[run].parent != kNoRun) {
        continue;
      }
      const FileRuns& runs = files_.at(*links_.nodes[run].file);
      if (const auto parent = runs.by_document.find(*document.parent_id);
          parent != runs.by_document.end()) {
        Attach(run, parent->second);
      }
    }
  }

  void LinkReferences() {
    for (uint32_t run = 0; run < links_.nodes.size(); ++run) {
      for (const TreeDocument::Reference& reference : links_.nodes[run].document->references) {
        const uint32_t child = Resolve(*links_.nodes[run].file, reference.ref);
        if (child != kNoRun) {
          Attach(child, run);
        } else {
          NoteUnresolved(run, reference);
        }
      }
    }
  }

  uint32_t Resolve(const std::string& file, const rows::SubagentRef& ref) const {
    if (ref.trajectory_path) {
      const uint32_t run = ResolvePath(file, *ref.trajectory_path, ref.trajectory_id);
      if (run != kNoRun) {
        return run;
      }
    }
    return ref.trajectory_id ? FindId(files_.at(file), *ref.trajectory_id) : kNoRun;
  }

  /// The document of another file: the one with the id, else its only one.
  uint32_t ResolvePath(const std::string& file, std::string_view path, const Text& id) const {
    const std::optional<std::string> target = ResolveReferencePath(file, path);
    const auto runs = target ? files_.find(*target) : files_.end();
    if (runs == files_.end()) {
      return kNoRun;
    }
    const uint32_t by_id = id ? FindId(runs->second, *id) : kNoRun;
    return by_id != kNoRun ? by_id : runs->second.only_root;
  }

  static uint32_t FindId(const FileRuns& runs, std::string_view id) {
    if (const auto found = runs.by_trajectory.find(id); found != runs.by_trajectory.end()) {
      return found->second;
    }
    const auto found = runs.by_document.find(id);
    return found == runs.by_document.end() ? kNoRun : found->second;
  }

  void NoteUnresolved(uint32_t run, const TreeDocument::Reference& reference) {
    RunNode& node = links_.nodes[run];
    ++node.unresolved_references;
    const std::string pointer = fmt::format("{}{}/{}/observation", node.document->pointer,
                                            node.document->turns_member, reference.turn);
    const Text& named =
        reference.ref.trajectory_path ? reference.ref.trajectory_path : reference.ref.trajectory_id;
    diagnostics_.Add("unresolved_reference", pointer,
                     fmt::format("{}: {}", *node.file, named.value_or("")));
  }

  /// Depths without recursion: a chain may be as long as the Dataset.
  void SetDepths() {
    std::vector<bool> known(links_.nodes.size());
    std::vector<uint32_t> chain;
    for (uint32_t run = 0; run < links_.nodes.size(); ++run) {
      uint32_t at = run;
      while (at != kNoRun && !known[at]) {
        chain.push_back(at);
        at = links_.nodes[at].parent;
      }
      for (; !chain.empty(); chain.pop_back()) {
        RunNode& node = links_.nodes[chain.back()];
        node.depth = node.parent == kNoRun ? 0 : links_.nodes[node.parent].depth + 1;
        known[chain.back()] = true;
      }
    }
  }

  void FindContinuations() {
    for (uint32_t run = 0; run < links_.nodes.size(); ++run) {
      const RunNode& node = links_.nodes[run];
      if (!node.document->continued_ref || node.document->continued_ref->empty()) {
        continue;
      }
      const std::string_view ref = *node.document->continued_ref;
      uint32_t next = ResolvePath(*node.file, ref, std::nullopt);
      const FileRuns& runs = files_.at(*node.file);
      if (next == kNoRun) {
        next = FindId(runs, ref);
      }
      if (next == kNoRun) {
        const auto found = runs.by_session.find(ref);
        next = found == runs.by_session.end() ? kNoRun : found->second;
      }
      if (next != kNoRun && next != run) {
        links_.continuations.emplace_back(run, next);
      }
    }
  }

  std::string Describe(uint32_t run) const {
    return fmt::format("{}: {}", *links_.nodes[run].file, links_.nodes[run].document->document_id);
  }

  Diagnostics& diagnostics_;
  RunLinks links_;
  std::unordered_map<std::string_view, FileRuns> files_;
  std::vector<uint32_t> holder_;
  std::vector<uint32_t> top_;  // towards the root of the tree; paths are shortened when walked
};

/// Groups of runs that may be copies: the first run seen with an id and the same first two steps.
class CopyFinder {
 public:
  CopyFinder(const RunLinks& links, Diagnostics& diagnostics)
      : links_(links), diagnostics_(diagnostics) {}

  std::unordered_map<uint32_t, LikelyCopy> Run() {
    for (uint32_t run = 0; run < links_.nodes.size(); ++run) {
      const TreeDocument& document = *links_.nodes[run].document;
      if (document.prefix.size() < 2) {
        continue;
      }
      Look('s', document.session_id, run);
      if (document.run_id) {
        Look('r', *document.run_id, run);
      }
    }
    for (const auto& [run, next] : links_.continuations) {
      Compare(std::min(run, next), std::max(run, next));
    }
    for (const auto& [later, copy] : copies_) {
      const RunNode& node = links_.nodes[later];
      examples_.push_back(fmt::format("{}: {}: {} of {} steps", *node.file,
                                      node.document->document_id, copy.steps,
                                      node.document->steps));
    }
    std::ranges::sort(examples_);
    for (const std::string& example : examples_) {
      diagnostics_.Add("likely_copied", "", example);
    }
    return std::move(copies_);
  }

 private:
  void Look(char kind, std::string_view id, uint32_t run) {
    const uint64_t prefix = links_.nodes[run].document->prefix.first_two();
    const Hash128 key = Xxh3Wide(id, prefix ^ static_cast<uint64_t>(kind));
    const auto [first, is_new] = first_.emplace(key, run);
    if (!is_new && first->second != run) {
      Compare(first->second, run);
    }
  }

  void Compare(uint32_t earlier, uint32_t later) {
    const TreeDocument& document = *links_.nodes[later].document;
    const size_t steps = document.prefix.CommonSteps(links_.nodes[earlier].document->prefix);
    if (steps < 2 || document.starts_copied || copies_.contains(later)) {
      return;
    }
    copies_.emplace(later, LikelyCopy{earlier, steps, steps == StepPrefix::kMax});
  }

  const RunLinks& links_;
  Diagnostics& diagnostics_;
  std::unordered_map<Hash128, uint32_t, Hash128Hasher> first_;
  std::unordered_map<uint32_t, LikelyCopy> copies_;
  std::vector<std::string> examples_;
};

}  // namespace

RunLinks LinkRuns(const std::vector<std::unique_ptr<RunTreeCollector>>& parts,
                  Diagnostics& diagnostics) {
  return Linker(parts, diagnostics).Run();
}

std::unordered_map<uint32_t, LikelyCopy> FindLikelyCopies(const RunLinks& links,
                                                          Diagnostics& diagnostics) {
  return CopyFinder(links, diagnostics).Run();
}

}  // namespace pchronicle::model
