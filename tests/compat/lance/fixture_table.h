#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/io/store.h"
#include "pchronicle/lance/file/file_reader.h"

namespace pchronicle::lance::testing_support {

/// As much of the newest manifest of a fixture as is needed to bind its data files: the tests here
/// are about files, those of tables lie elsewhere.
struct FixtureTable {
  struct File {
    std::string path;
    ColumnMap columns;
    uint32_t major = 0, minor = 0;
    bool elsewhere = false;  // in another base
  };
  struct Fragment {
    std::vector<File> files;
    uint64_t rows = 0;
    bool deletions = false;
  };
  std::vector<FieldNode> fields;
  std::vector<Fragment> fragments;
  std::string root;

  static Result<FixtureTable> Open(const std::string& root);
  /// A data file with its sidecars.
  Result<std::shared_ptr<const FileReader>> OpenFile(const File& file) const;
};

/// Whole content of a file, empty when it cannot be read.
std::string ReadFile(const std::string& path);

}  // namespace pchronicle::lance::testing_support
