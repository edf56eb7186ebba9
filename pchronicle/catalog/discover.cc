#include "pchronicle/catalog/discover.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "pchronicle/catalog/foreign_table.h"
#include "pchronicle/catalog/node_manifest.h"
#include "pchronicle/catalog/parallel.h"
#include "pchronicle/catalog/store_source.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::catalog {
namespace {

/// Fewer directories than this at one level are not worth a thread.
constexpr size_t kParallelDirectories = 16;
constexpr std::string_view kForeignTable = "Lance table, no trajectory store";
constexpr uint64_t kMaxSidecarBytes = 1 << 20;

class Walker {
 public:
  Walker(const OpenedRoot& root, const Limits& limits, const Context& context)
      : root_(root),
        store_(*root.store),
        limits_(limits),
        context_(context),
        root_name_(BaseName(root.uri)),
        remote_(root.uri.find("://") != std::string::npos) {}

  Result<Discovery> Walk() {
    std::vector<std::string> level = {""};
    while (!level.empty()) {
      std::vector<Findings> found(level.size());
      const size_t workers =
          level.size() < kParallelDirectories ? 1 : WorkerCount(limits_.max_concurrent_files);
      ParallelFor(level.size(), workers, [&](size_t i) {
        if (!failed_.load(std::memory_order_relaxed)) {
          found[i].status = Visit(level[i], found[i]);
          if (!found[i].status.ok()) {
            failed_.store(true, std::memory_order_relaxed);
          }
        }
      });
      std::vector<std::string> next;
      for (Findings& part : found) {
        PCHRONICLE_RETURN_IF_ERROR(part.status);
        std::move(part.sources.begin(), part.sources.end(), std::back_inserter(all_.sources));
        std::move(part.rewards.begin(), part.rewards.end(), std::back_inserter(all_.rewards));
        std::move(part.directories.begin(), part.directories.end(), std::back_inserter(next));
        for (const auto& [kind, count] : part.passed_over) {
          all_.passed_over[kind] += count;
        }
      }
      if (all_.sources.size() > limits_.max_files) {
        return Status::ResourceExhausted("more than max_files {} candidate files",
                                         limits_.max_files);
      }
      all_.directories += next.size();
      level = std::move(next);
    }
    const auto by_file = [](const Source& a, const Source& b) { return a.file < b.file; };
    if (!std::is_sorted(all_.sources.begin(), all_.sources.end(), by_file)) {  // one directory is
      std::sort(all_.sources.begin(), all_.sources.end(), by_file);
    }
    std::sort(all_.rewards.begin(), all_.rewards.end(),
              [](const io::Entry& a, const io::Entry& b) { return a.path < b.path; });
    return std::move(all_);
  }

 private:
  struct Findings {
    Status status;
    std::vector<Source> sources;
    std::vector<io::Entry> rewards;
    std::vector<std::string> directories;
    std::map<std::string, uint64_t> passed_over;
  };

  Status Visit(const std::string& directory, Findings& found) {
    PCHRONICLE_RETURN_IF_ERROR(context_.Check());
    const bool at_root = directory.empty();
    const std::string_view name = at_root ? root_name_ : BaseName(directory);
    if (name.ends_with(".lance")) {
      return VisitLance(directory, name, found);
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<io::Entry> entries, List(directory));
    if (at_root && HoldsVersions(entries)) {
      return VisitTable(found);
    }
    const io::Entry* current = Named(entries, directory, "CURRENT");
    const io::Entry* manifest = Named(entries, directory, "chronicle.manifest");
    if (current != nullptr) {
      found.sources.push_back(StorylineStore(store_, directory, current->path));
      return Status::Ok();
    }
    std::optional<NodeManifest> node;
    if (manifest != nullptr) {
      auto read = ReadManifest(*manifest);
      if (read.ok()) {
        node = std::move(read).value();
      } else if (remote_) {
        // What lies below a prefix is not guessed where looking costs requests (CMF-008).
        Source source = StoreSource(directory, std::nullopt, "", manifest);
        source.error = read.status();
        found.sources.push_back(std::move(source));
        return Status::Ok();
      } else {
        ++found.passed_over["invalid chronicle.manifest"];
      }
    }
    if (node && node->kind == NodeManifest::Kind::kLeaf) {
      found.sources.push_back(LeafStore(directory, *node, *manifest));
      return Status::Ok();
    }
    for (const io::Entry& entry : entries) {
      Classify(entry, node.has_value(), found);
    }
    return Status::Ok();
  }

  /// `*.lance` is one source and is not searched (DSC-05); only events.lance can be ours.
  Status VisitLance(const std::string& directory, std::string_view name, Findings& found) {
    if (name == "events.lance") {
      const std::string path = JoinPath(directory, "_manifest.json");
      const auto entry = store_.Stat(path);  // a link is none (DSC-06)
      const bool marked = entry.ok() ? entry->kind == io::Entry::Kind::kFile
                                     : entry.status().code() != StatusCode::kNotFound;
      if (marked) {
        found.sources.push_back(EventsStore(store_, directory, path));
        return Status::Ok();
      }
    }
    if (directory.empty()) {
      return VisitTable(found);
    }
    found.sources.push_back(
        StoreSource(directory, std::nullopt, std::string(kForeignTable), nullptr));
    return Status::Ok();
  }

  /// A table under another name than `*.lance`: nothing in it can be a trajectory.
  bool HoldsVersions(const std::vector<io::Entry>& entries) const {
    return std::any_of(entries.begin(), entries.end(),
                       [](const io::Entry& entry) {
                         return entry.path == "_versions" &&
                                entry.kind == io::Entry::Kind::kDirectory;
                       }) &&
           FindNewestVersion(store_).ok();
  }

