#include "pchronicle/catalog/discover.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "pchronicle/catalog/foreign_table.h"
#include "pchronicle/catalog/node_manifest.h"
#include "pchronicle/catalog/parallel.h"
#include "pchronicle/catalog/store_pin.h"
#include "pchronicle/json/decompress.h"

namespace pchronicle::catalog {
namespace {

/// Fewer directories than this at one level are not worth a thread.
constexpr size_t kParallelDirectories = 16;
constexpr std::string_view kForeignTable = "Lance table, no trajectory store";
constexpr uint64_t kMaxSidecarBytes = 1 << 20;
constexpr uint64_t kMaxCurrentBytes = 1 << 20;
constexpr uint64_t kMaxEventsManifestBytes = 64 << 20;

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return lower;
}

std::string Join(std::string_view directory, std::string_view name) {
  return directory.empty() ? std::string(name) : fmt::format("{}/{}", directory, name);
}

/// Name of an entry that cannot be one of ours: bytes that are no UTF-8 as `\xNN`.
std::string Printable(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (static_cast<unsigned char>(c) < 0x80) {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

/// What passed_over says of a file that is no source: its extension in lower case.
std::string ExtensionKind(std::string_view name) {
  const size_t dot = name.rfind('.');
  const std::string_view extension =
      dot == std::string_view::npos ? std::string_view() : name.substr(dot);
  const bool usual = extension.size() > 1 && extension.size() <= 16 && IsUtf8(extension);
  return usual ? Lower(extension) : "no extension";
}

Source StoreSource(std::string_view directory, std::optional<std::string> format,
                   std::string reason, const io::Entry* marker) {
  Source source;
  source.file = directory.empty() ? "." : std::string(directory);
  source.kind = SourceKind::kStore;
  source.format_name = std::move(format);
  source.ignored_reason = std::move(reason);
  if (marker != nullptr) {
    source.revision.kind = Revision::Kind::kLocalFile;
    source.revision.entry = *marker;
    source.size_bytes = marker->size;
    source.modified_ns = marker->modified_ns;
  }
  return source;
}

/// A marker file and what it pins; `entry` is of the very content that was read.
struct Marker {
  io::Entry entry;
  Result<StorePin> pin;
};

/// Reads and parses a marker. kNotFound: there is none.
Result<Marker> ReadMarker(const io::Store& store, const std::string& path, uint64_t limit,
                          Result<StorePin> (*parse)(std::string_view)) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto reader, store.Open(path));
  auto text = io::ReadAll(*reader, limit);
  return Marker{reader->entry(), text.ok() ? parse(*text) : text.status()};
}

/// The source of a store with a marker. One that cannot be pinned is an error candidate.
Source MarkedStore(std::string_view directory, std::string format, std::string_view reason,
                   Result<Marker> marker) {
  if (!marker.ok()) {
    Source source = StoreSource(directory, std::move(format), "", nullptr);
    source.error = marker.status();
    return source;
  }
  Source source = StoreSource(directory, std::move(format), "", &marker->entry);
  if (!marker->pin.ok()) {
    source.error = marker->pin.status();
    return source;
  }
  source.store_pin = std::make_shared<const StorePin>(std::move(marker->pin).value());
  source.ignored_reason = reason;
  switch (source.store_pin->kind) {
    case StorePin::Kind::kStoryline:
    case StorePin::Kind::kEvents:
      break;
    case StorePin::Kind::kStorylineUnpublished:
      source.ignored_reason = "Storyline store without a published snapshot";
      break;
    case StorePin::Kind::kVortex:
      source.format_name = "vortex";
      source.ignored_reason = "not readable yet: Vortex dataset";
      break;
  }
  return source;
}

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
      found.sources.push_back(
          MarkedStore(directory, "storyline", "not readable yet: Storyline store",
                      ReadMarker(store_, current->path, kMaxCurrentBytes, ParseCurrent)));
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
      found.sources.push_back(Leaf(directory, *node, *manifest));
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
      const std::string path = Join(directory, "_manifest.json");
      const auto entry = store_.Stat(path);  // a link is none (DSC-06)
      const bool marked = entry.ok() ? entry->kind == io::Entry::Kind::kFile
                                     : entry.status().code() != StatusCode::kNotFound;
      if (marked) {
        found.sources.push_back(
            MarkedStore(directory, "events", "not readable yet: events store",
                        ReadMarker(store_, path, kMaxEventsManifestBytes, ParseEventsManifest)));
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
    const std::string path = Join(directory, name);
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

  static Source Leaf(std::string_view directory, const NodeManifest& node,
                     const io::Entry& manifest) {
    if (node.format == "compact-jsonl/v1") {
      return StoreSource(directory, node.format, "not readable yet: Compact JSONL store",
                         &manifest);
    }
    if (node.format == "storyline/v1") {
      Source source = StoreSource(directory, "storyline", "", &manifest);
      source.error =
          Status::Corruption("chronicle.manifest names a Storyline store, but CURRENT is missing");
      return source;
    }
    return StoreSource(directory, node.format,
                       fmt::format("unsupported store format '{}'", node.format), &manifest);
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
        if (IsUtf8(name)) {
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
    if (!IsUtf8(name)) {
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
    source.file = Printable(entry.path);
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
  if (!IsUtf8(root.file)) {
    return Status::InvalidArgument("the name '{}' is not UTF-8", Printable(root.file));
  }
  Source source;
  source.file = root.file;
  source.ignored_reason = UnreadExtension(root.file);
  const bool markdown = Lower(root.file).ends_with(".md");
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

bool IsTrajectoryName(std::string_view name) {
  name = json::NameInside(name);
  const std::string tail = Lower(name.substr(name.size() - std::min<size_t>(name.size(), 8)));
  return tail.ends_with(".json") || tail.ends_with(".jsonl") || tail.ends_with(".ndjson");
}

std::string UnreadExtension(std::string_view name) {
  struct Known {
    std::string_view suffix, reason;
  };
  static constexpr Known kKnown[] = {
      {".tar.gz", "not read: archive (tar, gzip)"},
      {".tgz", "not read: archive (tar, gzip)"},
      {".tar.zst", "not read: archive (tar, zstd)"},
      {".tar.bz2", "not read: archive (tar, bzip2)"},
      {".tar.xz", "not read: archive (tar, xz)"},
      {".tar", "not read: archive (tar)"},
      {".zip", "not read: archive (zip)"},
      {".gz", "not read: compressed (gzip)"},
      {".zst", "not read: compressed (zstd)"},
      {".bz2", "not read: compressed (bzip2)"},
      {".xz", "not read: compressed (xz)"},
      {".parquet", "not read: Parquet table"},
      {".traj", "not read: .traj file (SWE-agent)"},
      {".eval", "not read: .eval log (Inspect)"},
      {".meta.json", "metadata sidecar, not a trajectory"},
  };
  name = json::NameInside(name);
  const std::string tail = Lower(name.substr(name.size() - std::min<size_t>(name.size(), 10)));
  for (const Known& known : kKnown) {
    if (tail.size() > known.suffix.size() ? tail.ends_with(known.suffix) : tail == known.suffix) {
      return std::string(known.reason);
    }
  }
  return {};
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() - i < length) {
      return false;
    }
    for (size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) {
        return false;
      }
    }
    const auto second = static_cast<unsigned char>(text[i + 1]);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) {
      return false;
    }
    i += length;
  }
  return true;
}

Result<Discovery> Discover(const OpenedRoot& root, const Limits& limits, const Context& context) {
  if (!root.file.empty()) {
    return SingleFile(root);
  }
  return Walker(root, limits, context).Walk();
}

}  // namespace pchronicle::catalog
