#include "pchronicle/codec/fsst_trainer.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace pchronicle::codec {
namespace {

using Symbol = FsstEncoder::Symbol;
using Text = FsstEncoder::Text;

constexpr size_t kLongestSymbol = 8;
constexpr size_t kRounds = 5;
/// While counting, bytes without a symbol are symbols themselves, numbered from here.
constexpr size_t kFirstByte = 256;
constexpr size_t kNumbers = kFirstByte + 256;
/// What a round saw less often is no candidate.
constexpr uint32_t kRarePair = 3;
/// Candidates that are tried for a place in the table; some find theirs taken.
constexpr size_t kMostCandidates = 2 * FsstEncoder::kMostSymbols;

uint64_t MaskOf(size_t length) {
  return length >= 8 ? ~uint64_t{0} : (uint64_t{1} << (length * 8)) - 1;
}

Symbol Join(const Symbol& a, const Symbol& b) {
  Symbol joined;
  joined.length = std::min<uint32_t>(kLongestSymbol, a.length + b.length);
  joined.text = (a.text | b.text << (a.length * 8)) & MaskOf(joined.length);
  return joined;
}

struct Candidate {
  Symbol symbol;
  uint64_t gain = 0;
};

bool WorthMore(const Candidate& a, const Candidate& b) {
  if (a.gain != b.gain) {
    return a.gain > b.gain;
  }
  return a.symbol.text != b.symbol.text ? a.symbol.text < b.symbol.text
                                        : a.symbol.length < b.symbol.length;
}

}  // namespace

/// How often numbers, and pairs of them, were met. Cleared by what was met: most of the pairs never
/// are.
class FsstTrainer::Counts {
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

/// One candidate for each symbol, found by its hash.
class FsstTrainer::Candidates {
 public:
  void Clear() {
    all_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
  }
  void Add(const Symbol& symbol, uint64_t gain) {
    if (all_.size() * 2 >= slots_.size()) {
      Grow();
    }
    uint32_t& slot = slots_[Find(symbol)];
    if (slot == 0) {
      all_.push_back({symbol, 0});
      slot = static_cast<uint32_t>(all_.size());
    }
    all_[slot - 1].gain += gain;
  }
  /// Those with the highest gain, the best one first. Ends adding.
  std::span<const Candidate> Best() {
    const size_t count = std::min(all_.size(), kMostCandidates);
    const auto end = all_.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(all_.begin(), end, all_.end(), WorthMore);
    std::sort(all_.begin(), end, WorthMore);
    return std::span(all_).first(count);
  }

 private:
  size_t Find(const Symbol& symbol) const {
    const size_t mask = slots_.size() - 1;
    size_t at = static_cast<size_t>((symbol.text + symbol.length) * 0x9e3779b97f4a7c15 >> 32);
    for (;; ++at) {
      const uint32_t slot = slots_[at & mask];
      if (slot == 0 || (all_[slot - 1].symbol.text == symbol.text &&
                        all_[slot - 1].symbol.length == symbol.length)) {
        return at & mask;
      }
    }
  }
  void Grow() {
    slots_.assign(slots_.empty() ? size_t{1} << 12 : slots_.size() * 2, 0);
    for (size_t i = 0; i < all_.size(); ++i) {
      slots_[Find(all_[i].symbol)] = static_cast<uint32_t>(i + 1);
    }
  }

  std::vector<Candidate> all_;
  std::vector<uint32_t> slots_;  // index + 1 in all_, 0: free
};

FsstTrainer::FsstTrainer()
    : encoder_(std::span<const Symbol>()),
      counts_(std::make_unique<Counts>()),
      candidates_(std::make_unique<Candidates>()) {}
FsstTrainer::~FsstTrainer() = default;

const FsstEncoder& FsstTrainer::Train(std::span<const Text> sample) {
  Gather(sample);
  encoder_.Assign({});
  for (size_t i = 1; i <= kRounds; ++i) {
    // The first rounds find short symbols, for which less is enough.
    counts_->Clear();
    for (size_t k = 0; k < texts_.size(); ++k) {
      if (k % kRounds < i) {
        Count(texts_[k]);
      }
    }
    Propose();
    encoder_.Assign(best_);
  }
  return encoder_;
}

/// Into one piece of memory in which words can be loaded up to the end.
void FsstTrainer::Gather(std::span<const Text> sample) {
  size_t total = 0;
  for (const Text& text : sample) {
    total += text.size();
  }
  bytes_.resize(total + sizeof(uint64_t));
  texts_.clear();
  uint8_t* to = bytes_.data();
  for (const Text& text : sample) {
    std::copy(text.begin(), text.end(), to);
    texts_.push_back({to, text.size()});
    to += text.size();
  }
}

/// What the round's symbols meet in a text.
void FsstTrainer::Count(Text text) {
  size_t before = kNumbers;
  for (size_t at = 0; at < text.size();) {
    const size_t left = text.size() - at;
    uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof(word));
    const FsstEncoder::Match match = encoder_.Find(word & MaskOf(left), left);
    const size_t byte = kFirstByte + text[at];
    const bool symbol = match.code != FsstEncoder::kEscape;
    const size_t number = symbol ? match.code : byte;
    counts_->Add(before, number);
    if (symbol && match.length > 1) {
      counts_->Add(before, byte);  // a shorter beginning may be worth more
    }
    before = number;
    at += match.length;
  }
}

Symbol FsstTrainer::SymbolOf(size_t number) const {
  return number >= kFirstByte ? Symbol{number - kFirstByte, 1} : encoder_.symbols()[number];
}

/// Symbols for the next round.
void FsstTrainer::Propose() {
  candidates_->Clear();
  for (size_t number = 0; number < kNumbers; ++number) {
    if (const uint32_t count = counts_->single(number); count != 0) {
      const Symbol symbol = SymbolOf(number);
      // A byte that has to be escaped costs two.
      candidates_->Add(symbol,
                       uint64_t{count} * symbol.length * (symbol.length == 1 ? kLongestSymbol : 1));
    }
  }
  counts_->ForEachPair([&](size_t first, size_t second, uint32_t count) {
    const Symbol symbol = SymbolOf(first);
    if (count >= kRarePair && symbol.length < kLongestSymbol) {
      const Symbol joined = Join(symbol, SymbolOf(second));
      candidates_->Add(joined, uint64_t{count} * joined.length);
    }
  });
  best_.clear();
  for (const Candidate& candidate : candidates_->Best()) {
    best_.push_back(candidate.symbol);
  }
}

}  // namespace pchronicle::codec
