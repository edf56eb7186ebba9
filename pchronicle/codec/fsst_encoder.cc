#include "pchronicle/codec/fsst_encoder.h"

#include <algorithm>
#include <cstring>

namespace pchronicle::codec {
namespace {

using Symbol = FsstEncoder::Symbol;

constexpr size_t kMostSymbols = 255;
constexpr size_t kLongestSymbol = 8;
constexpr size_t kRounds = 5;
/// While counting, bytes without a symbol are symbols themselves, numbered from here.
constexpr size_t kFirstByte = 256;
constexpr size_t kNumbers = kFirstByte + 256;
/// What a round saw less often is no candidate.
constexpr uint32_t kRarePair = 3;
/// One byte, escaped.
constexpr uint16_t kNoSymbol = 1 << 8 | FsstEncoder::kEscape;
constexpr uint64_t kFormatMagic = 0x46535354;
constexpr size_t kTableBytes = 2312;

uint64_t MaskOf(size_t length) {
  return length >= 8 ? ~uint64_t{0} : (uint64_t{1} << (length * 8)) - 1;
}

/// The next eight bytes, zeros behind the last.
uint64_t LoadWord(const uint8_t* at, size_t left) {
  uint64_t word = 0;
  std::memcpy(&word, at, left < 8 ? left : 8);
  return word;
}

struct Candidate {
  Symbol symbol;
  uint64_t gain = 0;
};

/// Counts what a round's symbols meet on the sample, and proposes those of the next one.
class Round {
 public:
  explicit Round(const FsstEncoder& encoder) : encoder_(encoder), pairs_(kNumbers * kNumbers) {}

  void Count(FsstEncoder::Text text) {
    size_t before = kNumbers;
    for (size_t at = 0; at < text.size();) {
      const size_t left = text.size() - at;
      const FsstEncoder::Match match = encoder_.Find(LoadWord(text.data() + at, left), left);
      const size_t byte = kFirstByte + text[at];
      const bool symbol = match.code != FsstEncoder::kEscape;
      const size_t number = symbol ? match.code : byte;
      Add(before, number);
      if (symbol && match.length > 1) {
        Add(before, byte);  // a shorter beginning may be worth more
      }
      before = number;
      at += match.length;
    }
  }

  std::vector<Symbol> Best() const {
    std::vector<Candidate> candidates;
    for (size_t first = 0; first < kNumbers; ++first) {
      if (single_[first] == 0) {
        continue;
      }
      const Symbol symbol = SymbolOf(first);
      // A byte that has to be escaped costs two.
      candidates.push_back({symbol, uint64_t{single_[first]} * symbol.length *
                                        (symbol.length == 1 ? kLongestSymbol : 1)});
      for (size_t second = 0; second < kNumbers && symbol.length < kLongestSymbol; ++second) {
        const uint32_t count = pairs_[first * kNumbers + second];
        if (count >= kRarePair) {
          const Symbol joined = Join(symbol, SymbolOf(second));
          candidates.push_back({joined, uint64_t{count} * joined.length});
        }
      }
    }
    return Choose(std::move(candidates));
  }

 private:
  void Add(size_t before, size_t number) {
    ++single_[number];
    if (before != kNumbers) {
      ++pairs_[before * kNumbers + number];
    }
  }
  Symbol SymbolOf(size_t number) const {
    return number >= kFirstByte ? Symbol{number - kFirstByte, 1} : encoder_.symbols()[number];
  }
  static Symbol Join(const Symbol& a, const Symbol& b) {
    Symbol joined;
    joined.length = std::min<uint32_t>(kLongestSymbol, a.length + b.length);
    joined.text = (a.text | b.text << (a.length * 8)) & MaskOf(joined.length);
    return joined;
  }
  /// One candidate for each symbol, those with the highest gain first.
  static std::vector<Symbol> Choose(std::vector<Candidate> candidates) {
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return a.symbol.text != b.symbol.text ? a.symbol.text < b.symbol.text
                                            : a.symbol.length < b.symbol.length;
    });
    size_t kept = 0;
    for (const Candidate& candidate : candidates) {
      Candidate& last = candidates[kept == 0 ? 0 : kept - 1];
      if (kept != 0 && last.symbol.text == candidate.symbol.text &&
          last.symbol.length == candidate.symbol.length) {
        last.gain += candidate.gain;
      } else {
        candidates[kept++] = candidate;
      }
    }
    candidates.resize(kept);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.gain > b.gain; });
    std::vector<Symbol> best;
    for (const Candidate& candidate : candidates) {
      best.push_back(candidate.symbol);
    }
    return best;
  }

  const FsstEncoder& encoder_;
  std::array<uint32_t, kNumbers> single_ = {};
  std::vector<uint32_t> pairs_;
};

}  // namespace

