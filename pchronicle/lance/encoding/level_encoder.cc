#include "pchronicle/lance/encoding/level_encoder.h"

#include <algorithm>
#include <cstring>

#include "pchronicle/codec/bit_width.h"
#include "pchronicle/codec/fastlanes.h"
#include "pchronicle/lance/encoding/compressive.h"

namespace pchronicle::lance {
namespace {

using Kind = proto::CompressiveEncoding::Kind;

constexpr size_t kLevelBytes = sizeof(uint16_t);

unsigned WidthOf(std::span<const uint16_t> levels) {
  return codec::BitWidthOf(levels.data(), levels.size());
}

/// A tail is stored as it is when that is shorter: the length tells which.
bool PlainTail(size_t tail, unsigned width) {
  return tail * kLevelBytes <= codec::FastLanesBytes(width);
}

size_t OutOfLineBytes(size_t count, unsigned width) {
  const size_t tail = count % codec::kFastLanesBlock;
  return count / codec::kFastLanesBlock * codec::FastLanesBytes(width) +
         (PlainTail(tail, width) ? tail * kLevelBytes : codec::FastLanesBytes(width));
}

void AppendBlock(std::span<const uint16_t> levels, unsigned width, std::string* out) {
  uint16_t block[codec::kFastLanesBlock];
  std::memcpy(block, levels.data(), levels.size_bytes());
  std::memset(block + levels.size(), 0, sizeof(block) - levels.size_bytes());
  const size_t old = out->size();
  out->resize(old + codec::FastLanesBytes(width));
  codec::FastLanesPack(width, block, reinterpret_cast<uint8_t*>(out->data()) + old);
}

void AppendPlain(std::span<const uint16_t> levels, std::string* out) {
  out->append(reinterpret_cast<const char*>(levels.data()), levels.size_bytes());
}

}  // namespace

LevelEncoder::LevelEncoder(std::span<const uint16_t> levels, std::span<const ChunkCut> cuts)
    : levels_(levels) {
  if (levels.empty()) {
    return;
  }
  width_ = std::max(1U, WidthOf(levels));
  size_t in_line = 0, out_of_line = 0;
  bool blocks = true;
  for (const ChunkCut& cut : cuts) {
    blocks = blocks && cut.entries <= codec::kFastLanesBlock;
    in_line += kLevelBytes + codec::FastLanesBytes(WidthOf(levels.subspan(cut.entry, cut.entries)));
    out_of_line += OutOfLineBytes(cut.entries, width_);
  }
  const size_t plain = levels.size_bytes();
  if (blocks && in_line < out_of_line && in_line < plain) {
    encoding_ = InlineBitpacking(kLevelBytes * 8);
  } else if (out_of_line < plain) {
    encoding_ = WrapEncoding(Kind::kOutOfLineBitpacking, FlatEncoding(width_));
    encoding_.bits = kLevelBytes * 8;
  } else {
    encoding_ = FlatEncoding(kLevelBytes * 8);
  }
}

void LevelEncoder::Append(const ChunkCut& cut, std::string* out) const {
  std::span<const uint16_t> levels = levels_.subspan(cut.entry, cut.entries);
  if (encoding_.kind == Kind::kFlat) {
    return AppendPlain(levels, out);
  }
  if (encoding_.kind == Kind::kInlineBitpacking) {
    const auto width = static_cast<uint16_t>(WidthOf(levels));
    out->append(reinterpret_cast<const char*>(&width), sizeof(width));
    return AppendBlock(levels, width, out);
  }
  for (; levels.size() >= codec::kFastLanesBlock; levels = levels.subspan(codec::kFastLanesBlock)) {
    AppendBlock(levels.first(codec::kFastLanesBlock), width_, out);
  }
  if (PlainTail(levels.size(), width_)) {
    AppendPlain(levels, out);
  } else {
    AppendBlock(levels, width_, out);
  }
}

}  // namespace pchronicle::lance
