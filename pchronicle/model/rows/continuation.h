#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pchronicle/base/hash.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/relations.h"

namespace pchronicle::model::rows {

/// Finds what a `continued_trajectory_ref` names (catalog.md 6.1 `continued_by`): a file of the
/// Dataset by relative path, else a document or session id of the same file. Remembers the ids of
/// the documents it was shown. Not thread-safe.
class ContinuationFinder {
 public:
  /// `request` must outlive this object.
  explicit ContinuationFinder(const RowSink::Request& request) : request_(request) {}

  /// A document of the open record.
  void AddDocument(size_t index, const Document& document);
  /// Before the rows of a record are made; `is_lost(index)` tells documents that do not count.
  template <typename IsLost>
  void EndRecord(IsLost is_lost) {
    for (const Ids& ids : record_) {
      if (!is_lost(ids.index)) {
        Count(ids);
      }
    }
    record_.clear();
  }
  /// `_file_` that continues the document; nothing when its reference names nothing that is known.
  std::optional<std::string> Find(const Document& document) const;
  /// Whether a reference that Find did not resolve names nothing for sure.
  bool knows_everything() const { return request_.file_exists && request_.count_documents; }
  /// Memory of the ids.
  uint64_t bytes() const;

 private:
  struct Ids {
    size_t index;
    Hash128 document;
    Hash128 session;
  };
  void Count(const Ids& ids);

  const RowSink::Request& request_;
  std::vector<Ids> record_;
  std::unordered_map<Hash128, uint64_t, Hash128Hasher> documents_;  // with the id
};

}  // namespace pchronicle::model::rows
