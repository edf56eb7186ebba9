#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::app {

/// A local file that appears at once, complete and durable, or not at all (D22): bytes go to a
/// staging file beside the target, Publish renames it. Destroying an unpublished one removes the
/// staging file. One thread.
class StagedFile {
 public:
  enum class IfExists { kFail, kReplace };

  /// kAlreadyExists when the target exists and may not be replaced, kInvalidArgument when it exists
  /// and is no regular file, kNotFound when its folder does not exist.
  static Result<std::unique_ptr<StagedFile>> Create(std::string target, IfExists if_exists,
                                                    mode_t mode = 0644);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  Status Write(std::string_view bytes);
  /// Flushes, renames and flushes the folder. kAlreadyExists when somebody else made the target
  /// meanwhile.
  Status Publish();

 private:
  StagedFile() = default;
  std::string target_, staging_;
  IfExists if_exists_ = IfExists::kFail;
  int fd_ = -1;
};

/// Replaces or creates `path` with `bytes`; missing folders are made. The old file is intact on
/// failure.
Status ReplaceFile(const std::string& path, std::string_view bytes, mode_t mode);

/// Renames a folder or file to a name that must not exist yet (kAlreadyExists), then flushes the
/// parent folder.
Status RenameNew(const std::string& from, const std::string& to);
/// Name for a staging file or folder beside `target`: hidden, so that discovery skips it (DSC-03a),
/// and not taken.
std::string StagingName(const std::string& target);
/// Flushes a folder's entries to disk.
Status SyncDirectory(const std::string& path);

}  // namespace pchronicle::app
