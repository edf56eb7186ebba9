#include "pchronicle/app/find/case_fold.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "pchronicle/base/terminal_text.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::app {
namespace {

struct FoldRange {
  char32_t first, last;
  int32_t delta;
  uint32_t step;
};

constexpr FoldRange kRanges[] = {
#include "pchronicle/app/find/case_fold_ranges.inc"
};

// Text is folded in pieces of this size, so that a field of any size costs the same memory.
constexpr size_t kPieceBytes = 64 << 10;
constexpr uint64_t kHighBits = 0x8080808080808080;

char FoldAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Eight ASCII characters at once: 0x20 is added where a byte is from 'A' to 'Z'.
uint64_t FoldWord(uint64_t word) {
  constexpr uint64_t kOnes = kHighBits >> 7;
  const uint64_t from_a = word + kOnes * (0x80 - 'A');
  const uint64_t above_z = word + kOnes * (0x80 - 'Z' - 1);
  return word | ((from_a & ~above_z & kHighBits) >> 2);
}

// Folds the ASCII characters that `text` starts with into `to`; returns their number.
size_t FoldAsciiRun(std::string_view text, char* to) {
  size_t at = 0;
  for (uint64_t word = 0; at + sizeof(word) <= text.size(); at += sizeof(word)) {
    std::memcpy(&word, text.data() + at, sizeof(word));
    if ((word & kHighBits) != 0) {
      break;
    }
    word = FoldWord(word);
    std::memcpy(to + at, &word, sizeof(word));
  }
  for (; at < text.size() && static_cast<unsigned char>(text[at]) < 0x80; ++at) {
    to[at] = FoldAscii(text[at]);
  }
  return at;
}

// End of a piece that starts at `begin`: not inside a character.
size_t PieceEnd(std::string_view text, size_t begin) {
  size_t end = std::min(begin + kPieceBytes, text.size());
  for (int i = 0; i < 3 && end < text.size() && (text[end] & 0xc0) == 0x80; ++i) {
    --end;
  }
  return end;
}

}  // namespace

char32_t FoldCharacter(char32_t c) {
  if (c < 0x80) {
    return static_cast<unsigned char>(FoldAscii(static_cast<char>(c)));
  }
  const auto* range =
      std::upper_bound(std::begin(kRanges), std::end(kRanges), c,
                       [](char32_t value, const FoldRange& r) { return value < r.first; });
  if (range == std::begin(kRanges)) {
    return c;
  }
  --range;
  return c <= range->last && (c - range->first) % range->step == 0
             ? static_cast<char32_t>(static_cast<int32_t>(c) + range->delta)
             : c;
}

void AppendFolded(std::string_view text, std::string* out) {
  const size_t before = out->size();
  out->resize(before + text.size() + text.size() / 2);  // two bytes become at most three
  char* to = out->data() + before;
  while (!text.empty()) {
    const size_t run = FoldAsciiRun(text, to);
    to += run;
    text.remove_prefix(run);
    while (!text.empty() && static_cast<unsigned char>(text.front()) >= 0x80) {
      size_t length = 0;
      const char32_t c = NextCharacter(text, &length);
      const char32_t folded = c == kBadByte ? c : FoldCharacter(c);
      to = folded == c ? std::copy_n(text.data(), length, to) : json::EncodeUtf8(folded, to);
      text.remove_prefix(length);
    }
  }
  out->resize(static_cast<size_t>(to - out->data()));
}

CaselessNeedle::CaselessNeedle(std::string_view text) {
  AppendFolded(text, &folded_);
  plain_in_json_ = std::all_of(folded_.begin(), folded_.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != '/';
  });
}

bool CaselessNeedle::FoundIn(std::string_view text, std::string* scratch) const {
  scratch->clear();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = PieceEnd(text, begin);
    AppendFolded(text.substr(begin, end - begin), scratch);
    if (::memmem(scratch->data(), scratch->size(), folded_.data(), folded_.size()) != nullptr) {
      return true;
    }
    // A hit may lie across two pieces: its beginning is kept.
    const size_t kept = std::min(scratch->size(), folded_.size() - 1);
    scratch->erase(0, scratch->size() - kept);
    begin = end;
  }
  return folded_.empty();
}

}  // namespace pchronicle::app
