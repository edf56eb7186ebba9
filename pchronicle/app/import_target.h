#pragma once

#include <string>

#include "pchronicle/app/import.h"
#include "pchronicle/base/context.h"
#include "pchronicle/base/status.h"

namespace pchronicle::app {

/// A staging folder that disappears unless it was published.
class StagingFolder {
 public:
  explicit StagingFolder(std::string path) : path_(std::move(path)) {}
  ~StagingFolder();
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  const std::string& path() const { return path_; }
  void Release() { path_.clear(); }

 private:
  std::string path_;
};

/// Whether the import may go where it is told to: nothing is there, or it may be replaced.
Status CheckImportTarget(const ImportOptions& options, const Context& context);

/// Puts the finished folder where the target is. The old Dataset, if any, is swapped out first and
/// deleted last.
Status PublishFolder(StagingFolder& staging, const ImportOptions& options);

}  // namespace pchronicle::app
