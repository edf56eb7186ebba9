#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "pchronicle/io/local_file.h"
#include "pchronicle/io/path_check.h"
#include "pchronicle/io/store.h"

namespace pchronicle::io {
namespace {

/// Entries of a listing between two looks at its context.
constexpr size_t kListStride = 256;

struct AtomicCounters {
  std::atomic<uint64_t> lists{0}, stats{0}, opens{0}, reads{0}, bytes_read{0};
};

void Count(std::atomic<uint64_t>& counter, uint64_t by = 1) {
  counter.fetch_add(by, std::memory_order_relaxed);
}

Entry::Kind KindOfMode(mode_t mode) {
  if (S_ISREG(mode)) {
    return Entry::Kind::kFile;
  }
  if (S_ISDIR(mode)) {
    return Entry::Kind::kDirectory;
  }
  return S_ISLNK(mode) ? Entry::Kind::kSymlink : Entry::Kind::kOther;
}

void FillEntry(const struct stat& st, Entry& entry) {
  entry.kind = KindOfMode(st.st_mode);
  entry.size = entry.kind == Entry::Kind::kFile ? static_cast<uint64_t>(st.st_size) : 0;
  entry.modified_ns = int64_t{st.st_mtim.tv_sec} * 1'000'000'000 + st.st_mtim.tv_nsec;
  entry.device = st.st_dev;
  entry.inode = st.st_ino;
}

class LocalReader final : public RandomReader {
 public:
  LocalReader(FileDescriptor fd, Entry entry, std::shared_ptr<AtomicCounters> counters)
      : fd_(std::move(fd)), entry_(std::move(entry)), counters_(std::move(counters)) {}

  uint64_t size() const override { return entry_.size; }
  const Entry& entry() const override { return entry_; }

  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) const override {
    size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = ::pread(fd_.get(), out.data() + done, out.size() - done,
                                  static_cast<off_t>(offset + done));
      if (got < 0) {
        if (errno == EINTR) {
          continue;
        }
        return FromErrno(errno, "read", entry_.path);
      }
      Count(counters_->reads);
      if (got == 0) {
        break;
      }
      done += static_cast<size_t>(got);
    }
    Count(counters_->bytes_read, done);
    return done;
  }

  Result<Entry> Stat() const override {
    struct stat st;
    Count(counters_->stats);
    if (::fstat(fd_.get(), &st) != 0) {
      return FromErrno(errno, "stat", entry_.path);
    }
    Entry now;
    now.path = entry_.path;
    FillEntry(st, now);
    return now;
  }

 private:
  FileDescriptor fd_;
  const Entry entry_;
  std::shared_ptr<AtomicCounters> counters_;  // outlives the store
};

class LocalStore final : public Store {
 public:
  explicit LocalStore(std::string root) : root_(std::move(root)) {}

  const std::string& uri() const override { return root_; }

