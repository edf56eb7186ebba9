#pragma once

#include <cstdint>

namespace pchronicle {

/// Memory that a std::unordered_map or set holds beside what its entries own themselves: a node for
/// each (entry, link, hash, and the allocator's header) and the buckets.
template <typename Container>
uint64_t HashedBytes(const Container& container) {
  constexpr uint64_t kNode = sizeof(typename Container::value_type) + 4 * sizeof(void*);
  return container.size() * kNode + container.bucket_count() * sizeof(void*);
}

}  // namespace pchronicle
