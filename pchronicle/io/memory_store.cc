#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "pchronicle/io/path_check.h"
#include "pchronicle/io/store.h"

namespace pchronicle::io {
namespace {

/// Entries that one listing request of an object store returns; every further page counts again.
constexpr size_t kPageEntries = 1000;

struct Counts {
  std::atomic<uint64_t> lists{0}, stats{0}, opens{0}, reads{0}, bytes_read{0};
};

struct Object {
  std::shared_ptr<const std::string> bytes;
  Entry entry;
};

class MemoryReader final : public RandomReader {
 public:
  MemoryReader(Object object, std::shared_ptr<Counts> counts)
      : object_(std::move(object)), counts_(std::move(counts)) {}
  uint64_t size() const override { return object_.bytes->size(); }
  const Entry& entry() const override { return object_.entry; }
  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) const override {
    ++counts_->reads;
    const std::string& bytes = *object_.bytes;
    if (offset >= bytes.size()) {
      return size_t{0};
    }
    const size_t count = std::min(out.size(), bytes.size() - static_cast<size_t>(offset));
    std::memcpy(out.data(), bytes.data() + offset, count);
    counts_->bytes_read += count;
    return count;
  }
  Result<Entry> Stat() const override { return object_.entry; }  // an open object never changes

 private:
  const Object object_;
  std::shared_ptr<Counts> counts_;
};

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(std::string uri) : uri_(std::move(uri)) {}

  const std::string& uri() const override { return uri_; }

  using Store::ListDirectory;
  Result<std::vector<Entry>> ListDirectory(std::string_view path,
                                           uint64_t max_entries) const override {
    PCHRONICLE_RETURN_IF_ERROR(CheckRelative(path));
    const std::string prefix = path.empty() ? std::string() : JoinPath(path, "");
    std::vector<Entry> entries;
    const std::lock_guard lock(mutex_);
    ++counts_->lists;
    for (auto it = objects_.lower_bound(prefix);
         it != objects_.end() && it->first.starts_with(prefix);) {
      if (entries.size() == max_entries) {
        return Status::ResourceExhausted("more than {} entries in '{}'", max_entries, path);
      }
      if (!entries.empty() && entries.size() % kPageEntries == 0) {
        ++counts_->lists;
      }
      const size_t slash = it->first.find('/', prefix.size());
      if (slash == std::string::npos) {
        entries.push_back(it->second.entry);
        ++it;
        continue;
      }
      Entry directory;
      directory.path = it->first.substr(0, slash);
      directory.kind = Entry::Kind::kDirectory;
      // '0' follows '/': everything below this directory is passed in one step.
      it = objects_.lower_bound(directory.path + '0');
      entries.push_back(std::move(directory));
    }
    if (entries.empty() && !path.empty()) {
      return Status::NotFound("list '{}': no such directory", path);
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.path < b.path; });
    return entries;
  }

  Result<Entry> Stat(std::string_view path, bool) const override {
    const std::lock_guard lock(mutex_);
    ++counts_->stats;
    if (const auto it = objects_.find(path); it != objects_.end()) {
      return it->second.entry;
    }
    const std::string prefix = path.empty() ? std::string() : JoinPath(path, "");
    const auto below = objects_.lower_bound(prefix);
    if (path.empty() || (below != objects_.end() && below->first.starts_with(prefix))) {
      Entry entry;
      entry.path = path;
      entry.kind = Entry::Kind::kDirectory;
      return entry;
    }
    return Status::NotFound("stat '{}': no such object", path);
  }

  Result<std::unique_ptr<RandomReader>> Open(std::string_view path) const override {
    const std::lock_guard lock(mutex_);
    ++counts_->opens;
    const auto it = objects_.find(path);
    if (it == objects_.end()) {
      return Status::NotFound("open '{}': no such object", path);
    }
    return std::unique_ptr<RandomReader>(new MemoryReader(it->second, counts_));
  }

  Status Put(std::string_view path, std::string_view bytes, bool if_absent) override {
    PCHRONICLE_RETURN_IF_ERROR(CheckRelative(path));
    if (path.empty()) {
      return Status::InvalidArgument("an empty path cannot be written");
    }
    const std::lock_guard lock(mutex_);
    if (if_absent && objects_.contains(path)) {
      return Status::AlreadyExists("put '{}': exists", path);
    }
    Object object;
    object.bytes = std::make_shared<const std::string>(bytes);
    object.entry.path = path;
    object.entry.size = bytes.size();
    object.entry.version = std::to_string(++version_);
    object.entry.modified_ns = static_cast<int64_t>(version_) * 1'000'000'000;
    objects_.insert_or_assign(std::string(path), std::move(object));
    return Status::Ok();
  }

  Status Delete(std::string_view path) override {
    const std::lock_guard lock(mutex_);
    const auto it = objects_.find(path);
    if (it == objects_.end()) {
      return Status::NotFound("delete '{}': no such object", path);
    }
    objects_.erase(it);
    return Status::Ok();
  }

  Counters counters() const override {
    return {counts_->lists, counts_->stats, counts_->opens, counts_->reads, counts_->bytes_read};
  }

 private:
  const std::string uri_;
  mutable std::mutex mutex_;  // guards objects_, version_
  std::map<std::string, Object, std::less<>> objects_;
  uint64_t version_ = 0;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace

std::shared_ptr<Store> MakeMemoryStore(std::string uri) {
  return std::make_shared<MemoryStore>(std::move(uri));
}

}  // namespace pchronicle::io
