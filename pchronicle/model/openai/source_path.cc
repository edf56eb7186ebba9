#include "pchronicle/model/openai/source_path.h"

#include <algorithm>

namespace pchronicle::model::openai {

Status CheckSourcePath(std::string_view path) {
  if (path.empty() || path.front() == '/') {
    return Status::InvalidArgument("source path must be non-empty and relative");
  }
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view component = path.substr(0, end);
    if (component == "." || component == "..") {
      return Status::InvalidArgument("source path contains unsafe components");
    }
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return Status::Ok();
}

}  // namespace pchronicle::model::openai