  Result<std::vector<Entry>> ListDirectory(std::string_view path,
                                           uint64_t max_entries) const override {
    const Context unbounded;
    return ListDirectory(path, max_entries, unbounded);
  }
  Result<std::vector<Entry>> ListDirectory(std::string_view path, uint64_t max_entries,
                                           const Context& context) const override {
    PCHRONICLE_RETURN_IF_ERROR(CheckRelative(path));
    const std::string absolute = Absolute(path);
    Count(counters_->lists);
    FileDescriptor fd(::open(absolute.c_str(),
                             O_RDONLY | O_DIRECTORY | O_CLOEXEC | (path.empty() ? 0 : O_NOFOLLOW)));
    if (fd.get() < 0) {
      return FromErrno(errno, "list", absolute);
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(fd.get()), ::closedir);
    if (dir == nullptr) {
      return FromErrno(errno, "list", absolute);
    }
    const int dir_fd = fd.Release();  // dir owns it now
    std::vector<Entry> entries;
    while (true) {
      errno = 0;
      const struct dirent* item = ::readdir(dir.get());
      if (item == nullptr) {
        if (errno != 0) {
          return FromErrno(errno, "list", absolute);
        }
        break;
      }
      const std::string_view name = item->d_name;
      if (name == "." || name == "..") {
        continue;
      }
      if (entries.size() == max_entries) {
        return Status::ResourceExhausted("more than {} entries in '{}'", max_entries, absolute);
      }
      if (entries.size() % kListStride == 0) {
        PCHRONICLE_RETURN_IF_ERROR(context.Check());
      }
      Entry entry;
      entry.path = JoinPath(path, name);
      PCHRONICLE_ASSIGN_OR_RETURN(const bool there, Complete(dir_fd, *item, entry));
      if (there) {
        entries.push_back(std::move(entry));
      }
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.path < b.path; });
    return entries;
  }

  Result<Entry> Stat(std::string_view path, bool follow) const override {
    PCHRONICLE_RETURN_IF_ERROR(CheckRelative(path));
    const std::string absolute = Absolute(path);
    struct stat st;
    Count(counters_->stats);
    if (::fstatat(AT_FDCWD, absolute.c_str(), &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) {
      return FromErrno(errno, "stat", absolute);
    }
    Entry entry;
    entry.path = path;
    FillEntry(st, entry);
    return entry;
  }

  Result<std::unique_ptr<RandomReader>> Open(std::string_view path) const override {
    PCHRONICLE_RETURN_IF_ERROR(CheckRelative(path));
    const std::string absolute = Absolute(path);
    Count(counters_->opens);
    // O_NONBLOCK: a FIFO that took the place of a file must not hang the program.
    FileDescriptor fd(::open(absolute.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() < 0) {
      return FromErrno(errno, "open", absolute);
    }
    struct stat st;
    Count(counters_->stats);
    if (::fstat(fd.get(), &st) != 0) {
      return FromErrno(errno, "stat", absolute);
    }
    Entry entry;
    entry.path = path;
    FillEntry(st, entry);
    if (entry.kind != Entry::Kind::kFile) {
      return Status::InvalidArgument("open '{}': not a file", absolute);
    }
    return std::unique_ptr<RandomReader>(
        new LocalReader(std::move(fd), std::move(entry), counters_));
  }

  Status Put(std::string_view path, std::string_view bytes, bool if_absent) override;
  Result<std::unique_ptr<ObjectWriter>> Create(std::string_view path) override;
  Status Delete(std::string_view path) override {
    PCHRONICLE_RETURN_IF_ERROR(CheckRelative(path));
    const std::string absolute = Absolute(path);
    return ::unlink(absolute.c_str()) == 0 ? Status::Ok() : FromErrno(errno, "delete", absolute);
  }
  Status DeleteEmptyDirectory(std::string_view path) override {
    PCHRONICLE_RETURN_IF_ERROR(CheckRelative(path));
    const std::string absolute = Absolute(path);
    return ::rmdir(absolute.c_str()) == 0 ? Status::Ok() : FromErrno(errno, "delete", absolute);
  }

  Counters counters() const override {
    const auto get = [](const std::atomic<uint64_t>& counter) {
      return counter.load(std::memory_order_relaxed);
    };
    return {get(counters_->lists), get(counters_->stats), get(counters_->opens),
            get(counters_->reads), get(counters_->bytes_read)};
  }

 private:
  std::string Absolute(std::string_view path) const {
    if (path.empty()) {
      return root_;
    }
    return root_ == "/" ? fmt::format("/{}", path) : JoinPath(root_, path);
  }

  /// Kind of a name of an open directory and, for files, one stat. False: it vanished meanwhile.
  Result<bool> Complete(int dir_fd, const struct dirent& item, Entry& entry) const {
    switch (item.d_type) {
      case DT_DIR:
        entry.kind = Entry::Kind::kDirectory;
        return true;
      case DT_LNK:
        entry.kind = Entry::Kind::kSymlink;
        return true;
      case DT_REG:
      case DT_UNKNOWN:
        break;
      default:
        entry.kind = Entry::Kind::kOther;
        return true;
    }
    struct stat st;
    Count(counters_->stats);
    if (::fstatat(dir_fd, item.d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) {
        return false;
      }
      return FromErrno(errno, "stat", Absolute(entry.path));
    }
    FillEntry(st, entry);
    return true;
  }

  Result<std::unique_ptr<TemporaryFile>> NewFile(std::string_view path) const;

  const std::string root_;
  const std::shared_ptr<AtomicCounters> counters_ = std::make_shared<AtomicCounters>();
};

class LocalWriter final : public ObjectWriter {
 public:
  explicit LocalWriter(std::unique_ptr<TemporaryFile> file) : file_(std::move(file)) {}
  Status Append(std::string_view bytes) override { return file_->Append(bytes); }
  Status Finish() override { return file_->Publish(/*replace=*/false); }
  void Abort() override { file_->Remove(); }

 private:
  const std::unique_ptr<TemporaryFile> file_;
};

Result<std::unique_ptr<TemporaryFile>> LocalStore::NewFile(std::string_view path) const {
  PCHRONICLE_RETURN_IF_ERROR(CheckRelative(path));
  if (path.empty()) {
    return Status::InvalidArgument("an empty path cannot be written");
  }
  return TemporaryFile::Create(root_, Absolute(path));
}

Status LocalStore::Put(std::string_view path, std::string_view bytes, bool if_absent) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<TemporaryFile> file, NewFile(path));
  PCHRONICLE_RETURN_IF_ERROR(file->Append(bytes));
  return file->Publish(/*replace=*/!if_absent);
}

