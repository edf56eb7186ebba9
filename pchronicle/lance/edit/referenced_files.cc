#include "pchronicle/lance/edit/referenced_files.h"

#include "pchronicle/io/local_file.h"

namespace pchronicle::lance {
namespace {

using Kind = StoredFile::Kind;

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Result<std::vector<io::Entry>> ListOrNone(const io::Store& store, const std::string& path) {
  Result<std::vector<io::Entry>> entries = store.ListDirectory(path);
  if (!entries.ok() && entries.status().code() == StatusCode::kNotFound) {
    return std::vector<io::Entry>();
  }
  return entries;
}

// The files of one directory; those of the directories in it belong to what these are named after.
Status AddFiles(const io::Store& store, Kind kind, const std::string& directory,
                std::vector<StoredFile>* out) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<io::Entry> entries, ListOrNone(store, directory));
  for (const io::Entry& entry : entries) {
    const std::string name = LastPart(entry.path);
    if (entry.kind == io::Entry::Kind::kFile) {
      out->push_back({kind, entry.path, name, entry.size, entry.modified_ns});
    }
    if (entry.kind != io::Entry::Kind::kDirectory) {
      continue;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<io::Entry> inner, ListOrNone(store, entry.path));
    for (const io::Entry& file : inner) {
      if (file.kind == io::Entry::Kind::kFile) {
        out->push_back({kind, file.path, kind == Kind::kData ? name + ".lance" : name, file.size,
                        file.modified_ns});
      }
    }
  }
  return Status::Ok();
}

}  // namespace

void ReferencedFiles::Add(const ManifestFile& file) { AddSome(file, /*own=*/true); }

void ReferencedFiles::AddOfOtherBases(const ManifestFile& file) { AddSome(file, /*own=*/false); }

void ReferencedFiles::AddSome(const ManifestFile& file, bool own) {
  for (const proto::Fragment& fragment : file.manifest.fragments) {
    for (const proto::DataFile& part : fragment.files) {
      if (part.base_id.has_value() != own) {
        data.insert(part.path);
      }
    }
    if (fragment.deletion && fragment.deletion->base_id.has_value() != own) {
      deletions.insert(fragment.deletion->Name(fragment.id));
    }
  }
  for (const proto::Index& index : file.indices) {
    if (index.base_id.has_value() != own) {
      indices.insert(index.UuidText());
    }
  }
  if (own && !file.manifest.transaction_file.empty()) {
    transactions.insert(file.manifest.transaction_file);
  }
}

Result<std::vector<StoredFile>> ListStoredFiles(const io::Store& store, const std::string& root) {
  std::vector<StoredFile> out;
  PCHRONICLE_RETURN_IF_ERROR(AddFiles(store, Kind::kData, root + "data", &out));
  PCHRONICLE_RETURN_IF_ERROR(AddFiles(store, Kind::kDeletion, root + "_deletions", &out));
  PCHRONICLE_RETURN_IF_ERROR(AddFiles(store, Kind::kIndex, root + "_indices", &out));
  PCHRONICLE_RETURN_IF_ERROR(AddFiles(store, Kind::kTransaction, root + "_transactions", &out));
  // Manifests and tags that were never published.
  for (const char* directory : {"_versions", "_refs/tags"}) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<io::Entry> entries,
                                ListOrNone(store, root + directory));
    for (const io::Entry& entry : entries) {
      const std::string name = LastPart(entry.path);
      if (entry.kind == io::Entry::Kind::kFile && name.starts_with(io::kTemporaryPrefix)) {
        out.push_back({Kind::kTemporary, entry.path, name, entry.size, entry.modified_ns});
      }
    }
  }
  return out;
}

bool IsReferenced(const ReferencedFiles& files, const StoredFile& file) {
  switch (file.kind) {
    case Kind::kData:
      return files.data.contains(file.owner);
    case Kind::kDeletion:
      return files.deletions.contains(file.owner);
    case Kind::kIndex:
      return files.indices.contains(file.owner);
    case Kind::kTransaction:
      return files.transactions.contains(file.owner);
    case Kind::kTemporary:
      return false;
  }
  return true;
}

}  // namespace pchronicle::lance
