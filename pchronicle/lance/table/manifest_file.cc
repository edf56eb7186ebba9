#include "pchronicle/lance/table/manifest_file.h"

#include <algorithm>
#include <cstring>

#include "pchronicle/io/path_check.h"

namespace pchronicle::lance {
namespace {

constexpr uint64_t kTailBytes = 64 << 10;
constexpr uint64_t kFooterBytes = 16;
constexpr std::string_view kMagic = "LANC";

template <typename T>
T Load(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// Exactly [offset, offset + size) of a file; the caller checked it against the size of the file.
Result<std::string> ReadExactly(const io::RandomReader& file, uint64_t offset, uint64_t size) {
  std::string out(size, '\0');
  size_t done = 0;
  while (done < out.size()) {
    PCHRONICLE_ASSIGN_OR_RETURN(
        const size_t got,
        file.ReadAt(offset + done, std::span<char>(out.data() + done, out.size() - done)));
    if (got == 0) {
      return Status::Corruption("the file ends at byte {}, {} more were expected", offset + done,
                                out.size() - done);
    }
    done += got;
  }
  return out;
}

// A section in front of the manifest: u32 length, message. `bytes` hold the file from `start` on;
// what lies before is read.
Result<std::string> ReadSection(const io::RandomReader& file, uint64_t position, uint64_t limit,
                                std::string_view bytes, uint64_t start, std::string_view name) {
  const auto piece = [&](uint64_t at, uint64_t size) -> Result<std::string> {
    if (at >= start) {
      return std::string(bytes.substr(at - start, size));
    }
    return ReadExactly(file, at, size);
  };
  if (position > limit || limit - position < 4) {
    return Status::Corruption("{} at byte {} lies behind the manifest at byte {}", name, position,
                              limit);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string word, piece(position, 4));
  const uint32_t size = Load<uint32_t>(word, 0);
  if (size > limit - position - 4) {
    return Status::Corruption("{} at byte {} has {} bytes, {} are there", name, position, size,
                              limit - position - 4);
  }
  return piece(position + 4, size);
}

Result<ManifestFile> ReadOpened(const io::RandomReader& file) {
  const uint64_t file_size = file.size();
  if (file_size > kMaxManifestBytes) {
    return Status::ResourceExhausted("a manifest of {} bytes, at most {} are read", file_size,
                                     kMaxManifestBytes);
  }
  uint64_t start = file_size - std::min(file_size, kTailBytes);
  PCHRONICLE_ASSIGN_OR_RETURN(std::string bytes, ReadExactly(file, start, file_size - start));
  uint64_t need = 0;
  PCHRONICLE_ASSIGN_OR_RETURN(std::optional<ManifestSections> found,
                              FindManifest(bytes, file_size, &need));
  if (!found) {
    PCHRONICLE_ASSIGN_OR_RETURN(std::string front,
                                ReadExactly(file, file_size - need, need - bytes.size()));
    bytes.insert(0, front);
    start = file_size - need;
    PCHRONICLE_ASSIGN_OR_RETURN(found, FindManifest(bytes, file_size, &need));
    if (!found) {
      return Status::Internal("manifest not in its own bytes");
    }
  }
  ManifestFile out;
  PCHRONICLE_ASSIGN_OR_RETURN(out.manifest, proto::ParseManifest(found->manifest));
  const uint64_t limit = found->manifest_offset;
  if (out.manifest.index_section) {
    PCHRONICLE_ASSIGN_OR_RETURN(
        const std::string section,
        ReadSection(file, *out.manifest.index_section, limit, bytes, start, "index section"));
    PCHRONICLE_ASSIGN_OR_RETURN(out.indices, proto::ParseIndexSection(section));
  }
  if (out.manifest.transaction_section && *out.manifest.transaction_section >= start) {
    const Result<std::string> section = ReadSection(file, *out.manifest.transaction_section, limit,
                                                    bytes, start, "transaction section");
    if (section.ok()) {
      Result<proto::Transaction> transaction = proto::ParseTransaction(*section);
      if (transaction.ok()) {
        out.transaction = std::move(*transaction);
      }
    }
  }
  return out;
}

}  // namespace

Result<std::optional<ManifestSections>> FindManifest(std::string_view tail, uint64_t file_size,
                                                     uint64_t* need) {
  if (tail.size() < kFooterBytes + 4) {
    return Status::Corruption("a file of {} bytes is no manifest", file_size);
  }
  const size_t footer = tail.size() - kFooterBytes;
  if (tail.substr(tail.size() - kMagic.size()) != kMagic) {
    return Status::Corruption("no LANC at the end of the file (byte {}); cut off, or no manifest",
                              file_size - kMagic.size());
  }
  const uint64_t position = Load<uint64_t>(tail, footer);
  if (position > file_size - kFooterBytes - 4) {
    return Status::Corruption("the manifest position {} is outside the file of {} bytes", position,
                              file_size);
  }
  *need = file_size - position;
  if (*need > tail.size()) {
    return std::optional<ManifestSections>();
  }
  const size_t at = tail.size() - *need;
  const uint32_t size = Load<uint32_t>(tail, at);
  if (size != footer - at - 4) {
    return Status::Corruption("the manifest at byte {} says {} bytes, {} are there", position, size,
                              footer - at - 4);
  }
  return std::optional<ManifestSections>({position, tail.substr(at + 4, size)});
}

Result<ManifestFile> ReadManifestFile(const io::Store& store, std::string_view path) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<io::RandomReader> file, store.Open(path));
  Result<ManifestFile> out = ReadOpened(*file);
  if (!out.ok()) {
    return out.status().WithContext(path);
  }
  out->path = path;
  return out;
}

