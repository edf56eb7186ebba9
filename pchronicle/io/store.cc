#include "pchronicle/io/store.h"

#include "pchronicle/io/path_check.h"

namespace pchronicle::io {
namespace {

/// Gathers the bytes and puts them at the end.
class GatheringWriter final : public ObjectWriter {
 public:
  GatheringWriter(Store* store, std::string_view path) : store_(store), path_(path) {}
  Status Append(std::string_view bytes) override {
    bytes_ += bytes;
    return Status::Ok();
  }
  Status Finish() override {
    const std::string bytes = std::move(bytes_);
    return store_->Put(path_, bytes, /*if_absent=*/true);
  }
  void Abort() override { std::string().swap(bytes_); }

 private:
  Store* const store_;
  const std::string path_;
  std::string bytes_;
};

}  // namespace

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

Result<std::unique_ptr<ObjectWriter>> Store::Create(std::string_view path) {
  PCHRONICLE_RETURN_IF_ERROR(CheckRelative(path));
  return std::unique_ptr<ObjectWriter>(new GatheringWriter(this, path));
}

Status Store::DeleteEmptyDirectory(std::string_view) { return Status::Ok(); }

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
