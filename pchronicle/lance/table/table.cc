#include "pchronicle/lance/table/table.h"

#include <fmt/core.h>

#include <algorithm>

#include "pchronicle/io/path_check.h"
#include "pchronicle/lance/table/deletion_file.h"
#include "pchronicle/lance/table/feature_flags.h"
#include "pchronicle/lance/table/tail_reader.h"

namespace pchronicle::lance {
namespace {

constexpr size_t kOpenFiles = 256;    // data files kept open for each table
constexpr size_t kNamedVersions = 8;  // in a message

// `1, 2, 3` or `1, 2, ... 90, 91`.
std::string VersionList(const std::vector<VersionEntry>& versions) {
  std::string out;
  for (size_t i = 0; i < versions.size(); ++i) {
    if (versions.size() > kNamedVersions && i == kNamedVersions / 2) {
      out += ", ...";
      i = versions.size() - kNamedVersions / 2;
    }
    out += fmt::format("{}{}", out.empty() ? "" : ", ", versions[i].version);
  }
  return out;
}

Result<int64_t> TimestampOf(const proto::Manifest& manifest) {
  int64_t out = 0;
  if (__builtin_mul_overflow(manifest.timestamp_seconds, int64_t{1'000'000'000}, &out) ||
      __builtin_add_overflow(out, int64_t{manifest.timestamp_nanos}, &out)) {
    return Status::Corruption("timestamp of {} seconds is outside the range of nanoseconds",
                              manifest.timestamp_seconds);
  }
  return out;
}

Result<VersionEntry> ChooseVersion(const io::Store& store, const OpenOptions& options,
                                   const std::vector<VersionEntry>& versions) {
  if (options.version) {
    const auto found = std::find_if(versions.begin(), versions.end(), [&](const VersionEntry& e) {
      return e.version == *options.version;
    });
    if (found == versions.end()) {
      return Status::NotFound("version {} does not exist; there are {}", *options.version,
                              VersionList(versions));
    }
    return *found;
  }
  if (options.timestamp_ns) {
    // Clocks may step back between versions, so no order of the times is relied on.
    for (size_t i = versions.size(); i-- > 0;) {
      PCHRONICLE_ASSIGN_OR_RETURN(const ManifestFile file,
                                  ReadManifestFile(store, versions[i].path));
      PCHRONICLE_ASSIGN_OR_RETURN(const int64_t time, TimestampOf(file.manifest));
      if (time <= *options.timestamp_ns) {
        return versions[i];
      }
    }
    return Status::NotFound("no version is as old as that; version {} is the oldest",
                            versions.front().version);
  }
  return versions.back();
}

Status CheckFragments(const proto::Manifest& manifest) {
  for (size_t i = 0; i < manifest.fragments.size(); ++i) {
    const proto::Fragment& fragment = manifest.fragments[i];
    if (i > 0 && fragment.id <= manifest.fragments[i - 1].id) {
      return Status::Corruption("fragment {} stands behind fragment {}", fragment.id,
                                manifest.fragments[i - 1].id);
    }
    if (fragment.overlays && (manifest.reader_flags & kFlagOverlayFiles) == 0) {
      return Status::Corruption("fragment {} has overlays without feature flag 64", fragment.id);
    }
    if (fragment.deletion && fragment.deletion->deleted_rows > fragment.physical_rows) {
      return Status::Corruption("fragment {} has {} rows and {} deleted ones", fragment.id,
                                fragment.physical_rows, fragment.deletion->deleted_rows);
    }
  }
  return Status::Ok();
}

// Errors of a file carry its path once.
Status InFile(const Status& status, std::string_view path) {
  return status.message().starts_with(path) ? status : status.WithContext(path);
}

}  // namespace

Result<std::shared_ptr<const Table>> Table::Open(std::shared_ptr<const io::Store> store,
                                                 OpenOptions options) {
  if ((options.version ? 1 : 0) + (options.timestamp_ns ? 1 : 0) + (options.tag.empty() ? 0 : 1) >
      1) {
    return Status::InvalidArgument("choose a version, a time or a tag, not several of them");
  }
  const auto here = [&](const Status& status) { return status.WithContext(store->uri()); };
  if (!options.tag.empty()) {
    const Result<Tag> tag = ReadTag(*store, options.tag);
    if (!tag.ok()) {
      return here(tag.status());
    }
    options.version = tag->version;
    options.branch = tag->branch;
  }
  if (const Status status = io::CheckRelative(options.branch); !status.ok()) {
    return Status::InvalidArgument("'{}' is no name of a branch", options.branch);
  }
  const std::string root = BranchRoot(options.branch);
  Result<std::vector<VersionEntry>> versions = ListVersions(*store, root + "_versions");
  if (!versions.ok() && versions.status().code() != StatusCode::kNotFound) {
    return here(versions.status());
  }
  if (!versions.ok() || versions->empty()) {
    return here(options.branch.empty()
                    ? Status::NotFound("no Lance table: no version in _versions")
                    : Status::NotFound("branch '{}' does not exist: no version in {}_versions",
                                       options.branch, root));
  }
  const Result<VersionEntry> entry = ChooseVersion(*store, options, *versions);
  if (!entry.ok()) {
    return here(entry.status());
  }
  Result<ManifestFile> file = ReadManifestFile(*store, entry->path);
  if (!file.ok()) {
    return here(file.status());
  }
  if (file->manifest.version != entry->version) {
    return here(Status::Corruption("{}: the manifest says version {}", entry->path,
                                   file->manifest.version));
  }
  TablePaths paths(std::move(store), root, file->manifest.base_paths, options.open_base);
  std::shared_ptr<Table> table(
      new Table(std::move(paths), *std::move(file), std::move(options.branch)));
  PCHRONICLE_RETURN_IF_ERROR(table->Check());
  return std::shared_ptr<const Table>(std::move(table));
}

Status Table::Check() {
  const proto::Manifest& manifest = file_.manifest;
  PCHRONICLE_RETURN_IF_ERROR(
      CheckReaderFlags(manifest.reader_flags, uri(), version(), manifest.writer.Text()));
  if (!manifest.file_format.empty() && manifest.file_format != "lance") {
    return Status::Unsupported("{}: data files of format '{}'; only lance is read", Describe(),
                               manifest.file_format);
  }
  PCHRONICLE_RETURN_IF_ERROR(TimestampOf(manifest).status().WithContext(Describe()));
  PCHRONICLE_RETURN_IF_ERROR(CheckFragments(manifest).WithContext(Describe()));
  Result<std::vector<FieldNode>> schema = BuildFieldTree(manifest.fields);
  if (!schema.ok()) {
    return schema.status().WithContext(Describe());
  }
  schema_ = *std::move(schema);
  return Status::Ok();
}

int64_t Table::timestamp_ns() const { return *TimestampOf(file_.manifest); }

std::string Table::Describe() const {
  return branch_.empty() ? fmt::format("{} version {}", uri(), version())
                         : fmt::format("{} branch {} version {}", uri(), branch_, version());
}

std::optional<size_t> Table::FindFragment(uint64_t id) const {
  const auto& all = fragments();
  const auto it = std::lower_bound(
      all.begin(), all.end(), id, [](const auto& fragment, uint64_t i) { return fragment.id < i; });
  return it == all.end() || it->id != id
             ? std::nullopt
             : std::optional<size_t>(static_cast<size_t>(it - all.begin()));
}

uint64_t Table::CountRows() const {
  uint64_t rows = 0;
  for (const proto::Fragment& fragment : fragments()) {
    rows += fragment.physical_rows - (fragment.deletion ? fragment.deletion->deleted_rows : 0);
  }
  return rows;
}

Result<std::vector<VersionEntry>> Table::Versions() const {
  return ListVersions(paths_.store(), paths_.InRoot("_versions"));
}

Result<ManifestFile> Table::ReadVersion(const VersionEntry& entry) const {
  return ReadManifestFile(paths_.store(), entry.path);
}

Result<std::optional<proto::Transaction>> Table::TransactionOf(const ManifestFile& file) const {
  return ReadTransaction(paths_.store(), paths_.InRoot("_transactions"), file);
}

namespace {

// Sidecars of blob columns lie in a directory named like the data file.
class SidecarOpener : public BlobOpener {
 public:
  explicit SidecarOpener(FilePlace data_file) : place_(std::move(data_file)) {
    constexpr std::string_view kSuffix = ".lance";
    if (place_.path.ends_with(kSuffix)) {
      place_.path.resize(place_.path.size() - kSuffix.size());
    }
  }
  Result<std::shared_ptr<const io::RandomReader>> OpenSidecar(uint32_t blob_id) override {
    PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<io::RandomReader> file,
                                place_.store->Open(place_.path + "/" + SidecarName(blob_id)));
    return std::shared_ptr<const io::RandomReader>(std::move(file));
  }

 private:
  FilePlace place_;
};

}  // namespace

Result<std::shared_ptr<const FileReader>> Table::OpenFile(const FilePlace& place,
                                                          FileOptions options,
                                                          uint64_t expected_size) const {
  options.name = place.path;
  Result<std::unique_ptr<io::RandomReader>> opened = place.store->Open(place.path);
  if (!opened.ok()) {
    return InFile(opened.status(), place.path);
  }
  if (expected_size != 0 && (*opened)->size() != expected_size) {
    return Status::Corruption("{}: {} bytes, the manifest says {}", place.path, (*opened)->size(),
                              expected_size);
  }
  Result<std::shared_ptr<const FileReader>> reader =
      FileReader::Open(std::make_shared<const TailReader>(*std::move(opened)), options);
  if (!reader.ok()) {
    return InFile(reader.status(), place.path);
  }
  AddOpenCounters((*reader)->open_counters());
  return reader;
}

Result<std::shared_ptr<const FileReader>> Table::OpenDataFile(size_t fragment, size_t file) const {
  const std::pair<size_t, size_t> key(fragment, file);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = data_files_.find(key); found != data_files_.end()) {
      return found->second;
    }
  }
  const proto::Fragment& part = fragments()[fragment];
  const proto::DataFile& data = part.files[file];
  Result<FilePlace> place = paths_.Locate(FileKind::kData, data.path, data.base_id);
  if (!place.ok()) {
    return place.status().WithContext(Describe());
  }
  Result<FileVersion> version = CheckFileVersion(data.major, data.minor);
  if (!version.ok()) {
    return version.status().WithContext(fmt::format("{}: {}", Describe(), place->path));
  }
  FileOptions options;
  options.expected_version = &*version;
  options.blobs = std::make_shared<SidecarOpener>(*place);
  Result<std::shared_ptr<const FileReader>> reader = OpenFile(*place, options, data.size);
  if (!reader.ok()) {
    return reader.status().WithContext(uri());
  }
  if ((*reader)->rows() != part.physical_rows) {
    return Status::Corruption("{}: {}: {} rows, fragment {} of version {} has {}", uri(),
                              place->path, (*reader)->rows(), part.id, this->version(),
                              part.physical_rows);
  }
  const std::lock_guard lock(mutex_);
  if (data_files_.size() >= kOpenFiles) {
    data_files_.erase(data_files_.begin());  // scans go forward: the lowest is the oldest
  }
  return data_files_.emplace(key, *std::move(reader)).first->second;
}

