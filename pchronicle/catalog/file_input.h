#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/json/byte_source.h"

namespace pchronicle::catalog {

/// Bytes of a pinned source (CAT-18). Every opening compares the file with its pin, and so does
/// every reader that reaches its end: a file that changed since discovery is a kConflict that names
/// it. Thread-safe; holds nothing open by itself.
class FileInput final : public json::ByteInput {
 public:
  /// An open file and, for small ones, its bytes. While somebody holds it, openings cost no system
  /// call.
  class Hold;

  FileInput(std::shared_ptr<io::Store> store, std::string file, Revision revision);

  /// Opens the file, or shares the opening that another holds. The input must outlive the sources
  /// it opens.
  Result<std::shared_ptr<const Hold>> Acquire() const;
  Result<std::unique_ptr<json::ByteSource>> Open(uint64_t offset,
                                                 uint64_t length = json::kToEnd) const override;
  std::optional<uint64_t> size() const override { return revision_.entry.size; }

 private:
  Status CheckPin(const io::Entry& now) const;

  const std::shared_ptr<io::Store> store_;
  const std::string file_;
  const Revision revision_;
  mutable std::mutex mutex_;  // guards hold_
  mutable std::weak_ptr<const Hold> hold_;
};

}  // namespace pchronicle::catalog