Result<std::optional<proto::Transaction>> ReadTransaction(const io::Store& store,
                                                          std::string_view transactions,
                                                          const ManifestFile& file) {
  if (file.transaction) {
    return file.transaction;
  }
  std::string bytes, place;
  if (file.manifest.transaction_section) {
    place = file.path;
    PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<io::RandomReader> opened,
                                store.Open(file.path));
    Result<std::string> section = ReadSection(*opened, *file.manifest.transaction_section,
                                              opened->size(), {}, UINT64_MAX, "transaction");
    if (!section.ok()) {
      return section.status().WithContext(place);
    }
    bytes = std::move(*section);
  } else if (!file.manifest.transaction_file.empty()) {
    place = io::JoinPath(transactions, file.manifest.transaction_file);
    PCHRONICLE_RETURN_IF_ERROR(io::CheckRelative(place).WithContext(file.path));
    Result<std::string> read = io::ReadAll(store, place, kMaxManifestBytes);
    if (!read.ok()) {
      return read.status();
    }
    bytes = std::move(*read);
  } else {
    return std::optional<proto::Transaction>();
  }
  Result<proto::Transaction> parsed = proto::ParseTransaction(bytes);
  if (!parsed.ok()) {
    return parsed.status().WithContext(place);
  }
  return std::optional<proto::Transaction>(std::move(*parsed));
}

Result<std::vector<VersionEntry>> ListVersions(const io::Store& store, std::string_view directory) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<io::Entry> entries, store.ListDirectory(directory));
  std::vector<VersionEntry> out;
  for (const io::Entry& entry : entries) {
    const std::string_view name = std::string_view(entry.path).substr(entry.path.rfind('/') + 1);
    if (const std::optional<VersionName> parsed = ParseVersionName(name);
        parsed && entry.kind != io::Entry::Kind::kDirectory) {
      out.push_back({parsed->version, parsed->scheme, entry.path});
    }
  }
  // An interrupted migration may leave a version under both names; the newer scheme counts.
  std::sort(out.begin(), out.end(), [](const VersionEntry& a, const VersionEntry& b) {
    return a.version != b.version ? a.version < b.version : a.scheme > b.scheme;
  });
  out.erase(std::unique(out.begin(), out.end(),
                        [](const VersionEntry& a, const VersionEntry& b) {
                          return a.version == b.version;
                        }),
            out.end());
  return out;
}

}  // namespace pchronicle::lance
