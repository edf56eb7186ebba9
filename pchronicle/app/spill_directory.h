#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::app {

/// A folder of its own for one query's temporary files inside a folder that the user named,
/// removed with everything in it when the object goes. What a killed process left behind is removed
/// by the next query that spills to the same place: a lock tells living from dead. The name starts
/// with a dot, so that it is never taken for a source (DSC-03a).
class SpillDirectory {
 public:
  /// kNotFound when `parent` is no directory (STL-133).
  static Result<SpillDirectory> Create(const std::string& parent);
  SpillDirectory(SpillDirectory&& other) noexcept;
  SpillDirectory& operator=(SpillDirectory&& other) noexcept;
  ~SpillDirectory();

  const std::string& path() const { return path_; }

 private:
  SpillDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;  // empty: moved from
  int lock_ = -1;     // descriptor of the directory, locked while it is in use
};

}  // namespace pchronicle::app
