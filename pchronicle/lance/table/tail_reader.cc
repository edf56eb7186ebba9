#include "pchronicle/lance/table/tail_reader.h"

#include <algorithm>
#include <cstring>

namespace pchronicle::lance {
namespace {

constexpr size_t kMaxTail = 64 << 10;

}  // namespace

Result<size_t> TailReader::ReadAt(uint64_t offset, std::span<char> out) const {
  const uint64_t size = file_->size();
  {
    const std::lock_guard lock(mutex_);
    const uint64_t begin = size - tail_.size();
    if (!tail_.empty() && offset >= begin && offset < size) {
      const auto bytes = static_cast<size_t>(std::min<uint64_t>(out.size(), size - offset));
      std::memcpy(out.data(), tail_.data() + (offset - begin), bytes);
      return bytes;
    }
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const size_t got, file_->ReadAt(offset, out));
  if (got > 0 && got <= kMaxTail && offset + got == size) {
    const std::lock_guard lock(mutex_);
    if (tail_.empty()) {
      tail_.assign(out.data(), got);
    }
  }
  return got;
}

}  // namespace pchronicle::lance
