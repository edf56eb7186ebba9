#include "pchronicle/io/store.h"

#include "pchronicle/io/path_check.h"

namespace pchronicle::io {

Status CheckRelative(std::string_view path) {
  if (path.starts_with('/') || path.find('\0') != std::string_view::npos) {
    return Status::InvalidArgument("'{}' is not a relative path", path);
  }
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (path.substr(begin, end - begin) == "..") {
      return Status::InvalidArgument("'{}' leaves its root", path);
    }
    begin = end + 1;
  }
  return Status::Ok();
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  std::string path;
  path.reserve(directory.size() + 1 + name.size());
  path += directory;
  if (!directory.empty()) {
    path += '/';
  }
  path += name;
  return path;
}

Result<std::vector<Entry>> Store::ListDirectory(std::string_view path, uint64_t max_entries,
                                                const Context& context) const {
  PCHRONICLE_RETURN_IF_ERROR(context.Check());
  return ListDirectory(path, max_entries);
}

Result<std::string> ReadAll(const Store& store, std::string_view path, uint64_t limit) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto reader, store.Open(path));
  return ReadAll(*reader, limit);
}

Result<std::string> ReadAll(const RandomReader& reader, uint64_t limit) {
  const uint64_t size = reader.size();
  if (size > limit) {
    return Status::ResourceExhausted("'{}' is {} bytes, more than {}", reader.entry().path, size,
                                     limit);
  }
  std::string text(static_cast<size_t>(size), '\0');
  size_t done = 0;
  while (done < text.size()) {
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t got,
                                reader.ReadAt(done, std::span(text).subspan(done)));
    if (got == 0) {
      break;
    }
    done += got;
  }
  text.resize(done);
  return text;
}

}  // namespace pchronicle::io