Result<std::unique_ptr<ObjectWriter>> LocalStore::Create(std::string_view path) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<TemporaryFile> file, NewFile(path));
  return std::unique_ptr<ObjectWriter>(new LocalWriter(std::move(file)));
}

std::string RealPath(const std::string& path, Status& status) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  if (real == nullptr) {
    status = FromErrno(errno, "open", path);
    return {};
  }
  return real.get();
}

}  // namespace

Result<LocalPlace> LocateLocal(std::string_view given) {
  std::string path(given);
  while (path.size() > 1 && path.ends_with('/')) {
    path.pop_back();
  }
  if (path.empty() || path.find('\0') != std::string::npos) {
    return Status::InvalidArgument("'{}' is not a path", path);
  }
  struct stat st;
  if (::stat(path.c_str(), &st) != 0) {
    return FromErrno(errno, "open", path);
  }
  Status status;
  LocalPlace place;
  if (S_ISDIR(st.st_mode)) {
    place.directory = RealPath(path, status);
  } else if (S_ISREG(st.st_mode)) {
    const size_t slash = path.rfind('/');
    place.file = path.substr(slash == std::string::npos ? 0 : slash + 1);
    place.directory =
        RealPath(slash == std::string::npos ? "." : path.substr(0, slash + 1), status);
  } else {
    return Status::InvalidArgument("'{}' is neither a file nor a directory", path);
  }
  if (!status.ok()) {
    return status;
  }
  return place;
}

Result<std::shared_ptr<Store>> OpenLocalStore(std::string_view path) {
  PCHRONICLE_ASSIGN_OR_RETURN(LocalPlace place, LocateLocal(path));
  return std::shared_ptr<Store>(std::make_shared<LocalStore>(std::move(place.directory)));
}

Result<std::shared_ptr<Store>> CreateLocalStore(std::string_view path) {
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    return Status::InvalidArgument("'{}' is not a path", path);
  }
  PCHRONICLE_RETURN_IF_ERROR(MakeDirectories("", std::string(path)));
  return OpenLocalStore(path);
}

}  // namespace pchronicle::io
