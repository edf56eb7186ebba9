#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "pchronicle/catalog/compressed_input.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/decompress.h"

namespace pchronicle::catalog {

/// Bytes of a pinned source (CAT-18); of one that is compressed, by its first bytes, the text
/// inside. Every opening compares the file with its pin, and so does every reader that reaches its
/// end: a file that changed since discovery is a kConflict that names it. Thread-safe; holds
/// nothing open by itself.
class FileInput final : public json::ByteInput {
 public:
  struct Raw;
  /// An open file and, for small ones, its bytes. While somebody holds it, openings cost no system
  /// call, and compressed text is not decoded anew for every look.
  class Hold {
   public:
    /// The compressed file is cut off, and a reader saw it.
    bool truncated() const;
    /// All 0 for a file that is not compressed.
    CompressedInput::Counters decompression() const;

   private:
    friend class FileInput;
    std::shared_ptr<const Raw> raw_;
    std::unique_ptr<CompressedInput> text_;
  };

  /// Where the content of a compressed file is a line file by its name, its cut is the text's end.
  FileInput(std::shared_ptr<io::Store> store, std::string file, Revision revision,
            const Limits& limits = {});

  /// Opens the file, or shares the opening that another holds. The input must outlive the sources
  /// it opens.
  Result<std::shared_ptr<const Hold>> Acquire() const;
  Result<std::unique_ptr<json::ByteSource>> Open(uint64_t offset,
                                                 uint64_t length = json::kToEnd) const override;
  /// Of the file; unknown once it was found to be compressed.
  std::optional<uint64_t> size() const override;
  /// Known after the first opening; kNone before.
  json::Compression compression() const { return compression_.load(std::memory_order_relaxed); }

 private:
  Status CheckPin(const io::Entry& now) const;
  Result<std::shared_ptr<const Raw>> OpenRaw() const;
  std::unique_ptr<json::ByteSource> OpenBytes(std::shared_ptr<const Raw> raw, uint64_t offset,
                                              uint64_t length) const;

  const std::shared_ptr<io::Store> store_;
  const std::string file_;
  const Revision revision_;
  const json::DecompressOptions decompress_;
  mutable std::atomic<json::Compression> compression_{json::Compression::kNone};
  mutable std::mutex mutex_;  // guards hold_
  mutable std::weak_ptr<const Hold> hold_;
};

}  // namespace pchronicle::catalog
