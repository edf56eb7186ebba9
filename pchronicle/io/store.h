#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"

namespace pchronicle::io {

/// What a listing or a stat knows about an entry. Thread-safe value.
struct Entry {
  enum class Kind : uint8_t { kFile, kDirectory, kSymlink, kOther };
  std::string
      path;  // relative to the store root, '/' between parts, no leading slash; "" is the root
  Kind kind = Kind::kFile;
  uint64_t size = 0;
  int64_t modified_ns = 0;         // since the Unix epoch
  uint64_t device = 0, inode = 0;  // local files
  std::string version, etag;       // objects
};

/// An open file or object. Thread-safe.
class RandomReader {
 public:
  virtual ~RandomReader() = default;
  virtual uint64_t size() const = 0;
  /// The entry as it was when opened.
  virtual const Entry& entry() const = 0;
  /// Reads up to out.size() bytes at `offset`; fewer only at the end.
  virtual Result<size_t> ReadAt(uint64_t offset, std::span<char> out) const = 0;
  /// The entry as it is now, for change detection (CAT-18): compare size, modified_ns, device,
  /// inode.
  virtual Result<Entry> Stat() const = 0;
};

/// Storage under everything (design.md 5). Paths are relative to the store's root, '/' separated.
/// Thread-safe.
class Store {
 public:
  virtual ~Store() = default;
  /// The root, for messages and for fingerprints: an absolute path or a URI without secrets.
  virtual const std::string& uri() const = 0;
  /// Children of one directory, sorted by name in byte order. Symbolic links are reported as such,
  /// never followed (the root itself may be one). Size and times are known for files only. More
  /// than `max_entries` children are kResourceExhausted, found before the rest is read.
  virtual Result<std::vector<Entry>> ListDirectory(std::string_view path,
                                                   uint64_t max_entries = UINT64_MAX) const = 0;
  /// The same, stopping early with the context's error: a directory may hold millions of entries.
  virtual Result<std::vector<Entry>> ListDirectory(std::string_view path, uint64_t max_entries,
                                                   const Context& context) const;
  /// kNotFound when absent. `follow`: a symbolic link counts as what it points to.
  virtual Result<Entry> Stat(std::string_view path, bool follow = false) const = 0;
  virtual Result<std::unique_ptr<RandomReader>> Open(std::string_view path) const = 0;
  /// Writes a whole object so that it appears at once or not at all. With `if_absent` an existing
  /// one is kAlreadyExists.
  virtual Status Put(std::string_view path, std::string_view bytes, bool if_absent) = 0;
  virtual Status Delete(std::string_view path) = 0;

  /// Metadata calls and opens made so far, for tests that count (BR-29).
  struct Counters {
    uint64_t lists = 0, stats = 0, opens = 0, reads = 0, bytes_read = 0;
  };
  virtual Counters counters() const = 0;
};

/// Where a local path leads: an absolute directory without symbolic links in it, and the name of
/// the file inside when the path is a file.
struct LocalPlace {
  std::string directory;
  std::string file;  // empty: the path is the directory itself
};
/// kNotFound when absent, kInvalidArgument when neither a file nor a directory. Symbolic links are
/// followed; the name of a file stays as given.
Result<LocalPlace> LocateLocal(std::string_view path);
/// Local directory, or the directory that holds a single file. `path` may be a symbolic link.
Result<std::shared_ptr<Store>> OpenLocalStore(std::string_view path);
/// Empty in-memory store (`memory://` in tests); also counts like an object store.
std::shared_ptr<Store> MakeMemoryStore(std::string uri = "memory://test");

/// Reads a whole open file of at most `limit` bytes; more are kResourceExhausted.
Result<std::string> ReadAll(const RandomReader& reader, uint64_t limit);
/// Reads a whole file of at most `limit` bytes.
Result<std::string> ReadAll(const Store& store, std::string_view path, uint64_t limit);

}  // namespace pchronicle::io
