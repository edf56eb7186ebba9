#include "pchronicle/model/reference_path.h"

#include <algorithm>
#include <vector>

namespace pchronicle::model {
namespace {

/// Applies the components of `path`; false when it climbs out.
bool Walk(std::string_view path, std::vector<std::string_view>& components) {
  size_t begin = 0;
  while (begin <= path.size()) {
    const size_t slash = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, slash - begin);
    begin = slash + 1;
    if (part.empty() || part == ".") {
      continue;
    }
    if (part != "..") {
      components.push_back(part);
    } else if (components.empty()) {
      return false;
    } else {
      components.pop_back();
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> ResolveReferencePath(std::string_view file, std::string_view path) {
  if (path.empty() || path.front() == '/' || path.back() == '/' ||
      path.find("://") != std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<std::string_view> components;
  const size_t slash = file.rfind('/');
  if ((slash != std::string_view::npos && !Walk(file.substr(0, slash), components)) ||
      !Walk(path, components) || components.empty()) {
    return std::nullopt;
  }
  std::string resolved;
  for (const std::string_view part : components) {
    if (!resolved.empty()) {
      resolved.push_back('/');
    }
    resolved.append(part);
  }
  return resolved;
}

}  // namespace pchronicle::model