Result<std::shared_ptr<const FileReader>> Table::OpenIndexFile(const proto::Index& index,
                                                               std::string_view name) const {
  PCHRONICLE_ASSIGN_OR_RETURN(
      const FilePlace place,
      paths_.Locate(FileKind::kIndex, fmt::format("{}/{}", index.UuidText(), name), index.base_id));
  return OpenFile(place, {}, 0);
}

Result<std::shared_ptr<const RoaringBitmap>> Table::Deletions(size_t fragment) const {
  const proto::Fragment& part = fragments()[fragment];
  if (!part.deletion) {
    return std::shared_ptr<const RoaringBitmap>();
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = deletions_.find(fragment); found != deletions_.end()) {
      return found->second;
    }
  }
  ReadCounters reads;
  Result<RoaringBitmap> deleted = ReadDeletionFile(paths_, part, &reads);
  AddOpenCounters(reads);
  if (!deleted.ok()) {
    return deleted.status().WithContext(Describe());
  }
  auto shared = std::make_shared<const RoaringBitmap>(*std::move(deleted));
  const std::lock_guard lock(mutex_);
  return deletions_.emplace(fragment, std::move(shared)).first->second;
}

Result<std::shared_ptr<const RowIdSequence>> Table::RowIds(size_t fragment) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = row_ids_.find(fragment); found != row_ids_.end()) {
      return found->second;
    }
  }
  const proto::Fragment& part = fragments()[fragment];
  const auto in_fragment = [&](const Status& status) {
    return status.WithContext(fmt::format("{}: row ids of fragment {}", Describe(), part.id));
  };
  Result<RowIdSequence> ids =
      RowIdSequence::FromAddresses(static_cast<uint32_t>(part.id), part.physical_rows);
  if (stable_row_ids()) {
    if (part.row_ids.external) {
      return in_fragment(Status::Unsupported("they lie in a file of their own"));
    }
    if (!part.row_ids.inline_bytes) {
      return in_fragment(Status::Corruption("there are none, although the table has stable ones"));
    }
    ids = RowIdSequence::Decode(*part.row_ids.inline_bytes, part.physical_rows);
    if (!ids.ok()) {
      return in_fragment(ids.status());
    }
  }
  auto shared = std::make_shared<const RowIdSequence>(*std::move(ids));
  const std::lock_guard lock(mutex_);
  return row_ids_.emplace(fragment, std::move(shared)).first->second;
}

std::optional<std::shared_ptr<const IndexSegment>> Table::OpenSegment(
    const std::string& uuid) const {
  const std::lock_guard lock(mutex_);
  const auto found = segments_.find(uuid);
  return found == segments_.end() ? std::nullopt : std::optional(found->second);
}

void Table::KeepSegment(const std::string& uuid,
                        std::shared_ptr<const IndexSegment> segment) const {
  const std::lock_guard lock(mutex_);
  segments_.insert_or_assign(uuid, std::move(segment));
}

void Table::AddOpenCounters(const ReadCounters& more) const {
  const std::lock_guard lock(mutex_);
  open_counters_ += more;
}

ReadCounters Table::open_counters() const {
  const std::lock_guard lock(mutex_);
  return open_counters_;
}

}  // namespace pchronicle::lance