FsstEncoder::FsstEncoder(std::span<const Symbol> symbols)
    : long_(kHashSlots), pairs_(1 << 16, kNoSymbol) {
  singles_.fill(kNoSymbol);
  // A free slot holds a word that belongs to another slot, so it never matches.
  long_[HashOf(0)].text = 1;
  for (const Symbol& symbol : symbols) {
    if (symbols_.size() == kMostSymbols) {
      break;
    }
    const auto match = static_cast<uint16_t>(symbol.length << 8 | symbols_.size());
    if (symbol.length >= 3) {
      Long& slot = long_[HashOf(symbol.text)];
      if (slot.match != 0) {
        continue;
      }
      const uint32_t shift = 64 - symbol.length * 8;
      slot = {symbol.text << shift, shift, match};
    } else if (symbol.length == 2) {
      pairs_[symbol.text] = match;
    } else {
      singles_[symbol.text] = match;
    }
    symbols_.push_back(symbol);
  }
  for (size_t pair = 0; pair < pairs_.size(); ++pair) {
    if (pairs_[pair] == kNoSymbol) {
      pairs_[pair] = singles_[pair & 0xff];
    }
  }
}

FsstEncoder FsstEncoder::Train(std::span<const Text> sample) {
  FsstEncoder encoder{std::span<const Symbol>()};
  for (size_t i = 1; i <= kRounds; ++i) {
    // The first rounds find short symbols, for which less is enough.
    Round round(encoder);
    for (size_t k = 0; k < sample.size(); ++k) {
      if (k % kRounds < i) {
        round.Count(sample[k]);
      }
    }
    encoder = FsstEncoder(round.Best());
  }
  return encoder;
}

inline void FsstEncoder::Step(Lane* lane) const {
  uint64_t word;
  std::memcpy(&word, lane->at, sizeof(word));
  const Long& slot = long_[HashOf(word)];
  const uint32_t pair = pairs_[word & 0xffff];
  // A mispredicted branch for every symbol would cost more than both look-ups.
  const uint32_t is_long = -static_cast<uint32_t>(word << slot.shift == slot.text);
  const uint32_t match = (slot.match & is_long) | (pair & ~is_long);
  lane->out[0] = static_cast<uint8_t>(match);
  lane->out[1] = static_cast<uint8_t>(word);
  lane->out += (match & 0xff) == kEscape ? 2 : 1;
  lane->at += match >> 8;
}

void FsstEncoder::Run(Lane* lane) const {
  while (lane->end - lane->at >= 8) {
    Step(lane);
  }
  while (lane->at < lane->end) {
    const auto left = static_cast<size_t>(lane->end - lane->at);
    const uint64_t word = LoadWord(lane->at, left);
    const Match match = Find(word, left);
    *lane->out++ = static_cast<uint8_t>(match.code);
    if (match.code == kEscape) {
      *lane->out++ = static_cast<uint8_t>(word);
    }
    lane->at += match.length;
  }
}

uint8_t* FsstEncoder::Encode(Text text, uint8_t* out) const {
  const uint8_t* const at = text.data();
  if (text.size() < 2 * kLaneBytes) {
    Lane lane = {at, at + text.size(), out};
    Run(&lane);
    return lane.out;
  }
  // Each symbol waits for the length of the one before; pieces of the text do not wait for each
  // other.
  const size_t piece = text.size() / kLanes;
  Lane lanes[kLanes];
  uint8_t* starts[kLanes];
  for (size_t i = 0; i < kLanes; ++i) {
    starts[i] = out + i * (2 * piece + 2);
    lanes[i] = {at + i * piece, i + 1 == kLanes ? at + text.size() : at + (i + 1) * piece,
                starts[i]};
  }
  const auto all_go_on = [&] {
    bool more = true;
    for (const Lane& lane : lanes) {
      more &= lane.end - lane.at >= 8;
    }
    return more;
  };
  while (all_go_on()) {
    for (Lane& lane : lanes) {
      Step(&lane);
    }
  }
  uint8_t* end = out;
  for (size_t i = 0; i < kLanes; ++i) {
    Run(&lanes[i]);
    const auto size = static_cast<size_t>(lanes[i].out - starts[i]);
    std::memmove(end, starts[i], size);
    end += size;
  }
  return end;
}

std::string FsstEncoder::LanceTable() const {
  std::string table(kTableBytes, '\0');
  const uint64_t header = symbols_.size() | uint64_t{1} << 24 | kFormatMagic << 32;
  std::memcpy(table.data(), &header, sizeof(header));
  char* const texts = table.data() + sizeof(header);
  char* const lengths = texts + symbols_.size() * kLongestSymbol;
  for (size_t i = 0; i < symbols_.size(); ++i) {
    std::memcpy(texts + i * kLongestSymbol, &symbols_[i].text, kLongestSymbol);
    lengths[i] = static_cast<char>(symbols_[i].length);
  }
  return table;
}

}  // namespace pchronicle::codec
