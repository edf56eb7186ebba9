#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pchronicle::codec {

/// Writes FSST text (Boncz, Neumann, Leis: "FSST: Fast Random Access String Compression", VLDB
/// 2020): up to 255 symbols of 1 to 8 bytes, found on a sample, replace what they spell; other
/// bytes are escaped. FsstTrainer finds the symbols, FsstTable reads the codes. Immutable;
/// thread-safe.
class FsstEncoder {
 public:
  using Text = std::span<const uint8_t>;
  static constexpr size_t kMostSymbols = 255;

  /// Bytes of up to eight letters, the first in the lowest byte, zeros behind the last.
  struct Symbol {
    uint64_t text = 0;
    uint32_t length = 0;
  };

  /// Symbols by falling worth. Of those with the same first three bytes only the first is used.
  explicit FsstEncoder(std::span<const Symbol> symbols);

  /// Encode may write so many bytes; what it gives is at most twice the text.
  static constexpr size_t MaxCoded(size_t size) { return size * 2 + 64; }
  /// Codes one text to `out`; gives the end of what was written.
  uint8_t* Encode(Text text, uint8_t* out) const;

  /// Bytes behind the last text that EncodeAll may read.
  static constexpr size_t kSlack = 8;
  /// Codes texts that lie one behind the other at `bytes`, `starts` being where each begins and
  /// where the last one ends: as many as `ends`, which gets where their codes end, counted from
  /// `out`. Gives the end of what was written; MaxCoded of all texts may be. Several times as fast
  /// for short texts as one at a time.
  uint8_t* EncodeAll(const uint8_t* bytes, std::span<const uint64_t> starts, uint8_t* out,
                     std::span<uint64_t> ends) const;

  std::span<const Symbol> symbols() const { return symbols_; }
  /// The table in the layout of Lance, 2312 bytes (lance.md B7).
  std::string LanceTable() const;

  /// A symbol's number and length; kEscape: no symbol, the next byte is escaped.
  struct Match {
    uint32_t code = 0;
    uint32_t length = 0;
  };
  static constexpr uint32_t kEscape = 255;
  /// The longest known symbol that a text starts with, `word` being its next eight bytes, zeros
  /// behind its last one, `left` >= 1 their number.
  Match Find(uint64_t word, size_t left) const {
    const Long& slot = long_[HashOf(word)];
    const bool is_long = word << slot.shift == slot.text && (slot.match >> 8) <= left;
    const uint32_t match = is_long     ? slot.match
                           : left >= 2 ? pairs_[word & 0xffff]
                                       : singles_[word & 0xff];
    return {match & 0xff, match >> 8};
  }

 private:
  /// Symbols of three bytes and more, by the hash of the first three.
  struct Long {
    uint64_t text = 0;   // moved up by `shift` bits
    uint32_t shift = 0;  // of a word, to compare it
    uint16_t match = 0;  // length << 8 | code; 0: free
  };
  static constexpr size_t kHashSlots = 2048;
  /// A text of two or more such pieces is coded piece by piece at the same time.
  static constexpr size_t kLaneBytes = 64;
  static constexpr size_t kLanes = 4;

  struct Lane {
    const uint8_t* at;
    const uint8_t* end;
    uint8_t* out;
  };
  struct Group;
  friend class FsstTrainer;
  /// The encoder with other symbols, in the same memory.
  void Assign(std::span<const Symbol> symbols);
  /// Codes the next symbol; the lane has eight bytes or more.
  void Step(Lane* lane) const;
  /// Codes the rest.
  void Run(Lane* lane) const;
  /// Codes the next symbol; kSlack bytes behind the lane's end may be read.
  void StepWithin(Lane* lane) const;

  static size_t HashOf(uint64_t word) {
    return static_cast<size_t>((word & 0xffffff) * 0x9e3779b1 >> 12 & (kHashSlots - 1));
  }
  bool AddLong(const Symbol& symbol);

  std::vector<Symbol> symbols_;
  std::vector<Long> long_;
  /// length << 8 | code of the longest symbol of one or two bytes, by the next two bytes or one; an
  /// escape has length 1.
  std::vector<uint16_t> pairs_;
  std::array<uint16_t, 256> singles_;
};

}  // namespace pchronicle::codec
