#include "pchronicle/base/hash.h"
#include "pchronicle/base/timestamp.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/json/writer.h"

namespace pchronicle::catalog {
namespace {

/// Bytes of catalog.md 4.1: path text, length, mtime nanoseconds as 128 bits, device, inode.
void AddToFingerprint(Blake3& hasher, std::string_view path, const io::Entry& entry) {
  hasher.Update(path);
  hasher.UpdateU64(entry.size);
  hasher.UpdateU64(static_cast<uint64_t>(entry.modified_ns));
  hasher.UpdateU64(entry.modified_ns < 0 ? UINT64_MAX : 0);
  hasher.UpdateU64(entry.device);
  hasher.UpdateU64(entry.inode);
}

}  // namespace

Revision MakeRevision(io::Entry entry, std::string_view location,
                      const std::vector<std::pair<std::string, io::Entry>>& sidecars) {
  Revision revision;
  Blake3 hasher;
  AddToFingerprint(hasher, location, entry);
  for (const auto& [path, sidecar] : sidecars) {
    AddToFingerprint(hasher, path, sidecar);
    hasher.Update(sidecar.version);
    hasher.Update(sidecar.etag);
  }
  const bool local =
      entry.version.empty() && entry.etag.empty() && (entry.inode != 0 || entry.device != 0);
  revision.kind = local ? Revision::Kind::kLocalFile : Revision::Kind::kObject;
  revision.fingerprint = local || !sidecars.empty() ? hasher.Hex() : std::string();
  revision.location = local ? std::string() : std::string(location);
  revision.entry = std::move(entry);
  return revision;
}

std::string Revision::display() const {
  switch (kind) {
    case Kind::kNone:
      return {};
    case Kind::kStoryline:
      return generation;
    case Kind::kEvents:
      return fmt::format("manifest-revision:{}", layout_revision);
    case Kind::kLocalFile:
      return "local:" + fingerprint;
    case Kind::kObject:
      break;
  }
  if (!entry.version.empty()) {
    return "version:" + entry.version;
  }
  if (!entry.etag.empty()) {
    return "etag:" + entry.etag;
  }
  // Weaker than a version, and shown as what it is (PIN-04).
  return fmt::format("object:{}:{}:{}", entry.size, FormatTimestamp(entry.modified_ns), location);
}

std::string Revision::ToJson() const {
  if (kind == Kind::kNone) {
    return "null";
  }
  json::Writer writer;
  writer.BeginObject();
  const auto add = [&writer](std::string_view key, std::string_view value) {
    writer.Key(key);
    writer.String(value);
  };
  const auto count = [&writer](std::string_view key, uint64_t value) {
    writer.Key(key);
    writer.UInt(value);
  };
  switch (kind) {
    case Kind::kNone:
      break;
    case Kind::kStoryline:
      add("kind", "storyline");
      add("generation", generation);
      break;
    case Kind::kEvents:
      add("kind", "events");
      count("fact_version", fact_version);
      count("fact_rows", fact_rows);
      count("layout_revision", layout_revision);
      break;
    case Kind::kLocalFile:
      add("kind", "local_file");
      add("fingerprint", fingerprint);
      break;
    case Kind::kObject:
      add("kind", "object");
      if (!entry.version.empty()) {
        add("version", entry.version);
      }
      if (!entry.etag.empty()) {
        add("etag", entry.etag);
      }
      count("size_bytes", entry.size);
      add("last_modified", FormatTimestamp(entry.modified_ns));
      add("location", location);
      break;
  }
  writer.EndObject();
  return writer.Take();
}

}  // namespace pchronicle::catalog
