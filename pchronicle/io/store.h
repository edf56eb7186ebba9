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

/// One object on its way into a store, written front to back. Nothing of it is visible before
/// Finish. Not thread-safe. Destroying it unfinished is Abort.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  /// After a failure only Abort may follow.
  virtual Status Append(std::string_view bytes) = 0;
  /// Makes the object durable and lets it appear, whole; kAlreadyExists when the name is taken.
  virtual Status Finish() = 0;
  /// Drops what was written; nothing may follow.
  virtual void Abort() = 0;
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
  /// Writes a whole object so that it appears at once or not at all, durable when Ok comes back.
  /// With `if_absent` an existing one is kAlreadyExists: of several writers of one name exactly one
  /// wins. Directories above it are made. After another failure the object may be there.
  virtual Status Put(std::string_view path, std::string_view bytes, bool if_absent) = 0;
  /// Starts a new object of any size, for a name that nobody else writes. Unless a store can do
  /// better, it is gathered in memory and Put (if absent).
  virtual Result<std::unique_ptr<ObjectWriter>> Create(std::string_view path);
  virtual Status Delete(std::string_view path) = 0;
  /// Removes a directory that is empty, where the store has directories at all; else nothing.
  virtual Status DeleteEmptyDirectory(std::string_view path);

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
/// The same for a directory that is made, with those above it, when it is not there.
Result<std::shared_ptr<Store>> CreateLocalStore(std::string_view path);
/// Empty in-memory store (`memory://` in tests); also counts like an object store.
std::shared_ptr<Store> MakeMemoryStore(std::string uri = "memory://test");

/// Reads a whole open file of at most `limit` bytes; more are kResourceExhausted.
Result<std::string> ReadAll(const RandomReader& reader, uint64_t limit);
/// Reads a whole file of at most `limit` bytes.
Result<std::string> ReadAll(const Store& store, std::string_view path, uint64_t limit);

}  // namespace pchronicle::io
