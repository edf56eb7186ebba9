#pragma once

#include <array>
#include <memory>
#include <string>

#include "pchronicle/lance/edit/unpublished_files.h"
#include "pchronicle/lance/index/index_output.h"
#include "pchronicle/lance/table/table_paths.h"

namespace pchronicle::lance {

/// The files of a new segment, below its directory in the table or branch; each appears when it is
/// complete. Not thread-safe.
class IndexFiles : public IndexOutput {
 public:
  /// `files`, which outlives this, gets their paths.
  IndexFiles(UnpublishedFiles* files, const TablePaths& paths, const std::array<uint8_t, 16>& uuid);
  ~IndexFiles() override;
  IndexFiles(const IndexFiles&) = delete;
  IndexFiles& operator=(const IndexFiles&) = delete;

  Status Begin(std::string_view name) override;
  Status Append(std::string_view bytes) override;
  Status End() override;

 private:
  UnpublishedFiles* files_;
  std::string directory_;
  std::unique_ptr<io::ObjectWriter> writer_;
};

}  // namespace pchronicle::lance
