#include "pchronicle/model/chat/call_ledger.h"

namespace pchronicle::model::chat {

void CallLedger::Clear() {
  by_id_.clear();
  used_.clear();
}

std::string_view CallLedger::Add(std::string_view id, Place place, Arena& arena, bool* renamed) {
  std::string own(id);
  by_id_[own].places.push_back(place);
  std::string unique = own;
  size_t& number = used_[own];
  *renamed = number > 0;
  if (*renamed) {
    // A written `X#2` may stand in the way.
    do {
      unique = own + "#" + std::to_string(++number);
    } while (used_.contains(unique));
    used_.emplace(unique, 1);
  } else {
    number = 1;
  }
  return arena.Copy(unique);
}

CallLedger::Match CallLedger::TakeResult(std::string_view id) {
  const auto found = by_id_.find(std::string(id));
  if (found == by_id_.end()) {
    return {};
  }
  Calls& calls = found->second;
  if (calls.answered == calls.places.size()) {
    return {Match::Kind::kAllAnswered, calls.places.back()};
  }
  return {Match::Kind::kOpen, calls.places[calls.answered++]};
}

}  // namespace pchronicle::model::chat
