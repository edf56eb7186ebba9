#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/io/store.h"
#include "pchronicle/lance/proto/table_messages.h"
#include "pchronicle/lance/table/version_name.h"

namespace pchronicle::lance {

/// Largest manifest that is read; the bytes of a file bound what its messages take.
inline constexpr uint64_t kMaxManifestBytes = uint64_t{1} << 30;

/// One version of a table as its manifest file tells it.
struct ManifestFile {
  std::string path;  // in the store
  proto::Manifest manifest;
  std::vector<proto::Index> indices;
  std::optional<proto::Transaction> transaction;  // the inline one
};

/// Sections of a manifest file, checked for framing only (lance.md A2). Views into `bytes`.
struct ManifestSections {
  uint64_t manifest_offset = 0;  // of its length word
  std::string_view manifest;
};
/// `tail`: the last bytes of a file of `file_size` bytes. Nothing when the manifest starts before
/// the tail: *need gets how many bytes at the end hold it.
Result<std::optional<ManifestSections>> FindManifest(std::string_view tail, uint64_t file_size,
                                                     uint64_t* need);

/// Reads and checks one manifest file: framing, messages, index section, inline transaction when
/// it lies in what was read anyway. One read when the file has at most 64 KiB. A transaction that
/// cannot be understood is dropped, it is no concern of a reader. kNotFound when absent,
/// kCorruption with path and place otherwise.
Result<ManifestFile> ReadManifestFile(const io::Store& store, std::string_view path);

/// The transaction of a version: inline, else the file it names in `transactions` (the directory);
/// nothing when the version carries none.
Result<std::optional<proto::Transaction>> ReadTransaction(const io::Store& store,
                                                          std::string_view transactions,
                                                          const ManifestFile& file);

/// Names in `_versions`, oldest version first, one for each version; both schemes may be there.
/// kNotFound when the directory is missing.
struct VersionEntry {
  uint64_t version = 0;
  NameScheme scheme = NameScheme::kV2;
  std::string path;
};
Result<std::vector<VersionEntry>> ListVersions(const io::Store& store, std::string_view directory);

}  // namespace pchronicle::lance
