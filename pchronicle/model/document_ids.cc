#include "pchronicle/model/document_ids.h"

#include <fmt/core.h>

#include "pchronicle/base/hashed_bytes.h"

namespace pchronicle::model {

DocumentIds::Id DocumentIds::Take(std::string_view own) {
  if (!used_.contains(own)) {
    const std::string_view id = arena_.Copy(own);
    used_.insert(id);
    return {id, false};
  }
  // A number once used stays used, so each id goes on where it stopped and many equal ids cost
  // linear time.
  auto next = next_.find(own);
  if (next == next_.end()) {
    next = next_.emplace(*used_.find(own), 2).first;
  }
  std::string candidate;
  do {
    candidate = fmt::format("{}~{}", own, next->second++);
  } while (used_.contains(candidate));
  const std::string_view id = arena_.Copy(candidate);
  used_.insert(id);
  return {id, true};
}

uint64_t DocumentIds::bytes() const {
  return arena_.bytes() + HashedBytes(used_) + HashedBytes(next_);
}

}  // namespace pchronicle::model