  /// The root is a foreign table, pinned by its newest version (DSC-17).
  Status VisitTable(Findings& found) {
    auto newest = FindNewestVersion(store_);
    if (!newest.ok() && newest.status().code() != StatusCode::kNotFound) {
      return newest.status();
    }
    std::string reason(kForeignTable);
    if (newest.ok()) {
      reason += fmt::format(": its rows are the relation `{}`", kRowsRelation);
    }
    Source source =
        StoreSource("", std::nullopt, std::move(reason), newest.ok() ? &newest->manifest : nullptr);
    source.size_bytes.reset();  // that of the manifest says nothing
    source.table = std::make_shared<const ForeignTable>(
        root_.store, newest.ok() ? std::optional(newest->version) : std::nullopt);
    found.sources.push_back(std::move(source));
    return Status::Ok();
  }

  Result<std::vector<io::Entry>> List(const std::string& directory) {
    const uint64_t seen = entries_.load(std::memory_order_relaxed);
    auto entries = store_.ListDirectory(
        directory, limits_.max_entries - std::min(seen, limits_.max_entries), context_);
    if (!entries.ok()) {
      if (entries.status().code() == StatusCode::kResourceExhausted) {
        return TooManyEntries();
      }
      if (entries.status().code() == StatusCode::kNotFound && !directory.empty()) {
        return std::vector<io::Entry>();  // removed since its parent was listed
      }
      return entries.status();
    }
    if (entries_.fetch_add(entries->size()) + entries->size() > limits_.max_entries) {
      return TooManyEntries();
    }
    return entries;
  }

  Status TooManyEntries() const {
    return Status::ResourceExhausted("more than max_entries {} directory entries",
                                     limits_.max_entries);
  }

  static const io::Entry* Named(const std::vector<io::Entry>& entries, std::string_view directory,
                                std::string_view name) {
    const std::string path = JoinPath(directory, name);
    const auto it = std::lower_bound(
        entries.begin(), entries.end(), path,
        [](const io::Entry& entry, const std::string& p) { return entry.path < p; });
    return it != entries.end() && it->path == path && it->kind == io::Entry::Kind::kFile ? &*it
                                                                                         : nullptr;
  }

  Result<NodeManifest> ReadManifest(const io::Entry& entry) const {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string text,
                                io::ReadAll(store_, entry.path, kMaxSidecarBytes));
    return ParseNodeManifest(text);
  }

  /// In a branch node only the directories count (CMF-001).
  void Classify(const io::Entry& entry, bool in_branch, Findings& found) const {
    const std::string_view name = BaseName(entry.path);
    if (name.starts_with('.')) {
      ++found.passed_over["dot name"];
      return;
    }
    switch (entry.kind) {
      case io::Entry::Kind::kSymlink:
        ++found.passed_over["symlink"];
        return;
      case io::Entry::Kind::kOther:
        ++found.passed_over["special file"];
        return;
      case io::Entry::Kind::kDirectory:
        if (json::IsValidUtf8(name)) {
          found.directories.push_back(entry.path);
        } else {
          found.sources.push_back(Unnamable(entry));
        }
        return;
      case io::Entry::Kind::kFile:
        break;
    }
    if (name == "chronicle.manifest") {
      return;  // part of the node, counted where it is invalid
    }
    const std::string unread = UnreadExtension(name);
    if (in_branch || (unread.empty() && !IsTrajectoryName(name))) {
      ++found.passed_over[ExtensionKind(name)];
      if (name == "reward.txt" && entry.path.ends_with("verifier/reward.txt")) {
        found.rewards.push_back(entry);
      }
      return;
    }
    if (!json::IsValidUtf8(name)) {
      found.sources.push_back(Unnamable(entry));
      return;
    }
    Source source;
    source.file = entry.path;
    source.revision.entry = entry;
    source.size_bytes = entry.size;
    source.modified_ns = entry.modified_ns;
    source.ignored_reason = unread;
    found.sources.push_back(std::move(source));
  }

  static Source Unnamable(const io::Entry& entry) {
    Source source;
    source.file = PrintableName(entry.path);
    source.error = Status::InvalidArgument("the name is not UTF-8");
    return source;
  }

  const OpenedRoot& root_;
  const io::Store& store_;
  const Limits& limits_;
  const Context& context_;
  const std::string_view root_name_;
  const bool remote_;
  Discovery all_;
  std::atomic<uint64_t> entries_{0};
  std::atomic<bool> failed_{false};
};

/// A root that is a file is the only source, whatever link it may be (DSC-02).
Result<Discovery> SingleFile(const OpenedRoot& root) {
  if (!json::IsValidUtf8(root.file)) {
    return Status::InvalidArgument("the name '{}' is not UTF-8", PrintableName(root.file));
  }
  Source source;
  source.file = root.file;
  source.ignored_reason = UnreadExtension(root.file);
  const bool markdown = LowerCase(root.file).ends_with(".md");
  if (source.ignored_reason.empty() && !markdown && !IsTrajectoryName(root.file)) {
    return Status::InvalidArgument(
        "unsupported file type: {} (expected .json, .jsonl, .ndjson, one of these with .gz or "
        ".zst, .md or a directory)",
        root.uri);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(source.revision.entry, root.store->Stat(root.file, true));
  source.size_bytes = source.revision.entry.size;
  source.modified_ns = source.revision.entry.modified_ns;
  Discovery discovery;
  discovery.sources.push_back(std::move(source));
  return discovery;
}

}  // namespace

Result<Discovery> Discover(const OpenedRoot& root, const Limits& limits, const Context& context) {
  if (!root.file.empty()) {
    return SingleFile(root);
  }
  return Walker(root, limits, context).Walk();
}

}  // namespace pchronicle::catalog
