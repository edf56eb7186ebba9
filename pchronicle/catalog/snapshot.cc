#include "pchronicle/catalog/snapshot.h"

#include <algorithm>
#include <chrono>

#include "pchronicle/base/hash.h"
#include "pchronicle/catalog/cell.h"
#include "pchronicle/catalog/discover.h"
#include "pchronicle/catalog/harbor_places.h"
#include "pchronicle/catalog/mount.h"
#include "pchronicle/catalog/projection.h"
#include "pchronicle/catalog/store_pin.h"

namespace pchronicle::catalog {
namespace {

std::string Location(const OpenedRoot& root, std::string_view file) {
  if (!root.file.empty()) {
    return root.uri;
  }
  return root.uri == "/" ? fmt::format("/{}", file) : fmt::format("{}/{}", root.uri, file);
}

/// A published store is pinned by what its marker names, not by the marker file (PIN-01).
void PinStore(const StorePin& pin, Revision& revision) {
  switch (pin.kind) {
    case StorePin::Kind::kStoryline:
      revision.kind = Revision::Kind::kStoryline;
      revision.generation = pin.storyline.generation;
      break;
    case StorePin::Kind::kEvents:
      revision.kind = Revision::Kind::kEvents;
      revision.fact_version = pin.events.fact_version;
      revision.fact_rows = pin.events.fact_rows;
      revision.layout_revision = pin.events.revision;
      break;
    case StorePin::Kind::kStorylineUnpublished:
    case StorePin::Kind::kVortex:
      break;
  }
}

/// A hint must be the store's own format (DSC-11); files are read as the hint says.
void CheckHint(model::Format hint, Source& source) {
  if (source.kind == SourceKind::kFile) {
    if (source.ignored_reason.empty()) {
      source.format_name = model::FormatName(hint);
    }
  } else if (source.error.ok() && source.format_name &&
             *source.format_name != model::FormatName(hint)) {
    source.error =
        Status::InvalidArgument("the format hint '{}' does not fit a store of format '{}'",
                                model::FormatName(hint), *source.format_name);
  }
}

/// Pins one source, or makes it an error candidate (PIN-07).
void Pin(const OpenedRoot& root, const Limits& limits, Source& source) {
  const io::Entry& entry = source.revision.entry;
  if (entry.path.empty()) {
    return;  // a foreign table: nothing to pin it by
  }
  std::vector<std::pair<std::string, io::Entry>> sidecars;
  if (source.harbor != nullptr) {
    sidecars = SidecarEntries(*source.harbor);
    for (auto& [path, sidecar] : sidecars) {
      path = Location(root, path);
    }
  }
  source.revision =
      MakeRevision(source.revision.entry, Location(root, source.revision.entry.path), sidecars);
  if (source.store_pin != nullptr) {
    PinStore(*source.store_pin, source.revision);
  }
  if (source.kind == SourceKind::kStore || !source.ignored_reason.empty() || !source.error.ok()) {
    return;
  }
  const bool remote = source.revision.kind == Revision::Kind::kObject;
  const auto check = [&](std::string_view what, std::string_view name, uint64_t limit) {
    if (limit != 0 && *source.size_bytes > limit && source.error.ok()) {
      source.error = Status::ResourceExhausted("{} input {} is {} bytes, exceeding {} {}", what,
                                               source.file, *source.size_bytes, name, limit);
    }
  };
  constexpr uint64_t kRemoteFileBytes = 256ULL << 20;
  check("trajectory", "max_file_bytes",
        limits.max_file_bytes != 0 ? limits.max_file_bytes : (remote ? kRemoteFileBytes : 0));
  check("format detection", "max_detection_bytes", remote ? limits.max_detection_bytes : 0);
}

Status CheckLimits(const Limits& limits) {
  const std::pair<std::string_view, uint64_t> positive[] = {
      {"max_files", limits.max_files},
      {"max_entries", limits.max_entries},
      {"max_detection_bytes", limits.max_detection_bytes},
      {"max_record_bytes", limits.max_record_bytes},
      {"max_decompressed_bytes", limits.max_decompressed_bytes},
      {"max_decompression_ratio", limits.max_decompression_ratio},
      {"max_decompression_window_bytes", limits.max_decompression_window_bytes},
  };
  for (const auto& [name, value] : positive) {
    if (value == 0) {
      return Status::InvalidArgument("{} must be greater than 0", name);
    }
  }
  return Status::Ok();
}

/// Members and versions of all Datasets as text (SID-02).
std::string SnapshotId(const std::vector<CatalogDataset>& datasets) {
  constexpr std::string_view kNul("\0", 1);
  Blake3 hasher;
  for (const CatalogDataset& dataset : datasets) {
    hasher.Update(dataset.mount.alias);
    hasher.Update(kNul);
    hasher.Update(dataset.root_uri);
    if (dataset.mount.format_hint) {
      hasher.Update(kNul);
      hasher.Update("format:");
      hasher.Update(model::FormatName(*dataset.mount.format_hint));
    }
    for (const Source& source : dataset.sources) {
      hasher.Update(kNul);
      hasher.Update(source.file);
      if (const std::string ref = source.revision.display(); !ref.empty()) {
        hasher.Update(kNul);
        hasher.Update(ref);
      }
      if (source.projection != nullptr) {
        hasher.Update(kNul);
        hasher.Update("projection:");
        hasher.Update(source.projection->generation);
        hasher.Update(source.projection->fresh ? ":fresh" : ":stale");
      }
      if (!source.error.ok()) {
        hasher.Update(kNul);
        hasher.Update(source.error.message());
      }
    }
  }
  return hasher.Hex(24);
}

bool SamePin(const Revision& a, const Revision& b) {
  return a.kind == b.kind && a.kind != Revision::Kind::kNone && a.fingerprint == b.fingerprint &&
         a.location == b.location && a.entry.size == b.entry.size &&
         a.entry.modified_ns == b.entry.modified_ns && a.entry.version == b.entry.version &&
         a.entry.etag == b.entry.etag;
}

/// The cell of the same source in an earlier snapshot, if what it knows still holds. Neighbours of
/// a Harbor trial decide on each other, so those cells are made anew.
std::shared_ptr<Source::Cell> Inherit(const Snapshot* previous, const CatalogDataset& dataset,
                                      const Source& source) {
  if (previous == nullptr || source.harbor != nullptr) {
    return nullptr;
  }
  for (const CatalogDataset& old : previous->datasets()) {
    if (old.root_uri != dataset.root_uri || old.mount.format_hint != dataset.mount.format_hint) {
      continue;
    }
    const Source* match = old.Find(source.file);
    if (match == nullptr || match->harbor != nullptr ||
        !SamePin(match->revision, source.revision)) {
      continue;
    }
    const std::lock_guard lock(match->cell->mutex);
    if (match->cell->outcome && match->cell->outcome->ok()) {
      return match->cell;
    }
  }
  return nullptr;
}

/// A foreign table that did not change stays open from one snapshot to the next.
void ReuseTable(const Snapshot* previous, const CatalogDataset& dataset, Source& source) {
  if (previous == nullptr || source.table == nullptr) {
    return;
  }
  for (const CatalogDataset& old : previous->datasets()) {
    const Source* match = old.root_uri == dataset.root_uri ? old.ForeignTableSource() : nullptr;
    if (match != nullptr && SamePin(match->revision, source.revision)) {
      source.table = match->table;
    }
  }
}

}  // namespace

std::string_view ContentStatusName(ContentStatus status) {
  switch (status) {
    case ContentStatus::kUnknown:
      return "unknown";
    case ContentStatus::kReady:
      return "ready";
    case ContentStatus::kOpen:
      return "open";
    case ContentStatus::kEmpty:
      return "empty";
    case ContentStatus::kIgnored:
      return "ignored";
    case ContentStatus::kError:
      return "error";
  }
  return "unknown";
}

const Source* CatalogDataset::Find(std::string_view file) const {
  const auto it =
      std::lower_bound(sources.begin(), sources.end(), file,
                       [](const Source& source, std::string_view f) { return source.file < f; });
  return it != sources.end() && it->file == file ? &*it : nullptr;
}

void Source::Cell::AddHints(const model::SourceNotes& found) {
  const std::lock_guard lock(mutex);
  skim_first |= found.skim_first;
  serial |= found.serial;
}

bool Source::Cell::SkimsFirst() {
  const std::lock_guard lock(mutex);
  return skim_first;
}

void Source::Cell::SetSerial() {
  const std::lock_guard lock(mutex);
  serial = true;
}

void Source::Cell::SetOpenTail() {
  const std::lock_guard lock(mutex);
  open_tail = true;
}

bool Source::Cell::IsSerial() {
  const std::lock_guard lock(mutex);
  return serial;
}

Result<std::shared_ptr<const Snapshot>> Snapshot::Build(std::vector<Mount> mounts,
                                                        SnapshotOptions options,
                                                        const Context& context,
                                                        const Snapshot* previous) {
  PCHRONICLE_RETURN_IF_ERROR(CheckMounts(mounts));
  PCHRONICLE_RETURN_IF_ERROR(CheckLimits(options.limits));
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->created_at_ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::system_clock::now().time_since_epoch())
                                 .count();
  for (Mount& mount : mounts) {
    auto opened = OpenRoot(mount);
    if (!opened.ok()) {
      return opened.status().WithContext(fmt::format("Dataset '{}'", mount.alias));
    }
    const OpenedRoot root = std::move(opened).value();
    auto found = Discover(root, options.limits, context);
    if (!found.ok()) {
      return found.status().WithContext(fmt::format("Dataset '{}'", mount.alias));
    }
    BindProjections(root, found->sources);
    AssignHarborPlaces(*found);
    CatalogDataset dataset;
    dataset.mount = std::move(mount);
    dataset.root_uri = root.uri;
    dataset.store = root.store;
    dataset.directories = found->directories;
    dataset.passed_over.assign(found->passed_over.begin(), found->passed_over.end());
    dataset.sources = std::move(found->sources);
    for (Source& source : dataset.sources) {
      Pin(root, options.limits, source);
      if (dataset.mount.format_hint) {
        CheckHint(*dataset.mount.format_hint, source);
      }
      if (!source.error.ok() && options.errors == ErrorPolicy::kStrict) {
        return source.error.WithContext(
            fmt::format("Dataset '{}': source '{}'", dataset.mount.alias, source.file));
      }
      ReuseTable(previous, dataset, source);
      source.cell = Inherit(previous, dataset, source);
      if (source.cell == nullptr) {
        source.cell = std::make_shared<Source::Cell>();
      }
    }
    snapshot->datasets_.push_back(std::move(dataset));
  }
  snapshot->id_ = SnapshotId(snapshot->datasets_);
  snapshot->options_ = std::move(options);
  return std::shared_ptr<const Snapshot>(std::move(snapshot));
}

std::optional<size_t> Snapshot::default_dataset() const {
  for (size_t i = 0; i < datasets_.size(); ++i) {
    if (datasets_[i].mount.is_default) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<size_t> Snapshot::FindDataset(std::string_view alias) const {
  for (size_t i = 0; i < datasets_.size(); ++i) {
    if (datasets_[i].mount.alias == alias) {
      return i;
    }
  }
  return std::nullopt;
}

SourceContent KnownContent(const Source& source) {
  SourceContent content;
  if (!source.error.ok()) {
    return content;
  }
  if (source.cell == nullptr) {
    return content;
  }
  const std::lock_guard lock(source.cell->mutex);
  if (source.cell->content) {
    return *source.cell->content;
  }
  if (!source.ignored_reason.empty()) {
    content.status = ContentStatus::kIgnored;
    content.reason = source.ignored_reason;
    return content;
  }
  if (source.cell->outcome && source.cell->outcome->ok()) {
    content = (**source.cell->outcome)->content;
    const bool undecided =
        content.status == ContentStatus::kUnknown || content.status == ContentStatus::kReady;
    if (source.cell->open_tail && undecided) {
      content.status = ContentStatus::kOpen;
    }
  }
  return content;
}

}  // namespace pchronicle::catalog
