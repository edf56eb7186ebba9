#include "pchronicle/base/arena.h"

#include <algorithm>
#include <cstring>

namespace pchronicle {

std::string_view Arena::Copy(std::string_view text) {
  if (text.empty()) {
    return std::string_view("", 0);
  }
  char* p = Allocate(text.size());
  std::memcpy(p, text.data(), text.size());
  return {p, text.size()};
}

void Arena::Grow(size_t size) {
  const size_t want = std::max(size, block_bytes_);
  // new char[] leaves the bytes uninitialised, make_unique would clear them.
  blocks_.push_back({std::unique_ptr<char[]>(new char[want]), want});
  at_ = blocks_.back().data.get();
  left_ = want;
  bytes_ += want;
}

void Arena::Reset() {
  if (blocks_.empty()) {
    return;
  }
  auto keep = std::find_if(blocks_.begin(), blocks_.end(),
                           [this](const Block& b) { return b.size == block_bytes_; });
  if (keep == blocks_.end()) {
    blocks_.clear();
    at_ = nullptr;
    left_ = bytes_ = 0;
    return;
  }
  Block block = std::move(*keep);
  blocks_.clear();
  at_ = block.data.get();
  left_ = bytes_ = block.size;
  blocks_.push_back(std::move(block));
}

}  // namespace pchronicle
