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
/// Candidates that are tried for a place in the table; some find theirs taken.
constexpr size_t kMostCandidates = 2 * kMostSymbols;
/// One byte, escaped.
constexpr uint16_t kNoSymbol = 1 << 8 | FsstEncoder::kEscape;
constexpr uint64_t kFormatMagic = 0x46535354;
constexpr size_t kTableBytes = 2312;

uint64_t MaskOf(size_t length) {
  return length >= 8 ? ~uint64_t{0} : (uint64_t{1} << (length * 8)) - 1;
}

/// The next eight bytes, zeros behind the last. Most texts are short: a copy of any length would be
/// a call for each of their last symbols.
uint64_t LoadWord(const uint8_t* at, size_t left) {
  if (left >= 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    return word;
  }
  if (left >= 4) {  // two halves that overlap
    uint32_t low, high;
    std::memcpy(&low, at, sizeof(low));
    std::memcpy(&high, at + left - sizeof(high), sizeof(high));
    return low | uint64_t{high} << ((left - sizeof(high)) * 8);
  }
  if (left == 0) {
    return 0;
  }
  return at[0] | uint64_t{at[left / 2]} << (left / 2 * 8) |
         uint64_t{at[left - 1]} << ((left - 1) * 8);
}

struct Candidate {
  Symbol symbol;
  uint64_t gain = 0;
};

/// How often numbers, and pairs of them, were met. Cleared by what was met: most of the pairs never
/// are.
class Counts {
 public:
  Counts() : pairs_(kNumbers * kNumbers) {}

  void Add(size_t before, size_t number) {
    ++single_[number];
    if (before == kNumbers) {
      return;
    }
    uint16_t& count = pairs_[before * kNumbers + number];
    if (count == 0) {
      met_.push_back(static_cast<uint32_t>(before * kNumbers + number));
    }
    count = static_cast<uint16_t>(count + (count != UINT16_MAX));
  }
  void Clear() {
    single_.fill(0);
    for (const uint32_t pair : met_) {
      pairs_[pair] = 0;
    }
    met_.clear();
  }
  uint32_t single(size_t number) const { return single_[number]; }
  template <typename Visit>
  void ForEachPair(Visit visit) const {
    for (const uint32_t pair : met_) {
      visit(pair / kNumbers, pair % kNumbers, pairs_[pair]);
    }
  }

 private:
  std::array<uint32_t, kNumbers> single_ = {};
  std::vector<uint16_t> pairs_;
  std::vector<uint32_t> met_;
};

/// Counts what a round's symbols meet on the sample, and proposes those of the next one.
class Round {
 public:
  Round(const FsstEncoder& encoder, Counts* counts) : encoder_(encoder), counts_(*counts) {
    counts_.Clear();
  }

  void Count(FsstEncoder::Text text) {
    size_t before = kNumbers;
    for (size_t at = 0; at < text.size();) {
      const size_t left = text.size() - at;
      const FsstEncoder::Match match = encoder_.Find(LoadWord(text.data() + at, left), left);
      const size_t byte = kFirstByte + text[at];
      const bool symbol = match.code != FsstEncoder::kEscape;
      const size_t number = symbol ? match.code : byte;
      counts_.Add(before, number);
      if (symbol && match.length > 1) {
        counts_.Add(before, byte);  // a shorter beginning may be worth more
      }
      before = number;
      at += match.length;
    }
  }

  std::vector<Symbol> Best() const {
    std::vector<Candidate> candidates;
    for (size_t number = 0; number < kNumbers; ++number) {
      if (const uint32_t count = counts_.single(number); count != 0) {
        const Symbol symbol = SymbolOf(number);
        // A byte that has to be escaped costs two.
        candidates.push_back(
            {symbol, uint64_t{count} * symbol.length * (symbol.length == 1 ? kLongestSymbol : 1)});
      }
    }
    counts_.ForEachPair([&](size_t first, size_t second, uint32_t count) {
      const Symbol symbol = SymbolOf(first);
      if (count >= kRarePair && symbol.length < kLongestSymbol) {
        const Symbol joined = Join(symbol, SymbolOf(second));
        candidates.push_back({joined, uint64_t{count} * joined.length});
      }
    });
    return Choose(std::move(candidates));
  }

 private:
  Symbol SymbolOf(size_t number) const {
    return number >= kFirstByte ? Symbol{number - kFirstByte, 1} : encoder_.symbols()[number];
  }
  static Symbol Join(const Symbol& a, const Symbol& b) {
    Symbol joined;
    joined.length = std::min<uint32_t>(kLongestSymbol, a.length + b.length);
    joined.text = (a.text | b.text << (a.length * 8)) & MaskOf(joined.length);
    return joined;
  }
  static bool Before(const Symbol& a, const Symbol& b) {
    return a.text != b.text ? a.text < b.text : a.length < b.length;
  }
  /// One candidate for each symbol, those with the highest gain first.
  static std::vector<Symbol> Choose(std::vector<Candidate> candidates) {
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return Before(a.symbol, b.symbol); });
    size_t kept = 0;
    for (const Candidate& candidate : candidates) {
      Candidate& last = candidates[kept == 0 ? 0 : kept - 1];
      if (kept != 0 && !Before(last.symbol, candidate.symbol)) {
        last.gain += candidate.gain;
      } else {
        candidates[kept++] = candidate;
      }
    }
    candidates.resize(kept);
    const auto end =
        candidates.begin() + static_cast<std::ptrdiff_t>(std::min(kept, kMostCandidates));
    const auto worth_more = [](const Candidate& a, const Candidate& b) {
      return a.gain != b.gain ? a.gain > b.gain : Before(a.symbol, b.symbol);
    };
    std::nth_element(candidates.begin(), end, candidates.end(), worth_more);
    std::sort(candidates.begin(), end, worth_more);
    std::vector<Symbol> best;
    for (auto candidate = candidates.begin(); candidate != end; ++candidate) {
      best.push_back(candidate->symbol);
    }
    return best;
  }

  const FsstEncoder& encoder_;
  Counts& counts_;
};

}  // namespace

FsstEncoder::FsstEncoder(std::span<const Symbol> symbols) : long_(kHashSlots), pairs_(1 << 16) {
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
    } else if (symbol.length == 1) {
      singles_[symbol.text] = match;
    }
    symbols_.push_back(symbol);
  }
  for (size_t second = 0; second < 256; ++second) {
    std::copy(singles_.begin(), singles_.end(),
              pairs_.begin() + static_cast<std::ptrdiff_t>(second * 256));
  }
  for (size_t code = 0; code < symbols_.size(); ++code) {
    if (symbols_[code].length == 2) {
      pairs_[symbols_[code].text] = static_cast<uint16_t>(2 << 8 | code);
    }
  }
}

FsstEncoder FsstEncoder::Train(std::span<const Text> sample) {
  FsstEncoder encoder{std::span<const Symbol>()};
  Counts counts;
  for (size_t i = 1; i <= kRounds; ++i) {
    // The first rounds find short symbols, for which less is enough.
    Round round(encoder, &counts);
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
