#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "pchronicle/base/arena.h"

namespace pchronicle::model {

/// Hands out the document ids of one source (D8): the first holder of an id keeps it, later ones
/// get `~2`, `~3`..., the smallest number not yet used. Asked in source order (by where a
/// document's object opens). Not thread-safe.
class DocumentIds {
 public:
  struct Id {
    std::string_view id;   // lives as long as this object
    bool renamed = false;  // got a suffix: diagnostic `duplicate_document_id`
  };
  /// Takes the next document's own id (`trajectory` if non-empty, else `session`).
  Id Take(std::string_view own);
  /// True when `own` would be renamed now.
  bool Taken(std::string_view own) const { return used_.contains(own); }
  size_t size() const { return used_.size(); }
  /// Memory held.
  uint64_t bytes() const;

 private:
  Arena arena_{4096};
  std::unordered_set<std::string_view> used_;
  std::unordered_map<std::string_view, uint64_t> next_;  // own id -> first number to try
};

}  // namespace pchronicle::model
