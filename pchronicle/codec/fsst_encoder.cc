#include "pchronicle/codec/fsst_encoder.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace pchronicle::codec {
namespace {

constexpr size_t kLongestSymbol = 8;
/// One byte, escaped.
constexpr uint16_t kNoSymbol = 1 << 8 | FsstEncoder::kEscape;
constexpr uint64_t kFormatMagic = 0x46535354;
constexpr size_t kTableBytes = 2312;

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

}  // namespace

FsstEncoder::FsstEncoder(std::span<const Symbol> symbols) { Assign(symbols); }

void FsstEncoder::Assign(std::span<const Symbol> symbols) {
  symbols_.clear();
  long_.assign(kHashSlots, {});
  pairs_.resize(1 << 16);
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

/// Texts that are coded one after the other, beside other groups.
struct FsstEncoder::Group {
  size_t first, stop;
  size_t text;  // that is being coded; `stop`: none is left
  Lane lane;    // ends with the text
  uint8_t* begin;

  /// When the text is coded, goes to the next one that is not empty.
  void GoOn(const uint8_t* bytes, std::span<const uint64_t> starts, std::span<uint64_t> ends) {
    while (lane.at == lane.end && text != stop) {
      ends[text] = static_cast<uint64_t>(lane.out - begin);
      if (++text != stop) {
        lane.end = bytes + starts[text + 1];
      }
    }
  }
};

inline void FsstEncoder::StepWithin(Lane* lane) const {
  const auto left = static_cast<size_t>(lane->end - lane->at);
  uint64_t word;
  std::memcpy(&word, lane->at, sizeof(word));
  const Long& slot = long_[HashOf(word)];
  const uint32_t single = singles_[word & 0xff];
  const uint32_t pair = left >= 2 ? pairs_[word & 0xffff] : single;
  const bool is_long = (word << slot.shift == slot.text) & (slot.match >> 8u <= left);
  const uint32_t match = is_long ? slot.match : pair;
  lane->out[0] = static_cast<uint8_t>(match);
  lane->out[1] = static_cast<uint8_t>(word);
  lane->out += (match & 0xff) == kEscape ? 2 : 1;
  lane->at += match >> 8;
}

uint8_t* FsstEncoder::EncodeAll(const uint8_t* bytes, std::span<const uint64_t> starts,
                                uint8_t* out, std::span<uint64_t> ends) const {
  const size_t count = ends.size();
  if (count == 0) {
    return out;
  }
  const uint64_t first = starts[0], share = (starts[count] - first) / kLanes;
  std::array<Group, kLanes> groups;
  size_t used = 0, text = 0;
  while (text < count) {
    // Of about the same size, so that they end at about the same time.
    size_t stop = count;
    if (used + 1 < kLanes) {
      const auto past = std::upper_bound(starts.begin() + static_cast<std::ptrdiff_t>(text) + 1,
                                         starts.begin() + static_cast<std::ptrdiff_t>(count),
                                         first + share * (used + 1));
      stop = static_cast<size_t>(past - starts.begin());
    }
    // A step writes a byte more than it keeps.
    uint8_t* const begin = out + 2 * (starts[text] - first) + used;
    groups[used] = {
        text, stop, text, {bytes + starts[text], bytes + starts[text + 1], begin}, begin};
    groups[used++].GoOn(bytes, starts, ends);
    text = stop;
  }
  // Each symbol waits for the length of the one before; groups do not wait for each other.
  const auto all_go_on = [&] {
    bool more = used == kLanes;
    for (size_t i = 0; i < used; ++i) {
      more &= groups[i].text != groups[i].stop;
    }
    return more;
  };
  while (all_go_on()) {
    for (Group& group : groups) {
      StepWithin(&group.lane);
      group.GoOn(bytes, starts, ends);
    }
  }
  uint8_t* end = out;
  for (Group& group : std::span(groups).first(used)) {
    while (group.text != group.stop) {
      StepWithin(&group.lane);
      group.GoOn(bytes, starts, ends);
    }
    const auto size = static_cast<size_t>(group.lane.out - group.begin);
    std::memmove(end, group.begin, size);
    for (size_t i = group.first; i < group.stop; ++i) {
      ends[i] += static_cast<uint64_t>(end - out);
    }
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
