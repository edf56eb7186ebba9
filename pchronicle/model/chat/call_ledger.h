#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pchronicle/base/arena.h"

namespace pchronicle::model::chat {

/// Calls of one conversation: unique ids (SRC-14) and the call that a result belongs to (SRC-15).
/// Not thread-safe.
class CallLedger {
 public:
  struct Place {
    size_t turn = 0;
    size_t call = 0;
  };
  struct Match {
    enum class Kind { kOpen, kAllAnswered, kUnknown } kind = Kind::kUnknown;
    Place place;
  };

  void Clear();
  /// The document's id for a call with the written id `id` (not empty): `id`, else `id#2`,
  /// `id#3`...
  std::string_view Add(std::string_view id, Place place, Arena& arena, bool* renamed);
  /// The earliest call `id` without a result, which it marks as answered; else the last call `id`.
  Match TakeResult(std::string_view id);

 private:
  struct Calls {
    std::vector<Place> places;
    size_t answered = 0;  // results go to the calls in order
  };
  std::unordered_map<std::string, Calls> by_id_;
  std::unordered_map<std::string, size_t> used_;  // every id handed out
};

}  // namespace pchronicle::model::chat
