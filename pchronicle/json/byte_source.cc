#include "pchronicle/json/byte_source.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace pchronicle::json {
namespace {

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view left) : left_(left) {}

  Result<size_t> Read(std::span<char> out) override {
    const size_t n = std::min(out.size(), left_.size());
    if (n != 0) {
      std::memcpy(out.data(), left_.data(), n);
      left_.remove_prefix(n);
    }
    return n;
  }

 private:
  std::string_view left_;
};

}  // namespace

Block Block::Allocate(size_t capacity) {
  auto* const data = static_cast<char*>(std::malloc(capacity + kSlack));
  if (data == nullptr) {
    throw std::bad_alloc();
  }
  return {std::unique_ptr<char[], Free>(data), capacity};
}

Result<std::unique_ptr<ByteSource>> MemoryInput::Open(uint64_t offset, uint64_t length) const {
  const uint64_t from = std::min<uint64_t>(offset, text_.size());
  const uint64_t size = std::min<uint64_t>(length, text_.size() - from);
  return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(
      std::string_view(text_).substr(static_cast<size_t>(from), static_cast<size_t>(size))));
}

}  // namespace pchronicle::json
