#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/io/store.h"

namespace pchronicle::lance {

/// Files that no version refers to yet. Unless they are kept they are deleted again at the end, so
/// that a change that failed leaves nothing behind; what cannot be deleted stays for CleanUp. Not
/// thread-safe.
class UnpublishedFiles {
 public:
  explicit UnpublishedFiles(std::shared_ptr<io::Store> store) : store_(std::move(store)) {}
  ~UnpublishedFiles() { DeleteAll(); }
  UnpublishedFiles(const UnpublishedFiles&) = delete;
  UnpublishedFiles& operator=(const UnpublishedFiles&) = delete;

  io::Store& store() const { return *store_; }
  /// The file is about to be written.
  void Add(std::string path) { paths_.push_back(std::move(path)); }
  /// Takes over the files of another one.
  void Take(UnpublishedFiles* from);
  /// The directory is about to be made, for files that are added.
  void AddDirectory(std::string path) { directories_.push_back(std::move(path)); }
  /// A version refers to them, or may do so.
  void Keep() {
    paths_.clear();
    directories_.clear();
  }
  void DeleteAll();

 private:
  std::shared_ptr<io::Store> store_;
  std::vector<std::string> paths_, directories_;
};

}  // namespace pchronicle::lance
