#pragma once

#include <set>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/table/manifest_file.h"

namespace pchronicle::lance {

/// Names of the files in the table's own directories that versions refer to; files of other bases
/// are left out.
struct ReferencedFiles {
  std::set<std::string, std::less<>> data;       // below data/
  std::set<std::string, std::less<>> deletions;  // below _deletions/
  std::set<std::string, std::less<>> indices;    // UUIDs below _indices/
  std::set<std::string, std::less<>> transactions;

  void Add(const ManifestFile& file);
  /// The files of other bases: a branch refers to files of its parents by them. Names are random,
  /// so which of the bases it is need not be known.
  void AddOfOtherBases(const ManifestFile& file);

 private:
  void AddSome(const ManifestFile& file, bool own);
};

/// A file of a table that lies in one of its directories.
struct StoredFile {
  enum class Kind : uint8_t { kData, kDeletion, kIndex, kTransaction, kTemporary };
  Kind kind;
  std::string path;
  std::string owner;  // the name that manifests refer to it by; sidecars: of their data file
  uint64_t size;
  int64_t modified_ns;
};
/// All files of these directories below `root`, sidecars and files of indices included, also what
/// a writer left half written under a temporary name.
Result<std::vector<StoredFile>> ListStoredFiles(const io::Store& store, const std::string& root);
bool IsReferenced(const ReferencedFiles& files, const StoredFile& file);

}  // namespace pchronicle::lance
